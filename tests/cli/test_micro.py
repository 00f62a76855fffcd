"""gpubench-micro as people who live with Google Benchmark use it."""

import json
import pathlib
import subprocess
import unittest

from support import BUILD, environment

MICRO = pathlib.Path(BUILD) / "gpubench-micro"


def micro(*arguments, device="host"):
    return subprocess.run([MICRO, *arguments], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          timeout=300, env=environment(GPUBENCH_DEVICE=device))


class Micro(unittest.TestCase):
    def test_it_lists_ceilings_variants_and_the_programs_own_paths(self):
        run = micro("--benchmark_list_tests")
        self.assertEqual(run.returncode, 0, run.stderr)
        names = run.stdout.split()
        for name in ("ceiling/fp32_fma/manual_time", "matmul/parallel_vectorized/f32/manual_time",
                     "program/write_document", "program/read_document", "program/expand_plan"):
            self.assertIn(name, names)

    def test_its_json_has_the_devices_time_and_rates(self):
        run = micro("--benchmark_filter=^vector_add/single_thread", "--benchmark_min_time=0.01",
                    "--benchmark_format=json")
        self.assertEqual(run.returncode, 0, run.stderr)
        [benchmark] = json.loads(run.stdout)["benchmarks"]
        self.assertGreater(benchmark["real_time"], 0)
        self.assertAlmostEqual(benchmark["bytes"] / benchmark["flops"], 12, places=6)  # 12 bytes an addition
        self.assertAlmostEqual(benchmark["bytes"] * benchmark["real_time"] * 1e-9 / (12 * 2**25), 1, places=2)

    def test_the_programs_own_paths_run(self):
        run = micro("--benchmark_filter=program/", "--benchmark_min_time=0.01", "--benchmark_format=json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(json.loads(run.stdout)["benchmarks"]), 4)

    def test_a_device_that_is_not_there_is_code_3_or_2(self):
        self.assertEqual(micro("--benchmark_list_tests", device="cuda:99").returncode, 3)
        self.assertEqual(micro("--benchmark_list_tests", device="gpu").returncode, 2)


if __name__ == "__main__":
    unittest.main()
