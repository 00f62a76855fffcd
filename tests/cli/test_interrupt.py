import signal
import subprocess
import time
import unittest

from support import FAST, GPUBENCH, Case, ceilings, environment

MANY = ["run", "vector_add", "--N", "1000:200000:1000", "--variant", "single_thread"]


class Interrupt(Case):
    def start(self, *arguments):
        process = subprocess.Popen([GPUBENCH, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                   env=environment())
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_what_is_finished_is_written(self):
        target = self.folder / "out.json"
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                target.unlink(missing_ok=True)
                process = self.start(*MANY, *FAST, "--ceilings", ceilings(), "--json", target, "-v")
                for _ in range(3):
                    process.stderr.readline()  # a line a case
                process.send_signal(number)
                process.communicate(timeout=20)
                self.assertEqual(process.returncode, 130)
                document = self.read(target)
                self.assertEqual(document["status"], "interrupted")
                done = [case for case in document["cases"] if case["status"] == "ok"]
                self.assertGreaterEqual(len(done), 3)
                self.assertLess(len(done), 200)
                for case in done:
                    self.assertTrue(case["verification"]["passed"])

    def test_the_running_case_is_abandoned_soon(self):
        process = self.start("run", "vector_add", "--N", "1000,2000", "--device", "host", "--warmup-seconds", "0.01",
                             "--samples", "1000000", "--max-seconds", "60", "--ceilings", ceilings(),
                             "--json", self.folder / "out.json")
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.read(self.folder / "out.json")["status"], "interrupted")

    def test_ceilings_measured_so_far_are_written(self):
        target = self.folder / "out.json"
        process = self.start("roofline", "--device", "host", "--json", target, "-v")
        process.stderr.readline()  # the first ceiling
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        document = self.read(target)
        self.assertEqual(document["status"], "interrupted")
        self.assertEqual(len(document["ceilings"]), len({c["name"] for c in document["ceilings"]}))

    def test_an_interrupt_while_nothing_reads_the_fifo(self):
        fifo = self.folder / "fifo"
        subprocess.run(["mkfifo", fifo], check=True)
        process = self.start("run", "vector_add", *FAST, "--json", fifo)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertIn(process.returncode, (130, -signal.SIGINT))

    def test_a_second_interrupt_ends_it_at_once(self):
        target = self.folder / "out.json"
        process = self.start("run", "matmul", "--M=4096", "--N=4096", "--K=4096", "--variant", "single_thread",
                             "--device", "host", "--ceilings", ceilings(), "--json", target)
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertLess(time.monotonic() - begin, 1)
        self.assertIn(process.returncode, (130, -signal.SIGINT))
        if target.exists():
            self.read(target)


if __name__ == "__main__":
    unittest.main()
