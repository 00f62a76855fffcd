"""The CI gate as a script sees it: exit codes, verdicts, options, files."""
import os
import unittest

from compare_documents import Folder, case, ceiling, document, noisy, on_device, processes, slower
from compare_formats import github_action_faults, junit_faults, junit_results, markdown_faults
from schema_support import faults
from support import Case, ceilings, gpubench, parse

# A verdict needs no more than one process here: a floor of 0.7 % stands in for the rest.
FASTER, SAME, SLOWER = slower(0.9, 2), slower(1, 2), slower(1.1, 2)


class Gate(Folder, Case):
    def setUp(self):
        super().setUp()
        self.base = self.put("base.json", case(1), case(2))

    def put_new(self, *cases, **changes):
        return self.put("new.json", *cases, **changes)


class Verdicts(Gate):
    def test_documents_of_these_tests_fit_the_schema(self):
        self.validate(document([case(1), case(2, processes(5), [1.0] * 5), case(3, status="failed", timing=None)],
                               ceilings=[ceiling("fp32_fma", "flop/s", 6e13)]))

    def test_a_slow_down_is_1_and_a_speed_up_0(self):
        run = self.compare(self.base, self.put_new(case(1, SAME), case(2, SLOWER)))
        self.assert_code(run, 1)
        self.assertTrue(run.stdout.startswith("FAIL: 1 regression, 1 same\n"), run.stdout)
        self.assertEqual(run.stderr, "")
        self.assertIn("N=2", run.stdout)
        self.assertNotIn("N=1&", run.stdout)
        run = self.compare(self.base, self.put_new(case(1, SAME), case(2, FASTER)), "-v")
        self.assert_code(run, 0)
        self.assertTrue(run.stdout.startswith("PASS: 1 improvement, 1 same\n"), run.stdout)
        self.assertIn("N=1&", run.stdout)

    def test_256_regressions_are_1(self):
        base = self.put("many.json", *[case(number) for number in range(1, 257)])
        run = self.compare(base, self.put_new(*[case(number, SLOWER) for number in range(1, 257)]))
        self.assert_code(run, 1)
        self.assertTrue(run.stdout.startswith("FAIL: 256 regressions\n"), run.stdout[:200])

    def test_five_processes_a_side_are_judged_by_welch_and_fewer_by_bootstrap(self):
        for count, method in ((4, "bootstrap"), (5, "welch")):
            base = self.put("some.json", case(1, processes(count)))
            found = self.compared(base, self.put_new(case(1, processes(count, 1.1, seed=2))), code=1)["cases"][0]
            self.assertEqual((found["method"], found["new"]["processes"]), (method, count))
            self.assertEqual(found["floor"] is None, method == "welch")

    def test_documents_of_one_side_add_their_processes(self):
        sides = {name: [self.put(f"{name}{number}.json", case(1, slower(factor, number))) for number in range(5)]
                 for name, factor in (("base", 1), ("new", 1.1))}
        run = self.compare("--base", *sides["base"], "--new", *sides["new"], "--json", "-")
        self.assert_code(run, 1)
        found = parse(run.stdout)["cases"][0]
        self.assertEqual((found["method"], found["base"]["processes"], found["new"]["samples"]), ("welch", 5, 100))

    def test_noise_between_processes_is_not_a_regression(self):
        base = self.put("noisy.json", case(1, processes(5, 1, 0.1)))
        new = self.put_new(case(1, processes(5, 1.03, 0.1, 2)))
        found = self.compared(base, new)["cases"][0]
        self.assertEqual(found["verdict"], "inconclusive")
        self.assertIn("processes", found["reason"])
        self.assert_code(self.compare(base, new, "--strict"), 1)

    def test_too_few_samples_are_insufficient(self):
        few = self.put_new(case(1, [noisy(1e-3, 0.001, 8, 1)]), case(2))
        self.assertEqual(self.verdicts(self.base, few), ["insufficient", "same"])
        self.assertEqual(self.verdicts(self.base, few, "--strict", code=1), ["insufficient", "same"])
        only_few = self.put("few.json", case(1, [noisy(1e-3, 0.001, 8, 1)]))
        self.assert_code(self.compare(only_few, only_few), 4)

    def test_a_case_that_is_gone_or_failed_fails_unless_allowed(self):
        failed = case(2, status="failed", reason="wrong answer", timing=None, roof=None)
        for new in (self.put("gone.json", case(1)), self.put("failed.json", case(1), failed)):
            self.assertEqual(self.verdicts(self.base, new, code=1), ["same", "missing"])
            self.assertEqual(self.verdicts(self.base, new, "--allow-missing"), ["same", "missing"])
        self.assertIn("wrong answer", self.compare(self.base, new).stdout)

    def test_new_cases_are_listed_and_do_not_fail(self):
        run = self.compare(self.base, self.put_new(case(1), case(2), case(3)))
        self.assert_code(run, 0)
        self.assertIn("1 new", run.stdout)
        self.assertIn("N=3&", run.stdout)

    def test_one_id_with_another_seed_is_4(self):
        run = self.compare(self.base, self.put_new(case(1, seed=7), case(2)))
        self.assert_code(run, 4)
        self.assertTrue(run.stdout.startswith("NOT COMPARABLE: "), run.stdout)
        self.assertIn("seed 7", run.stdout)
        # A regression beside it is still one.
        self.assert_code(self.compare(self.base, self.put_new(case(1, seed=7), case(2, SLOWER))), 1)

    def test_an_empty_side_is_4(self):
        empty = self.put("empty.json")
        for sides in ((empty, self.base), (self.base, empty), (empty, empty)):
            self.assert_one_sentence(self.compare(*sides), 4, "empty.json")

    def test_no_case_in_common_is_4(self):
        self.assert_one_sentence(self.compare(self.base, self.put_new(case(3))), 4, "no case in common")

    def test_another_device_is_4_unless_ignored(self):
        for changes in ({"name": "Other GPU"}, {"multiprocessors": 114}, {"memory_bytes": 1 << 36},
                        {"mig_profile": "1g.10gb"}, {"kind": "host"}):
            new = self.put_new(case(1), case(2), **on_device(**changes))
            self.assert_one_sentence(self.compare(self.base, new), 4, "not the same device", "--ignore-device")
            self.assert_code(self.compare(self.base, new, "--ignore-device"), 0)
        twin = self.put_new(case(1), case(2), **on_device(id="cuda:3", uuid="GPU-2"))
        self.assert_code(self.compare(self.base, twin), 0)

    def test_another_driver_is_a_warning(self):
        run = self.compare(self.base, self.put_new(case(1), case(2), **on_device(driver_version="590.2")))
        self.assert_code(run, 0)
        self.assertIn("warning: driver", run.stdout)

    def test_documents_of_ceilings_compare_their_ceilings(self):
        base = self.put("a.json", ceilings=[ceiling("dram_read", "byte/s", 4.6e12), ceiling("latency_l2", "s", 2e-7)])
        new = self.put_new(ceilings=[ceiling("dram_read", "byte/s", 4.1e12), ceiling("latency_l2", "s", 2e-7)])
        self.assertEqual(self.verdicts(base, new, code=1), ["regression", "same"])
        self.assertEqual(self.verdicts(new, base), ["improvement", "same"])
        self.assert_one_sentence(self.compare(base, self.base), 4, "ceilings")
        self.assert_one_sentence(self.compare(base, new, "--metric", "percent-of-roof"), 4, "roof")

    def test_the_program_s_own_documents(self):
        host = self.folder / "host.json"
        self.assert_code(gpubench("run", "vector_add", "--N", "1000", "--device", "host", "--ceilings", ceilings(),
                                  "--warmup-seconds", "0.01", "--max-seconds", "3", "--json", host), 0)
        for found in self.compared(host, host)["cases"]:
            self.assertEqual(found["ratio"], 1)
            self.assertIn(found["verdict"], ("same", "inconclusive"))  # a loaded machine is noisy


