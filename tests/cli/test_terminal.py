import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import threading
import unittest

from support import FAST, Case, ceilings, environment, gpubench, notes, parse

SMALL = ["vector_add", "--N", "1000,2000"]
ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Screen:
    """A terminal of a size; what was written to it."""

    def __init__(self, columns):
        try:
            self.master, self.slave = pty.openpty()
        except OSError as error:  # a bare container without /dev/pts
            raise unittest.SkipTest(f"this machine lends no terminal: {error}")
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.chunks = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while chunk := os.read(self.master, 65536):
                self.chunks.append(chunk)
        except OSError:  # how Linux says that the other side is closed
            pass

    def text(self):
        """Everything, after the program has ended."""
        os.close(self.slave)
        self.reader.join(10)
        os.close(self.master)
        return b"".join(self.chunks).decode()


class Terminal(Case):
    def setUp(self):
        super().setUp()
        ceilings()

    def on_screen(self, *arguments, columns=80, **changes):
        """What a run shows on a terminal: standard output and standard error, each on its own."""
        out, err = Screen(columns), Screen(columns)
        run = self.run_fast(*arguments, stdout=out.slave, stderr=err.slave,
                            env=environment(**{"TERM": "xterm-256color", **changes}))
        out, err = out.text(), err.text()
        self.assertEqual(run.returncode, 0, err)
        return out, err

    def test_without_a_terminal_there_is_no_progress_and_no_colour(self):
        run = self.run_fast(*SMALL, env=environment(TERM="xterm-256color"))
        self.assert_code(run, 0)
        self.assertEqual(notes(run), [])
        self.assertNotIn(ESCAPE, run.stdout + run.stderr)

    def test_verbose_is_a_line_a_case(self):
        run = self.run_fast(*SMALL, "-v")
        self.assert_code(run, 0)
        lines = notes(run)
        self.assertEqual(len([line for line in lines if "vector_add/" in line]), len(lines), run.stderr)
        self.assertEqual(len([line for line in lines if "single_thread" in line]), 2)
        self.assertNotIn(ESCAPE, run.stderr)

    def test_quiet_is_silent(self):
        run = gpubench("run", *SMALL, *[a for a in FAST if a not in ("--device", "host")], "--ceilings", ceilings(),
                       "-q", env=environment(CUDA_VISIBLE_DEVICES=""))
        self.assert_code(run, 0)
        self.assertEqual(run.stderr, "")

    def test_progress_on_a_terminal_says_what_runs_and_how_much_is_left(self):
        _, err = self.on_screen(*SMALL)
        self.assertIn("vector_add/single_thread", err)
        self.assertRegex(err, r"\b1/\d+\b")
        self.assertIn("left", err)

    def test_progress_never_wraps(self):
        _, err = self.on_screen("softmax", "--rows", "1,2", "--columns", "1000000", columns=60)
        for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", err)):
            if line.startswith("["):  # notes may wrap: they are never taken back
                self.assertLess(len(line), 60, line)

    def test_a_table_fits_80_columns(self):
        out, _ = self.on_screen(*SMALL, "--verify", "off")  # which gives each row a note
        rows = [line.rstrip("\r") for line in COLOUR.sub("", out).split("\n")]
        self.assertTrue(any("single_thread" in row for row in rows))
        for row in rows:
            if re.match(r"\s*(variant|single_thread|parallel)", row):
                self.assertLessEqual(len(row), 80, row)

    def test_no_colour_where_it_is_not_wanted(self):
        for changes in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(changes):
                out, err = self.on_screen(*SMALL, **changes)
                self.assertNotRegex(out, COLOUR)
                self.assertNotRegex(err, COLOUR)

    def test_a_reader_that_leaves_early_costs_nothing_but_the_table(self):
        target = self.folder / "out.json"
        for arguments in (["list"], ["run", *SMALL, *FAST, "--ceilings", ceilings(), "--json", target]):
            with self.subTest(arguments):
                reading, writing = os.pipe()
                os.close(reading)
                run = gpubench(*arguments, stdout=writing)
                os.close(writing)
                # As any program in a pipe: an error, or the signal of a broken pipe; no crash.
                self.assertIn(run.returncode, (0, 5, -13), run.stderr)
        self.assertEqual(self.read(target)["status"], "complete")

    def test_a_full_standard_output_is_an_error(self):
        with open("/dev/full", "w") as full:
            for arguments in (["list"], ["--help"], ["run", *SMALL, *FAST, "--ceilings", ceilings(), "--json", "-"]):
                with self.subTest(arguments):
                    self.assertEqual(gpubench(*arguments, stdout=full).returncode, 5)

    def test_a_locale_reaches_no_output(self):
        folder = self.folder / "locales"
        folder.mkdir()
        if not shutil.which("localedef") or subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True).returncode > 1 \
                or not (folder / "de_DE.UTF-8").exists():
            self.skipTest("the locale de_DE cannot be made here")
        german = environment(LOCPATH=str(folder), LC_ALL="de_DE.UTF-8")
        run = self.run_fast(*SMALL, "--csv", "-", env=german)
        self.assert_code(run, 0)
        header, *rows = run.stdout.splitlines()
        column = header.split(",").index("median_s")
        for row in rows:
            self.assertGreater(float(row.split(",")[column]), 0)
        self.validate(parse(self.run_fast(*SMALL, "--json", "-", env=german).stdout))
        table = self.run_fast("vector_add", "--N", "3000000", env=german).stdout
        self.assertNotRegex(table, r"\d,\d|\d\.\d{3}\.\d")


if __name__ == "__main__":
    unittest.main()
