"""What `gpubench compare` says of files that nobody vouches for: a sentence and an exit code, whatever they are."""
import json
import os
import unittest

from compare_documents import Folder, case, document, processes, slower, text
from compare_formats import comparison_faults, github_action_faults, junit_faults, markdown_faults
from support import Case, parse

NOISE = {"schema": "gpubench.noise/1", "device": "Test GPU", "created_at": "2026-11-29T18:00:00Z", "files": [],
         "cases": [{"id": case(1)["id"], "processes": 5, "time": 0.01, "percent_of_roof": None,
                    "percent_of_roof_at_clock": None, "energy": None}]}
SECONDS = 20  # far more than any of these takes; one that waits is found


class Hostile(Folder, Case):
    def setUp(self):
        super().setUp()
        self.good = self.put("good.json", case(1))
        self.bad = self.folder / "bad.json"

    def refused(self, path, code, *words, **options):
        """As either side, as one of several documents, to be calibrated, and as --noise."""
        outputs = ["--json", self.folder / "out.json", "--junit", self.folder / "out.xml"]
        for arguments in ([path, self.good, *outputs], [self.good, path, *outputs], [path, path, *outputs],
                          ["--base", self.good, path, "--new", self.good, *outputs],
                          [self.good, self.good, "--noise", path, *outputs],
                          ["--calibrate", self.good, path, "-o", self.folder / "noise.json"]):
            run = self.compare(*arguments, timeout=SECONDS, **options)
            self.assert_one_sentence(run, code, path.name, *words)
            self.assertNotIn("internal error", run.stderr)
        for name in ("out.json", "out.xml", "noise.json"):
            self.assertFalse((self.folder / name).exists(), name)

    def refused_text(self, content, *words, code=4):
        self.bad.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.refused(self.bad, code, *words)

    def refused_document(self, content, *words):
        """As a side; what is wrong with it concerns only a results document."""
        self.bad.write_text(content, encoding="utf-8")
        for sides in ((self.bad, self.good), (self.good, self.bad)):
            self.assert_one_sentence(self.compare(*sides, timeout=SECONDS), 4, "bad.json", *words)

    def refused_noise(self, content, *words):
        self.bad.write_text(content, encoding="utf-8")
        run = self.compare(self.good, self.good, "--noise", self.bad, timeout=SECONDS)
        self.assert_one_sentence(run, 4, "bad.json", *words)