class Options(Gate):
    def test_min_effect_is_what_counts_as_a_difference(self):
        base = self.put("a.json", case(1, processes(5)))
        new = self.put_new(case(1, processes(5, 1.05, seed=2)))
        for percent, verdict, code in (("2", "regression", 1), ("0", "regression", 1), ("20", "same", 0)):
            self.assertEqual(self.verdicts(base, new, "--min-effect", percent, code=code), [verdict])

    def test_confidence_widens_the_interval(self):
        base, new = self.put("a.json", case(1, processes(5))), self.put_new(case(1, processes(5, 1, seed=2)))

        def width(percent):
            low, high = self.compared(base, new, "--confidence", percent)["cases"][0]["ratio_interval"]
            return high - low

        self.assertLess(width("50"), width("95"))
        self.assertLess(width("95"), width("99.9"))

    def test_numbers_out_of_range_are_2(self):
        for option, values in (("--min-effect", ("-1", "1001", "x", "nan", "inf", "2%", "")),
                               ("--confidence", ("49", "100", "-1", "x", "nan", ""))):
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_one_sentence(self.compare(self.base, self.base, option, value), 2, option)

    def test_a_filter_leaves_only_what_it_finds(self):
        new = self.put_new(case(1, SLOWER), case(2))
        self.assertEqual(self.verdicts(self.base, new, "--filter", "N=2&"), ["same"])
        self.assert_one_sentence(self.compare(self.base, new, "--filter", "softmax"), 2, "softmax")
        self.assert_one_sentence(self.compare(self.base, new, "--filter", "("), 2)

    def test_a_filter_that_finds_cases_on_one_side_only_is_4(self):
        one, two = self.put("one.json", case(1)), self.put("two.json", case(1), case(2))
        for sides in ((one, two), (two, one)):
            self.assert_one_sentence(self.compare(*sides, "--filter", "N=2&"), 4, "no case in common")

    def test_metrics(self):
        base = self.put("a.json", case(1, processes(5), [1.0, 1.001, 1.002, 1.003, 1.004]))
        roof = {**case(1)["roof"], "attainable_s": 4e-4, "percent_of_roof_at_clock": 80.0}
        # Twice as fast, under a roof twice as high, for more energy.
        new = self.put_new(case(1, processes(5, 0.5), [1.2, 1.201, 1.202, 1.203, 1.204], roof=roof),
                           **on_device(name="Other GPU"))
        for metric, verdict, unit in (("time", "improvement", "s"), ("percent-of-roof", "same", "%"),
                                      ("percent-of-roof-at-clock", "same", "%"), ("energy", "regression", "J")):
            found = self.compared(base, new, "--ignore-device", "--metric", metric,
                                  code=int(verdict == "regression"))["cases"][0]
            self.assertEqual((found["verdict"], found["unit"]), (verdict, unit), metric)
        self.assert_one_sentence(self.compare(base, new, "--metric", "speed"), 2, "percent-of-roof-at-clock")

    def test_energy_is_one_figure_a_process(self):
        few = self.put_new(case(1, processes(4), [1.0] * 4))
        run = self.compare(few, few, "--metric", "energy")
        self.assert_code(run, 4)
        self.assertIn("energy", run.stdout)

    def test_wrong_use_is_2_and_one_sentence(self):
        base, missing = self.base, self.folder / "missing.json"
        for arguments in ([], [base], [base, base, base], ["--base", base], ["--new", base],
                          [base, base, "--base", base], ["--base", base, "--new", base, "--init-baseline", base],
                          ["--base", base, base, "--new", base, "--init-baseline"],
                          ["--calibrate", base, "--base", base], ["--calibrate", base, "--new", base],
                          ["--calibrate"], ["--calibrate", base, "--strict"], ["--calibrate", base, "--json", "-"],
                          ["--calibrate", base, "--metric", "energy"], ["--calibrate", base, "--noise", base],
                          [base, base, "-o", missing], [base, base, "--colour"], [base, base, "--metric", ""],
                          [base, base, "--noise", ""], [base, base, "--json", ""], ["", base]):
            with self.subTest(arguments=arguments):
                self.assert_one_sentence(self.compare(*arguments), 2)
        self.assertFalse(missing.exists())

    def test_calibrate_takes_no_two_sides(self):
        for arguments in ([self.base, self.base, "--calibrate", self.base],
                          ["--calibrate", self.base, "--base", self.base, "--new", self.base]):
            self.assert_one_sentence(self.compare(*arguments), 2, "--calibrate")

    def test_the_help_names_every_exit_code(self):
        help_text = gpubench("compare", "--help").stdout
        for code in ("0 no regression", "1 at least one", "2 usage", "4 nothing to compare with", "5 a file"):
            self.assertIn(code, help_text)


