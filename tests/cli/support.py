"""What the command-line tests share: running the program, reading its documents, ceilings measured once."""

import fcntl
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCE = pathlib.Path(os.environ.get("GPUBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("GPUBENCH_BUILD", SOURCE / "build"))
GPUBENCH = os.environ.get("GPUBENCH", str(BUILD / "gpubench"))

# A case of some milliseconds: the tests are after behaviour, not figures.
FAST = ["--device", "host", "--samples", "5", "--warmup-seconds", "0.01", "--max-seconds", "0.05"]


def environment(**changes):
    """The tests' environment without what would change the program's output; None removes a variable."""
    result = {key: value for key, value in os.environ.items()
              if not key.startswith("LC_") and key not in ("NO_COLOR", "LANG", "TERM", "COLUMNS")}
    for key, value in changes.items():
        result.pop(key, None)
        if value is not None:
            result[key] = value
    return result


def gpubench(*arguments, timeout=120, env=None, **options):
    """Runs the program to its end; standard output and error as text."""
    return subprocess.run([GPUBENCH, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=options.pop("stdout", subprocess.PIPE),
                          stderr=options.pop("stderr", subprocess.PIPE),
                          encoding="utf-8", timeout=timeout, env=env or environment(), **options)


def notes(run):
    """Lines of standard error but those that blame the ceilings, which were measured while other tests ran."""
    return [line for line in run.stderr.splitlines() if "above its roof" not in line]


def parse(text):
    """A JSON text; NaN and Infinity, which JSON does not have, are refused."""
    def refuse(constant):
        raise ValueError(f"{constant} in a document")
    return json.loads(text, parse_constant=refuse)


def ceilings():
    """A document with the host's ceilings, measured once for all test programs of a build."""
    path = BUILD / "cli-test-ceilings.json"
    with open(BUILD / "cli-test-ceilings.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists() or path.stat().st_mtime < os.stat(GPUBENCH).st_mtime:
            run = gpubench("roofline", "--device", "host", "--json", path)
            if run.returncode != 0:
                raise AssertionError(f"gpubench roofline failed ({run.returncode}): {run.stderr}")
    return path


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def somebody(self):
        """Options of a run as a user whom permissions bind: nobody, where the tests run as root."""
        if os.geteuid() != 0:
            return {}
        options = {"user": 65534, "group": 65534, "extra_groups": []}
        self.folder.chmod(0o755)
        try:
            gpubench("--version", **options)
        except OSError as error:
            self.skipTest(f"nobody may not run {error.filename}")
        return options

    def run_fast(self, *arguments, **options):
        """`gpubench run ARGUMENTS` on the host, short, with the ceilings measured before."""
        return gpubench("run", *arguments, *FAST, "--ceilings", ceilings(), **options)

    def assert_code(self, run, code):
        self.assertEqual(run.returncode, code, f"{run.args}\nstdout: {run.stdout}\nstderr: {run.stderr}")

    def assert_one_sentence(self, run, code, *words):
        """One line on standard error that holds the words, nothing on standard output."""
        self.assert_code(run, code)
        self.assertEqual(run.stdout, "", run.args)
        self.assertRegex(run.stderr, r"\A[^\n]+\n\Z", run.args)
        self.assertTrue(run.stderr.startswith("gpubench: "), run.stderr)
        for word in words:
            self.assertIn(str(word), run.stderr, run.args)

    def validate(self, document):
        """Checks a parsed document against the schema, and what the schema cannot say."""
        if jsonschema is None:
            self.skipTest("this Python has no jsonschema")
        schema = json.loads((SOURCE / "docs" / "result.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(document)
        ids = [case["id"] for case in document["cases"]]
        self.assertEqual(len(ids), len(set(ids)), "ids are not unique")
        names = [ceiling["name"] for ceiling in document["ceilings"]]
        self.assertEqual(len(names), len(set(names)), "names of ceilings are not unique")

    def read(self, path):
        """The valid document in a file."""
        document = parse(pathlib.Path(path).read_text(encoding="utf-8"))
        self.validate(document)
        return document
