"""`gpubench run --processes K`: one document of K processes, and no process left behind."""
import csv
import json
import os
import pathlib
import signal
import statistics
import subprocess
import time
import unittest

from support import GPUBENCH, Case, ceilings, environment, gpubench, notes, parse

RUN = ["run", "vector_add", "--device", "host"]
SHORT = ["--max-seconds", "0.1", "--warmup-seconds", "0.01"]
ENDLESS = ["--N", "65536", "--samples", "1000000", "--max-seconds", "60", "--warmup-seconds", "0.01"]
VARIANTS = ["single_thread", "parallel_vectorized"]


def running(token):
    """Processes that have the token among their arguments: number -> (parent, arguments)."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended in the meantime
            continue
        if token in arguments and state != "Z":
            found[int(folder.name)] = (int(parent), arguments)
    return found


class Processes(Case):
    def setUp(self):
        super().setUp()
        self.target = self.folder / "out.json"

    def run_short(self, *arguments, **options):
        return gpubench(*RUN, "--N", "65536", *SHORT, "--ceilings", ceilings(), *arguments, **options)

    def assert_processes(self, document, count):
        for case in document["cases"]:
            by_process = case["timing"]["samples_by_process_s"]
            self.assertEqual(len(by_process), count, case["id"])
            self.assertTrue(all(by_process))
            self.assertEqual([sample for samples in by_process for sample in samples], case["timing"]["samples_s"])
            self.assertEqual(len(case["telemetry_by_process"]), count)
            clocks = [one["sm_clock_hz"]["during"] for one in case["telemetry_by_process"]]
            self.assertTrue(all(clocks), clocks)
            self.assertEqual(case["telemetry"]["sm_clock_hz"]["during"], statistics.median(clocks))


class Documents(Processes):
    def test_one_document_of_all(self):
        arguments = [*RUN, "--N", "65536", *SHORT, "--processes", "3", "--json", self.target, "-v"]
        run = gpubench(*arguments)
        self.assert_code(run, 0)
        document = self.read(self.target)
        self.assertEqual(document["status"], "complete")
        self.assertEqual(document["command"], ["gpubench", *map(str, arguments)])
        self.assertIsNone(document["ceilings_source"])
        self.assertEqual([case["variant"] for case in document["cases"]], VARIANTS)
        self.assert_processes(document, 3)
        self.assertEqual(os.listdir(self.folder), ["out.json"])
        # Ceilings are measured once: one line each, all from the first process.
        measured = [ceiling["name"] for ceiling in document["ceilings"]]
        self.assertIn("dram_read", measured)
        lines = notes(run)
        self.assertEqual([line.split("ceiling ")[1].split(":")[0] for line in lines if "] ceiling " in line], measured)
        self.assertEqual([line for line in lines if "process " in line],
                         [f"[{number}/3] process {number} of 3: 2 cases" for number in (1, 2, 3)])
        self.assertEqual(run.stdout.count("single_thread"), 1)

    def test_ceilings_that_are_given_are_those_of_every_process(self):
        run = self.run_short("--processes", "2", "--json", self.target, "-v")
        self.assert_code(run, 0)
        document = self.read(self.target)
        self.assertEqual(document["ceilings_source"], str(ceilings()))
        self.assertNotIn("] ceiling ", run.stderr)
        for case in document["cases"]:
            self.assertAlmostEqual(case["roof"]["percent_of_roof"],
                                   100 * case["roof"]["attainable_s"] / case["timing"]["median_s"])

    def test_one_process_is_a_run_as_ever(self):
        self.assert_code(self.run_short("--processes", "1", "--json", self.target), 0)
        for case in self.read(self.target)["cases"]:
            self.assertIsNone(case["timing"]["samples_by_process_s"])
            self.assertIsNone(case["telemetry_by_process"])

    def test_outputs_belong_to_the_parent(self):
        table = self.folder / "out.csv"
        run = self.run_short("--processes=2", f"--csv={table}", "--json=-", "-q")
        self.assert_code(run, 0)
        self.assertEqual(notes(run), [])
        document = parse(run.stdout)
        self.validate(document)
        self.assert_processes(document, 2)
        with table.open(newline="", encoding="utf-8") as file:
            self.assertEqual([float(row["median_s"]) for row in csv.DictReader(file)],
                             [case["timing"]["median_s"] for case in document["cases"]])

    def test_a_suite_in_the_working_directory(self):
        (self.folder / "suite.json").write_text(json.dumps({"schema": "gpubench.suite/1", "cases": [
            {"family": "vector_add", "parameters": {"N": [1000, 2000]}, "variants": "single"}]}))
        run = gpubench("run", "--config", "suite.json", "--device", "host", *SHORT, "--ceilings", ceilings(),
                       "--processes", "2", "--json", "out.json", cwd=self.folder)
        self.assert_code(run, 0)
        document = self.read(self.target)
        self.assertEqual([case["parameters"]["N"] for case in document["cases"]], [1000, 2000])
        self.assert_processes(document, 2)

    def test_several_processes_make_documents_that_compare_takes(self):
        self.assert_code(self.run_short("--processes", "5", "--json", self.target), 0)
        run = gpubench("compare", self.target, self.target, "--json", "-")
        self.assert_code(run, 0)
        self.assertEqual({found["method"] for found in parse(run.stdout)["cases"]}, {"welch"})


class Refusals(Processes):
    def test_numbers_that_are_none_or_too_many(self):
        for count in ("0", "1001", "x", "-1", "1.5", "", "99999999999999999999"):
            with self.subTest(count=count):
                self.assert_one_sentence(self.run_short("--processes", count), 2, "--processes")

    def test_a_dry_run_has_no_processes(self):
        self.assert_one_sentence(self.run_short("--processes", "3", "--dry-run"), 2, "--processes", "--dry-run")

    def test_other_mistakes_are_told_once(self):
        for arguments, code in ((["--variant", "nosuch"], 2), (["--dtype", "f64"], 2), (["--N", "0"], 2),
                                (["--ceilings", self.folder / "missing.json"], 5),
                                (["--json", self.folder / "no" / "out.json"], 5)):
            with self.subTest(arguments=arguments):
                run = gpubench("run", "vector_add", "--device", "host", *SHORT, "--processes", "3", *arguments)
                self.assert_one_sentence(run, code)

    def test_a_device_that_is_not_there_is_told_once(self):
        run = gpubench("run", "vector_add", "--device", "cuda", *SHORT, "--processes", "3", "--json", self.target,
                       env=environment(CUDA_VISIBLE_DEVICES=""))
        self.assert_one_sentence(run, 3)
        self.assertFalse(self.target.exists())


class Signals(Processes):
    def start(self, *arguments):
        """The program; its arguments hold a token that no other process has."""
        self.token = f"1{os.getpid()}{time.monotonic_ns() % 10**9}"
        process = subprocess.Popen(
            [GPUBENCH, *map(str, RUN), "--ceilings", str(ceilings()), "--json", str(self.target), "--seed", self.token,
             *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8", env=environment())
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(self.end_all)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end_all(self):
        for number in running(self.token):
            os.kill(number, signal.SIGKILL)

    def child_of(self, process):
        """Its child, as soon as that is the program, with its document on standard output."""
        for _ in range(200):
            children = [number for number, (parent, arguments) in running(self.token).items()
                        if parent == process.pid and "-" in arguments]
            if children:
                return children[0]
            time.sleep(0.05)
        self.fail("no child was started")

    def assert_none_left(self):
        deadline = time.monotonic() + 5
        while running(self.token) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(running(self.token), {})

    def test_an_interrupt_of_the_child_alone_is_one_of_the_run(self):
        process = self.start("--N", "1000:200000:1000", *SHORT, "--processes", "3", "-v")
        child = self.child_of(process)
        for _ in range(3):
            process.stderr.readline()  # a line a case
        os.kill(child, signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assert_none_left()
        self.assertEqual(self.read(self.target)["status"], "interrupted")

    def test_an_interrupt_of_the_parent_ends_the_first_process_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.target.unlink(missing_ok=True)
                process = self.start("--N", "1000:200000:1000", *SHORT, "--processes", "3", "-v")
                for _ in range(3):
                    process.stderr.readline()  # a line a case
                process.send_signal(number)
                process.communicate(timeout=20)
                self.assertEqual(process.returncode, 130)
                self.assert_none_left()
                document = self.read(self.target)
                self.assertEqual(document["status"], "interrupted")
                done = [case for case in document["cases"] if case["status"] == "ok"]
                self.assertGreaterEqual(len(done), 3)
                self.assertLess(len(done), 200)

    def test_an_interrupt_of_a_later_process_keeps_what_the_others_measured(self):
        process = self.start("--N", "65536", "--samples", "1000000", "--max-seconds", "1", "--warmup-seconds", "0.01",
                             "--processes", "3", "-v")
        while "process 1 of 3" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        self.child_of(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assert_none_left()
        document = self.read(self.target)
        self.assertEqual(document["status"], "interrupted")
        self.assertEqual([case["status"] for case in document["cases"]], ["ok", "ok"])
        self.assert_processes(document, 1)

    def test_an_interrupt_before_a_process_listens_is_one(self):
        """Between its start and its handler a signal ends a process: half of these interrupts come that early."""
        for tick in range(12):
            with self.subTest(tick):
                process = self.start("--N", "65536", *SHORT, "--processes", "3", "-v")
                while "process 1 of 3" not in process.stderr.readline():
                    self.assertIsNone(process.poll())
                time.sleep(0.0003 * tick)
                process.send_signal(signal.SIGINT)
                _, error = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 130, error)
                self.assertEqual(self.read(self.target)["status"], "interrupted")

    def test_a_second_interrupt_ends_it_at_once(self):
        process = self.start(*ENDLESS, "--processes", "2")
        self.child_of(process)
        time.sleep(0.5)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertLess(time.monotonic() - begin, 3)
        self.assertIn(process.returncode, (130, -signal.SIGINT))
        self.assert_none_left()

    def test_a_parent_that_is_killed_leaves_no_child(self):
        process = self.start(*ENDLESS, "--processes", "3")
        self.child_of(process)
        process.kill()
        process.communicate(timeout=20)
        self.assert_none_left()
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_child_that_is_killed_fails_the_run(self):
        process = self.start(*ENDLESS, "--processes", "3")
        os.kill(self.child_of(process), signal.SIGKILL)
        output, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(output, "")
        self.assertIn("process 1 of 3 was ended by signal 9", errors)
        self.assert_none_left()
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