class Noise(Gate):
    def calibrated(self, spread, *options):
        runs = [self.put(f"run{number}.json", case(1, slower(center, number)))
                for number, center in enumerate(noisy(1, spread, 6, 3))]
        return self.compare("--calibrate", *runs, *options)

    def test_calibrate_writes_floors_that_change_the_verdict(self):
        noise = self.folder / "noise.json"
        run = self.calibrated(0.1, "-o", noise)
        self.assert_code(run, 0)
        self.assertIn("Noise between processes on Test GPU", run.stdout)
        self.assertEqual(faults(parse(noise.read_text()), "noise"), [])
        floor = parse(noise.read_text())["cases"][0]["time"]
        self.assertGreater(floor, 0.1)
        new = self.put_new(case(1, SLOWER), case(2))
        self.assertEqual(self.verdicts(self.base, new, code=1), ["regression", "same"])
        found = self.compared(self.base, new, "--noise", noise)["cases"][0]
        self.assertNotEqual(found["verdict"], "regression")
        self.assertEqual((found["floor"], found["floor_source"]), (floor, "calibrated"))

    def test_a_document_of_several_processes_calibrates(self):
        run = self.compare("--calibrate", self.put("five.json", case(1, processes(5))), "-o", "-")
        self.assert_code(run, 0)
        self.assertEqual([found["processes"] for found in parse(run.stdout)["cases"]], [5])
        self.assert_one_sentence(self.compare("--calibrate", self.base), 4, "two processes")

    def test_no_noise_is_no_floor(self):
        new = self.put_new(case(1, slower(1.005, 2)), case(2))
        floors = [[found["floor"] for found in self.compared(self.base, new, *options)["cases"]]
                  for options in ((), ("--noise", "none"))]
        self.assertEqual(floors, [[0.007, 0.007], [None, None]])

    def test_a_file_that_is_no_noise_is_4_and_one_that_is_not_there_5(self):
        self.assert_one_sentence(self.compare(self.base, self.base, "--noise", self.base), 4, "base.json")
        missing = self.folder / "missing.json"
        self.assert_one_sentence(self.compare(self.base, self.base, "--noise", missing), 5, missing)

    def test_what_cannot_be_calibrated_leaves_the_old_file(self):
        noise = self.folder / "noise.json"
        noise.write_text("before")
        self.assert_one_sentence(self.compare("--calibrate", self.base, "-o", noise), 4)
        self.assertEqual(noise.read_text(), "before")
        self.assert_one_sentence(self.calibrated(0.01, "-o", self.folder / "no" / "noise.json"), 5)
        self.assert_one_sentence(self.compare("--calibrate", self.base, "-o", self.base), 2, "same file")


