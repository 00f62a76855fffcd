"""--cross-check where there is no GPU to record: refused in a sentence, before anything is measured."""

import time
import unittest

from support import Case, environment, gpubench

NO_GPU = environment(CUDA_VISIBLE_DEVICES="")


class CrossCheck(Case):
    def test_the_host_has_no_records(self):
        for arguments in (["vector_add", "--N", "16"], ["vector_add", "--N", "16", "--dry-run"]):
            run = gpubench("run", *arguments, "--device", "host", "--cross-check")
            self.assert_one_sentence(run, 2, "--cross-check", "--device host", "CUPTI")

    def test_a_run_that_falls_back_to_the_host_stops_before_it_measures(self):
        target = self.folder / "out.json"
        begin = time.monotonic()
        run = gpubench("run", "vector_add", "--warmup-seconds", "60", "--cross-check", "--json", target, env=NO_GPU)
        self.assertLess(time.monotonic() - begin, 30)
        self.assert_code(run, 3)
        self.assertEqual(run.stdout, "")
        self.assertRegex(run.stderr.splitlines()[-1], r"\Agpubench: host keeps no records of what ran: .*(GPU|CUDA)")
        self.assertFalse(target.exists())

    def test_only_run_takes_it(self):
        for command in (["roofline"], ["verify", "vector_add"]):
            self.assert_one_sentence(gpubench(*command, "--device", "host", "--cross-check"), 2, "--cross-check")


if __name__ == "__main__":
    unittest.main()