class Content(Hostile):
    def test_documents_that_these_are_made_from_are_taken(self):
        self.bad.write_text(json.dumps(NOISE))
        found = self.compared(self.good, self.good, "--noise", self.bad)["cases"][0]
        self.assertEqual((found["verdict"], found["floor"]), ("same", 0.01))

    def test_truncated_anywhere(self):
        whole = text(document([case(1)])).rstrip()
        for length in {1, len(whole) - 1, len(whole) - 2, *range(7, len(whole), len(whole) // 9)}:
            with self.subTest(length=length):
                self.refused_text(whole[:length], "JSON")
        whole = json.dumps(NOISE)
        for length in range(1, len(whole), len(whole) // 9):
            self.refused_noise(whole[:length], "JSON")

    def test_what_is_not_json(self):
        for name, content in {"a text": "hello\n", "null bytes": b"\0" * 1000, "a newline": "\n",
                              "two documents": "{} {}", "a trailing comma": '{"schema": "gpubench.results/1",}',
                              "a comment": "{} // no", "not UTF-8": b'{"schema": "\xff\xfe"}',
                              "a lone surrogate": b'{"schema": "\xed\xa0\x80"}', "UTF-16": '{"a": 1}'.encode("utf-16"),
                              "nested": "[" * 1000 + "]" * 1000, "nested objects": '{"a":' * 1000 + "1" + "}" * 1000,
                              "only opened": "[" * 100000}.items():
            with self.subTest(name):
                self.refused_text(content)

    def test_an_empty_file(self):
        self.refused_text("", "empty")

    def test_other_values_at_the_top(self):
        for content in ("[]", "[{}]", "null", "true", "3", '"gpubench.results/1"', "{}"):
            with self.subTest(content):
                self.refused_text(content)

    def test_another_schema(self):
        self.refused_document(text(document([case(1)], schema="gpubench.results/2")), "gpubench.results/2",
                              "reads gpubench.results/1")
        self.refused_document(text(document([case(1)], schema="somebody.else/1")), "somebody.else/1")
        self.refused_noise(json.dumps({**NOISE, "schema": "gpubench.noise/2"}), "gpubench.noise/2")

    def test_numbers_that_json_does_not_have(self):
        whole = text(document([case(1)]))
        noise = json.dumps(NOISE)
        for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x10", "01", "1.", "+1", "1e"):
            with self.subTest(number):
                self.refused_document(whole.replace('"warmup_s": 0.4', f'"warmup_s": {number}'), "JSON")
                self.refused_noise(noise.replace('"time": 0.01', f'"time": {number}'), "JSON")

    def test_samples_that_are_no_times(self):
        for sample in (-1e-3, 0, -0.0, 0.0, "1e-3", None, True, [1e-3], {}):
            with self.subTest(sample=sample):
                made = case(1)
                made["timing"]["samples_s"][7] = sample
                self.refused_document(text(document([made])), "cases[0].timing.samples_s[7]")
                made = case(1, processes(5))
                made["timing"]["samples_by_process_s"][3][2] = sample
                self.refused_document(text(document([made])), "cases[0].timing.samples_by_process_s[3][2]")

    def test_values_of_another_type(self):
        def at(keys, value):
            made = document([case(1)])
            place = made
            for key in keys[:-1]:
                place = place[key]
            place[keys[-1]] = value
            return text(made)

        for keys, value in ((["cases"], {}), (["cases", 0], []), (["cases", 0, "timing"], 3),
                            (["cases", 0, "timing", "median_s"], "0.001"), (["cases", 0, "seed"], -1),
                            (["cases", 0, "seed"], 1.5), (["cases", 0, "status"], "okay"),
                            (["cases", 0, "dtype"], "f31"), (["cases", 0, "id"], None),
                            (["cases", 0, "timing", "samples_s"], 1e-3),
                            (["cases", 0, "timing", "samples_by_process_s"], [1e-3]),
                            (["cases", 0, "telemetry_by_process"], {}), (["cases", 0, "work", "flops"], "many"),
                            (["device", "memory_bytes"], "80 GB"), (["device"], None), (["status"], 1)):
            with self.subTest(keys=keys, value=value):
                self.refused_document(at(keys, value), "at ")
        for keys, value in ((["cases"], {}), (["cases", 0], 1), (["cases", 0, "time"], "0.01"),
                            (["cases", 0, "time"], -0.01), (["cases", 0, "processes"], 1), (["cases", 0, "id"], 1),
                            (["cases", 0, "processes"], "5"), (["device"], None)):
            made = json.loads(json.dumps(NOISE))
            place = made
            for key in keys[:-1]:
                place = place[key]
            place[keys[-1]] = value
            with self.subTest(noise=keys, value=value):
                self.refused_noise(json.dumps(made), "at ")

    def test_what_is_missing(self):
        for key in ("id", "timing", "work", "roof", "seed", "notes"):
            made = case(1)
            del made[key]
            self.refused_document(text(document([made])), f"'{key}' is missing")
        for key in ("cases", "device", "tool"):
            made = document([case(1)])
            del made[key]
            self.refused_document(text(made), f"'{key}' is missing")

    def test_keys_and_ids_given_twice(self):
        self.refused_text('{"schema": "gpubench.results/1", "schema": "gpubench.results/1"}', "'schema'")
        whole = text(document([case(1)]))
        self.refused_document(whole.replace('"seed": 1', '"seed": 1, "seed": 2'), "'seed'", "twice")
        self.refused_document(text(document([case(1), case(1)])), "a second case")
        self.refused_noise(json.dumps(NOISE).replace('"processes": 5', '"processes": 5, "processes": 6'), "twice")

    def test_control_characters_do_not_reach_the_terminal(self):
        self.bad.write_text(text(document([case(1)], schema="\x1b[31mred\x07")))
        run = self.compare(self.bad, self.good)
        self.assert_one_sentence(run, 4)
        self.assertNotRegex(run.stderr, r"[\x00-\x08\x0b-\x1f]")


class Figures(Hostile):
    """Samples that a document may hold and that arithmetic is not made for."""

    def test_extreme_samples_never_crash_it_nor_its_files(self):
        extremes = {str(value): self.put(f"{value}.json", case(1, [[value] * 20]), case(2, [[value] * 4] * 5))
                    for value in (1e-320, 5e-324, 1e-300, 1e-3, 1e300, 1e308, 1.7976931348623157e308)}
        for base, base_path in extremes.items():
            for new, new_path in extremes.items():
                for metric in ("time", "percent-of-roof"):
                    with self.subTest(base=base, new=new, metric=metric):
                        run = self.compare(base_path, new_path, "--metric", metric, "--json", "-", timeout=SECONDS)
                        self.assertIn(run.returncode, (0, 1, 4), run.stderr)
                        self.assertEqual(comparison_faults(run.stdout), [])
                        for found in parse(run.stdout)["cases"]:
                            # A verdict on the ratio has a ratio and an interval to show for it.
                            told = found["verdict"] in ("regression", "improvement", "inconclusive", "same")
                            self.assertEqual(told, found["ratio_interval"] is not None, found)

    def test_denormal_samples_are_not_comparable(self):
        self.bad.write_text(text(document([case(1, [[1e-320] * 20])])))
        for sides in ((self.bad, self.good), (self.good, self.bad)):
            self.assertEqual(self.verdicts(*sides, code=4), ["not_comparable"])

    def test_large_samples_that_agree_are_the_same(self):
        self.bad.write_text(text(document([case(1, [[1e100] * 20])])))
        self.assertEqual(self.verdicts(self.bad, self.bad), ["same"])
        self.assertEqual(self.verdicts(self.good, self.bad, code=1), ["regression"])

    def test_extreme_samples_in_the_other_files(self):
        self.bad.write_text(text(document([case(1, [[1e-300] * 20]), case(2)])))
        new = self.put("new.json", case(1, [[1e300] * 20]), case(2))
        for option, faults in (("--junit", junit_faults), ("--markdown", markdown_faults),
                               ("--github-action-benchmark", github_action_faults)):
            run = self.compare(self.bad, new, option, "-")
            self.assertIn(run.returncode, (1, 4), run.stderr)
            self.assertEqual(faults(run.stdout), [], option)

    def test_extreme_roofs_never_crash_it(self):
        for share in (0, 1e-320, 1e-308, 1e300, 1e308):
            roof = {**case(1)["roof"], "attainable_s": share, "percent_of_roof_at_clock": share}
            path = self.put("roof.json", case(1, processes(6), roof=roof), case(2))
            for metric in ("percent-of-roof", "percent-of-roof-at-clock"):
                with self.subTest(share=share, metric=metric):
                    run = self.compare(path, path, "--metric", metric, "--json", "-", timeout=SECONDS)
                    self.assertIn(run.returncode, (0, 4), run.stderr)
                    self.assertEqual(comparison_faults(run.stdout), [])

    def test_a_filter_on_very_long_ids_never_crashes_it(self):
        path = self.put("long.json", case(1, id="a" * 100_000), case(2))
        run = self.compare(path, path, "--filter", "(a|b)*c|a.*|N=2", timeout=SECONDS)
        self.assertIn(run.returncode, (0, 2, 4), run.stderr)

    def test_extreme_samples_calibrate_or_are_refused(self):
        self.put("low.json", case(1, [[1e-300] * 20]))
        self.put("high.json", case(1, [[1e300] * 20]))
        run = self.compare("--calibrate", self.folder / "low.json", self.folder / "high.json", "-o", "-")
        self.assertIn(run.returncode, (0, 4), run.stderr)
        if run.returncode == 0:
            self.bad.write_text(run.stdout)
            parse(run.stdout)
            self.assert_code(self.compare(self.good, self.good, "--noise", self.bad), 0)

    def test_processes_that_are_empty_or_many(self):
        empty = self.put("empty.json", case(1, [[], *slower(), []]))
        self.assertEqual(self.compared(self.good, empty)["cases"][0]["new"]["processes"], 1)
        self.put("none.json", case(1, [[]]))
        self.assertEqual(self.verdicts(self.good, self.folder / "none.json", code=1), ["missing"])
        many = self.put("many.json", case(1, [[1e-3]] * 5000))
        self.assertEqual(self.compared(many, many)["cases"][0]["new"]["processes"], 5000)


class Files(Hostile):
    def test_folders_fifos_and_files_that_are_not_there(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        folder = self.folder / "folder"
        folder.mkdir()
        (self.folder / "dangling").symlink_to("nowhere")
        (self.folder / "loop").symlink_to("loop")
        for name in ("fifo", "folder", "missing", "dangling", "loop", "good.json/inside"):
            with self.subTest(name):
                self.refused(self.folder / name, 5)

    def test_a_file_without_permission(self):
        somebody = self.somebody()
        self.bad.write_text(text(document([case(1)])))
        self.bad.chmod(0)
        for sides in ((self.bad, self.good), (self.good, self.bad)):
            self.assert_one_sentence(self.compare(*sides, **somebody), 5, "bad.json")
        self.assert_one_sentence(self.compare(self.good, self.good, "--noise", self.bad, **somebody), 5, "bad.json")

    def test_200_megabytes_of_nothing(self):
        with self.bad.open("wb") as file:
            file.truncate(200_000_000)
        self.refused(self.bad, 4)

    def test_200_megabytes_of_brackets(self):
        with self.bad.open("wb") as file:
            for _ in range(200):
                file.write(b"[" * 1_000_000)
        self.refused(self.bad, 4)

    def test_200_megabytes_in_one_text(self):
        head, tail = text(document([case(1, reason="@")])).split("@")
        with self.bad.open("w", encoding="utf-8") as file:
            file.write(head)
            for _ in range(200):
                file.write("a" * 1_000_000)
            file.write(tail)
        run = self.compare(self.good, self.bad, timeout=SECONDS)
        self.assert_code(run, 0)
        self.assertLess(len(run.stdout), 10_000)

    def test_a_file_beyond_the_limit(self):
        with self.bad.open("wb") as file:
            file.truncate(600_000_000)
        self.refused(self.bad, 4, "larger than")


if __name__ == "__main__":
    unittest.main()
