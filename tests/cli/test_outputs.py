import csv
import io
import os
import pathlib
import resource
import stat
import subprocess
import threading
import time
import unittest

from support import FAST, GPUBENCH, Case, ceilings, environment, gpubench, parse

SMALL = ["vector_add", "--N", "1000", "--variant", "single_thread"]


class Outputs(Case):
    def setUp(self):
        super().setUp()
        ceilings()

    def refused(self, path, option="--json", **options):
        """Exit 5 with the path, before anything is measured."""
        with self.subTest(path=str(path), option=option):
            begin = time.monotonic()
            run = gpubench("run", *SMALL, "--device", "host", "--warmup-seconds", "3", option, path,
                           **options)
            self.assert_one_sentence(run, 5, path)
            self.assertLess(time.monotonic() - begin, 2.5, "it measured before it looked at its output")

    def test_standard_output_holds_only_the_document(self):
        run = self.run_fast(*SMALL, "--json", "-")
        self.assert_code(run, 0)
        document = parse(run.stdout)
        self.validate(document)
        self.assertEqual([case["status"] for case in document["cases"]], ["ok"])
        self.assertTrue(run.stdout.endswith("}\n"))

    def test_other_names_of_standard_output_are_standard_output(self):
        """A second opening of it would write the table over the document."""
        link = self.folder / "link"
        link.symlink_to("/dev/stdout")
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/thread-self/fd/1", link, self.folder / "out.json"):
            with self.subTest(name), open(self.folder / "out.json", "w+", encoding="utf-8") as file:
                child = subprocess.run([GPUBENCH, "run", *SMALL, *FAST, "--ceilings", ceilings(), "--json", name], stdout=file, env=environment(),
                                       check=True, stderr=subprocess.DEVNULL)
                file.seek(0)
                self.validate(parse(file.read()))
        self.assertFalse(link.is_file() and not link.is_symlink())
        self.assert_one_sentence(self.run_fast(*SMALL, "--json", "/dev/stdout", "--csv", "-"), 2, "standard output")
        self.assert_code(self.run_fast(*SMALL, "--json", "/dev/null", "--csv", "/dev/null"), 0)

    def test_a_file_and_the_table(self):
        run = self.run_fast(*SMALL, "--json", self.folder / "out.json")
        self.assert_code(run, 0)
        self.assertIn("single_thread", run.stdout)
        self.assertEqual(len(self.read(self.folder / "out.json")["cases"]), 1)
        self.assertEqual(os.listdir(self.folder), ["out.json"])

    def test_targets_that_cannot_be_written(self):
        for option in ("--json", "--csv"):
            self.refused(self.folder / "missing" / "out", option)
            self.refused(self.folder, option)
            self.refused("/dev/full", option)
            self.refused("/proc/gpubench-test", option)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_folder_or_file_without_write_permission(self):
        somebody = self.somebody()
        file = self.folder / "file.json"
        file.write_text("before")
        file.chmod(0o444)
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        self.refused(file, **somebody)
        self.refused(closed / "out.json", **somebody)
        self.assertEqual(file.read_text(), "before")
        self.assertEqual(os.listdir(closed), [])

    def test_where_no_file_can_be_made_though_the_folder_is_there(self):
        run = gpubench("run", *SMALL, "--device", "host", "--json", "x.json", cwd="/proc")
        self.assert_one_sentence(run, 5, "x.json", "no file can be made", "'.'")

    def test_a_limit_on_the_size_of_files_is_an_error_of_the_write(self):
        ceilings()  # that file is not limited
        run = self.run_fast(*SMALL, "--json", self.folder / "out.json",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
        self.assert_code(run, 5)
        self.assertIn("File too large", run.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_is_replaced_and_keeps_its_mode(self):
        target = self.folder / "out.json"
        target.write_text("x" * 1_000_000)
        target.chmod(0o640)
        self.assert_code(self.run_fast(*SMALL, "--json", target), 0)
        self.read(target)
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["out.json"])

    def test_symbolic_links_are_followed(self):
        (self.folder / "real").mkdir()
        target = self.folder / "real" / "target.json"
        for before in (None, "before"):
            with self.subTest(before=before):
                if before:
                    target.write_text(before)
                link = self.folder / "link.json"
                link.unlink(missing_ok=True)
                link.symlink_to(pathlib.Path("real") / "target.json")
                self.assert_code(self.run_fast(*SMALL, "--json", link), 0)
                self.assertTrue(link.is_symlink())
                self.read(target)
                self.assertEqual(os.listdir(self.folder / "real"), ["target.json"])

    def test_a_fifo_is_written_and_stays_a_fifo(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        received = []
        reader = threading.Thread(target=lambda: received.append(fifo.read_text()), daemon=True)
        reader.start()
        self.assert_code(self.run_fast(*SMALL, "--json", fifo), 0)
        reader.join(10)
        self.validate(parse(received[0]))
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))

    def test_a_device_stays_a_device(self):
        self.assert_code(self.run_fast(*SMALL, "--json", "/dev/null"), 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_csv_has_a_row_a_case(self):
        target = self.folder / "out.csv"
        arguments = ["vector_add", "--N", "100,200", "--variant", "single_thread"]
        run = self.run_fast(*arguments, "--csv", target, "--json", self.folder / "out.json")
        self.assert_code(run, 0)
        with target.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        cases = self.read(self.folder / "out.json")["cases"]
        self.assertEqual([row["id"] for row in rows], [case["id"] for case in cases])
        for row, case in zip(rows, cases):
            self.assertEqual(float(row["median_s"]), case["timing"]["median_s"])
            self.assertEqual(row["status"], "ok")

    def test_csv_on_standard_output_is_all_there_is(self):
        run = self.run_fast(*SMALL, "--csv", "-")
        self.assert_code(run, 0)
        rows = list(csv.reader(io.StringIO(run.stdout)))
        self.assertEqual(len(rows), 2)
        self.assertEqual(len(rows[0]), len(rows[1]))

    def test_an_unwritable_csv_leaves_no_json(self):
        target = self.folder / "out.json"
        run = gpubench("run", *SMALL, "--device", "host", "--json", target, "--csv", self.folder / "no" / "x")
        self.assert_one_sentence(run, 5)
        self.assertEqual(os.listdir(self.folder), [])

    def test_ceilings_of_which_the_device_has_none_are_written_and_no_success(self):
        run = gpubench("roofline", "--device", "host", "--ceiling", "^f16_tensor$", "--json", self.folder / "out.json")
        self.assert_code(run, 3)
        self.assertIn("nothing could be measured: f16_tensor", run.stderr)
        self.assertEqual([one["status"] for one in self.read(self.folder / "out.json")["ceilings"]], ["skipped"])

    def test_roofline_and_verify_write_documents_too(self):
        document = self.read(ceilings())
        self.assertTrue(document["ceilings"])
        self.assertEqual(document["cases"], [])
        run = gpubench("verify", "softmax", "--device", "host", "--json", "-")
        self.assert_code(run, 0)
        document = parse(run.stdout)
        self.validate(document)
        self.assertTrue(document["cases"])


if __name__ == "__main__":
    unittest.main()