class InitBaseline(Gate):
    def test_a_baseline_that_is_not_there_is_written_byte_for_byte(self):
        new, first = self.put_new(case(1, SLOWER), case(2)), self.folder / "first.json"
        new.write_text(new.read_text().replace(", ", " ,\t"))
        run = self.compare(first, new, "--init-baseline")
        self.assert_code(run, 0)
        self.assertIn("did not exist", run.stdout)
        self.assertEqual(first.read_bytes(), new.read_bytes())
        # From then on it is a baseline like any other, and stays.
        before = first.read_bytes()
        self.assert_code(self.compare(first, self.put_new(case(1, slower(1.3)), case(2)), "--init-baseline"), 1)
        self.assertEqual(first.read_bytes(), before)

    def test_without_the_option_it_is_5(self):
        self.assert_one_sentence(self.compare(self.folder / "first.json", self.base), 5, "first.json")
        self.assertEqual(os.listdir(self.folder), ["base.json"])

    def test_what_makes_no_baseline_is_not_written(self):
        first = self.folder / "first.json"
        failed = self.put_new(case(1, status="failed", timing=None, roof=None))
        self.assert_one_sentence(self.compare(first, failed, "--init-baseline"), 4, "new.json")
        self.assert_one_sentence(self.compare(first, self.put("empty.json"), "--init-baseline"), 4)
        self.assert_one_sentence(self.compare(first, self.folder / "missing.json", "--init-baseline"), 5)
        few = self.put("few.json", case(1, [[1e-3] * 5]))
        self.assert_one_sentence(self.compare(first, few, "--init-baseline"), 4, "9 samples")
        cut = self.put("cut.json", case(1), status="interrupted")
        self.assert_one_sentence(self.compare(first, cut, "--init-baseline"), 4, "interrupted")
        self.assert_one_sentence(self.compare(first, self.base, "--init-baseline", "--filter", "nosuch"), 2, "nosuch")
        self.assert_one_sentence(self.compare(self.folder / "no" / "x.json", self.base, "--init-baseline"), 5)
        self.assertFalse(first.exists())

    def test_a_path_that_cannot_be_looked_up_is_5(self):
        loop = self.folder / "loop"
        loop.symlink_to(loop)
        for path in (loop, self.folder / ("x" * 300), self.base / "inside"):
            with self.subTest(path=path.name[:10]):
                self.assert_one_sentence(self.compare(path, self.base, "--init-baseline"), 5)

    def test_standard_output_that_belongs_to_a_file_gets_nothing_else(self):
        run = self.compare(self.folder / "first.json", self.base, "--init-baseline", "--json", "-")
        self.assert_code(run, 0)
        self.assertNotIn("PASS", run.stdout)


