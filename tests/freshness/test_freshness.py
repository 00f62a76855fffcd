"""freshness.cmake on small trees of its own."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("freshness.cmake")
FACTS = SCRIPT.parents[2] / "cmake" / "build_facts.cmake"
CMAKE = os.environ.get("GPUBENCH_CMAKE", "cmake")


class Freshness(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.results = self.tree / "results" / "nvidia-h200"
        self.kernel = self.tree / "kernels" / "add" / "add.cu"
        for path in (self.results, self.kernel.parent, self.tree / "microbench"):
            path.mkdir(parents=True)
        self.kernel.write_text("// first\n")
        (self.tree / "microbench" / "fma.cu").write_text("// fma\n")

    def cmake(self, script):
        return subprocess.run([CMAKE, f"-DSOURCE={self.tree}", "-P", str(script)],
                              capture_output=True, text=True, timeout=60)

    def record(self):
        hash_now = self.cmake(FACTS).stdout.strip()
        self.assertRegex(hash_now, "^[0-9a-f]{64}$")
        document = {"tool": {"kernel_sources_sha256": hash_now}}
        (self.results / "verify.json").write_text(json.dumps(document))

    def test_passes_when_nothing_changed(self):
        self.record()
        run = self.cmake(SCRIPT)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("skipped", run.stdout)

    def test_fails_when_a_kernel_changed(self):
        self.record()
        self.kernel.write_text("// second\n")
        run = self.cmake(SCRIPT)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("differ", run.stderr)

    def test_fails_when_a_microbenchmark_was_added_renamed_or_removed(self):
        self.record()
        fma = self.tree / "microbench" / "fma.cu"
        fma.rename(fma.with_name("ffma.cu"))
        self.assertNotEqual(self.cmake(SCRIPT).returncode, 0)
        fma.with_name("ffma.cu").unlink()
        self.assertNotEqual(self.cmake(SCRIPT).returncode, 0)

    def test_a_reason_excuses_and_is_printed(self):
        self.record()
        self.kernel.write_text("// second\n")
        (self.results / "pending.txt").write_text("no GPU; this week: a semicolon\n")
        run = self.cmake(SCRIPT)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.startswith("skipped"), run.stdout)
        self.assertIn("no GPU; this week: a semicolon", run.stdout)

    def test_an_empty_reason_excuses_nothing(self):
        self.record()
        self.kernel.write_text("// second\n")
        (self.results / "pending.txt").write_text(" \n")
        self.assertNotEqual(self.cmake(SCRIPT).returncode, 0)

    def test_missing_or_broken_results_count_as_different(self):
        self.assertNotEqual(self.cmake(SCRIPT).returncode, 0)
        for text in ("", "{", "[]", '{"tool": {}}', '{"tool": {"kernel_sources_sha256": null}}'):
            (self.results / "verify.json").write_text(text)
            self.assertNotEqual(self.cmake(SCRIPT).returncode, 0, text)


if __name__ == "__main__":
    unittest.main()
