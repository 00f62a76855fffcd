import re
import time
import unittest

from support import Case, environment, gpubench

INFORMATIVE = [["--help"], ["--version"], ["--list"], ["list"], ["list", "matmul"], ["run", "--help"],
               ["run", "attention", "--help"], ["verify", "--help"], ["roofline", "--help"]]
GPU_LIBRARY = re.compile(r"lib(?:cuda|nvidia|cublas|cudnn|cupti|nvrtc)[\w-]*\.so[.\d]*")


class Startup(Case):
    def test_help_version_and_list_answer_on_standard_output(self):
        for arguments in INFORMATIVE:
            with self.subTest(arguments):
                run = gpubench(*arguments)
                self.assert_code(run, 0)
                self.assertEqual(run.stderr, "")
                self.assertTrue(run.stdout.endswith("\n"))

    def test_they_take_less_than_50_milliseconds(self):
        if "Release" not in gpubench("--version").stdout:
            self.skipTest("only a Release build is held to it")
        for arguments in INFORMATIVE + [["run", "matmul", "--N", "zero"]]:
            with self.subTest(arguments):
                # The quickest of several: other tests run beside this one.
                quickest = 1.0
                for _ in range(12):
                    begin = time.perf_counter()
                    gpubench(*arguments)
                    quickest = min(quickest, time.perf_counter() - begin)
                    if quickest < 0.05:
                        break
                self.assertLess(quickest, 0.05)

    def test_they_load_no_gpu_library(self):
        for arguments in INFORMATIVE:
            with self.subTest(arguments):
                trace = gpubench(*arguments, env=environment(LD_DEBUG="files")).stderr
                self.assertIn("libc.so", trace)
                self.assertEqual(GPU_LIBRARY.findall(trace), [])

    def test_a_gpu_library_would_have_been_seen(self):
        if "without CUDA" in gpubench("--version").stdout:
            self.skipTest("built without CUDA")
        trace = gpubench("info", env=environment(LD_DEBUG="files")).stderr
        self.assertIn("libcuda.so", " ".join(GPU_LIBRARY.findall(trace)))

    def test_version_names_version_compiler_and_toolkit(self):
        text = gpubench("--version").stdout
        self.assertRegex(text, r"gpubench \d+\.\d+\.\d+")
        self.assertRegex(text, r"GNU|Clang")
        self.assertIn("CUDA", text)

    def test_help_names_every_command(self):
        text = gpubench("--help").stdout
        for command in ("info", "list", "roofline", "run", "verify"):
            self.assertRegex(text, rf"(?m)^\s+{command}\b")

    def test_list_names_families_variants_and_parameters(self):
        text = gpubench("list").stdout
        for family in ("vector_add", "reduction", "matmul", "softmax", "attention"):
            self.assertIn(family, text)
        one = gpubench("list", "vector_add").stdout
        for word in ("single_thread", "parallel_vectorized", "scalar", "--N"):
            self.assertIn(word, one)
        self.assertNotIn("matmul", one)
        self.assertEqual(gpubench("--list").stdout, text)

    def test_help_of_a_family_shows_defaults_and_ranges(self):
        text = gpubench("run", "attention", "--help").stdout
        for word in ("--N", "--D", "--H", "--causal", "default"):
            self.assertIn(word, text)
        self.assertRegex(text, r"\d+ to \d+")

    def test_info_runs_everywhere(self):
        run = gpubench("info", env=environment(CUDA_VISIBLE_DEVICES=""))
        self.assert_code(run, 0)
        self.assertIn("host", run.stdout)
        self.assertIn("cuda", run.stdout)

    def test_a_file_in_the_working_directory_changes_nothing(self):
        for name in ("config.json", "gpubench.json", "config.ini", "config.toml", ".gpubench"):
            (self.folder / name).write_text('{"families": ["nonsense"]}\nN=0\n')
        run = gpubench("run", "vector_add", "--N", "16", "--dry-run", "--device", "host", cwd=self.folder)
        self.assert_code(run, 0)


if __name__ == "__main__":
    unittest.main()