class Outputs(Gate):
    FORMATS = ("json", "markdown", "junit", "github-action-benchmark")

    def setUp(self):
        super().setUp()
        escape = "\x1b[31m"
        self.new = self.put_new(case(1, SLOWER), case(3), case(4, id=f"a|b`<c>&{escape}/v?N=4", notes=[escape]))
        self.faults = {"junit": junit_faults, "markdown": markdown_faults,
                       "github-action-benchmark": github_action_faults}

    def targets(self, folder):
        return {name: folder / f"out.{name}" for name in self.FORMATS}

    def options(self, targets):
        return [word for name, path in targets.items() for word in (f"--{name}", path)]

    def test_all_files_at_once(self):
        targets = self.targets(self.folder)
        run = self.compare(self.base, self.new, *self.options(targets))
        self.assert_code(run, 1)
        self.assertTrue(run.stdout.startswith("FAIL: "), run.stdout)
        self.assertNotIn("\x1b", run.stdout)
        texts = {name: path.read_text(encoding="utf-8") for name, path in targets.items()}
        for name, faults in self.faults.items():
            self.assertEqual(faults(texts[name]), [], name)
            self.assertNotIn("\x1b", texts[name], name)
        self.assertNotIn("\x1b", texts["json"])
        self.assertEqual(self.compared(self.base, self.new, code=1), parse(texts["json"]))
        results = junit_results(texts["junit"])
        self.assertEqual(sorted(results.values(), key=str),
                         [("failure", "missing"), ("failure", "regression"), ("skipped", "new"), ("skipped", "new")])

    def test_any_of_them_on_standard_output_is_all_there_is(self):
        for name, faults in self.faults.items():
            run = self.compare(self.base, self.new, f"--{name}", "-")
            self.assert_code(run, 1)
            self.assertEqual(faults(run.stdout), [], name)

    def test_two_on_standard_output_are_2(self):
        self.assert_one_sentence(self.compare(self.base, self.new, "--json", "-", "--junit", "-"), 2, "--json",
                                 "--junit")

    def test_an_output_never_replaces_an_input_or_another_output(self):
        before = self.base.read_bytes()
        (self.folder / "link.json").symlink_to(self.base)
        for name in self.FORMATS:
            for target in (self.base, self.folder / "link.json", self.folder / "." / "new.json"):
                self.assert_one_sentence(self.compare(self.base, self.new, f"--{name}", target), 2, "same file")
        out = self.folder / "out"
        self.assert_one_sentence(self.compare(self.base, self.new, "--json", out, "--junit", out), 2, "same file")
        noise = self.put("noise.json")
        self.assert_one_sentence(self.compare(self.base, self.new, "--noise", noise, "--json", noise), 2)
        self.assertEqual(self.base.read_bytes(), before)

    def test_a_target_that_cannot_be_written_is_5_and_leaves_nothing(self):
        (self.folder / "out.json").write_text("before")
        for name in self.FORMATS:
            for target in (self.folder / "no" / "out", self.folder, "/dev/full"):
                with self.subTest(name=name, target=str(target)):
                    others = [word for other in self.FORMATS if other != name
                              for word in (f"--{other}", self.folder / f"out.{other}")]
                    run = self.compare(self.base, self.new, *others, f"--{name}", target)
                    self.assert_one_sentence(run, 5, target)
        self.assertEqual(sorted(os.listdir(self.folder)), ["base.json", "new.json", "out.json"])
        self.assertEqual((self.folder / "out.json").read_text(), "before")

    def test_documents_that_do_not_fit_leave_the_files_as_they_were(self):
        broken = self.folder / "broken.json"
        broken.write_text("{")
        targets = self.targets(self.folder)
        targets["json"].write_text("before")
        self.assert_one_sentence(self.compare(self.base, broken, *self.options(targets)), 4, "broken.json")
        self.assertEqual(targets["json"].read_text(), "before")
        self.assertEqual(sorted(os.listdir(self.folder)), ["base.json", "broken.json", "new.json", "out.json"])

    def test_a_full_standard_output_is_5(self):
        with open("/dev/full", "w") as full:
            for options in ((), ("--json", "-")):
                run = self.compare(self.base, self.new, *options, stdout=full)
                self.assertEqual(run.returncode, 5, run.stderr)


if __name__ == "__main__":
    unittest.main()
