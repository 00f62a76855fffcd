import json
import os
import re
import subprocess
import time
import unittest

from support import FAST, GPUBENCH, SOURCE, Case, ceilings, environment, gpubench, notes, parse

NO_GPU = environment(CUDA_VISIBLE_DEVICES="")
TOO_LARGE = 1 << 38


class Run(Case):
    def document(self, *arguments, code=0):
        """The valid document of a short run on the host."""
        run = self.run_fast(*arguments, "--json", "-")
        self.assert_code(run, code)
        document = parse(run.stdout)
        self.validate(document)
        return document

    def test_every_variant_of_a_family_is_proven_timed_and_placed(self):
        document = self.document("vector_add", "--N", "10007", "--seed", "7")
        self.assertEqual(document["status"], "complete")
        self.assertEqual(document["device"]["kind"], "host")
        self.assertEqual(document["ceilings_source"], str(ceilings()))
        self.assertEqual(document["command"][1:4], ["run", "vector_add", "--N"])
        self.assertLessEqual({"single_thread", "parallel_vectorized"},
                             {case["variant"] for case in document["cases"]})
        for case in document["cases"]:
            with self.subTest(case["id"]):
                self.assertEqual((case["status"], case["seed"], case["input"]), ("ok", 7, "random"))
                self.assertTrue(case["verification"]["passed"])
                self.assertGreater(case["verification"]["checked"], 0)
                samples = case["timing"]["samples_s"]
                self.assertGreaterEqual(len(samples), 1)
                self.assertEqual(case["timing"]["min_s"], min(samples))
                self.assertEqual(case["timing"]["max_s"], max(samples))
                self.assertEqual(case["work"]["flops"], 10007)
                self.assertEqual(case["work"]["bytes_read"] + case["work"]["bytes_written"], 12 * 10007)
                roof = case["roof"]
                self.assertAlmostEqual(roof["percent_of_roof"] / 100,
                                       roof["attainable_s"] / case["timing"]["median_s"], places=6)

    def test_sweeps_multiply(self):
        document = self.document("softmax", "--rows", "1,3", "--columns", "8:32:*2", "--variant", "single_thread",
                                 "--dtype", "f32")
        shapes = [(case["parameters"]["rows"], case["parameters"]["columns"]) for case in document["cases"]]
        self.assertEqual(shapes, [(rows, columns) for rows in (1, 3) for columns in (8, 16, 32)])

    def test_sweeps_stop_at_their_end(self):
        for text, values in (("1:10:4", [1, 5, 9]), ("1:9:4", [1, 5, 9]), ("5:5:1", [5]), ("3:50:*3", [3, 9, 27]),
                             ("7,1:3:1", [7, 1, 2, 3])):
            document = self.document("vector_add", f"--N={text}", "--variant", "single_thread", "--verify", "off")
            self.assertEqual([case["parameters"]["N"] for case in document["cases"]], values, text)

    def test_dry_run_prints_the_plan_and_measures_nothing(self):
        target = self.folder / "out.json"
        begin = time.monotonic()
        run = gpubench("run", "softmax", "--rows", "1,3", "--columns", "8:32:*2", "--device", "host", "--dry-run",
                       "--warmup-seconds", "30")
        self.assertLess(time.monotonic() - begin, 2)
        self.assert_code(run, 0)
        for rows in (1, 3):
            for columns in (8, 16, 32):
                self.assertRegex(run.stdout, rf"rows={rows}&columns={columns}&")
        self.assertFalse(target.exists())

    def test_a_dry_run_takes_no_outputs(self):
        target = self.folder / "out.json"
        target.write_text("before")
        run = gpubench("run", "vector_add", "--N", "16", "--device", "host", "--dry-run", "--json", target)
        self.assert_one_sentence(run, 2, "--json", "--dry-run")
        self.assertEqual(target.read_text(), "before")

    def test_a_dry_run_checks_the_ceilings(self):
        run = gpubench("run", "vector_add", "--device", "host", "--dry-run", "--ceilings", self.folder / "missing")
        self.assert_one_sentence(run, 5, "missing")
        run = gpubench("run", "vector_add", "--device", "host", "--dry-run", "--ceilings", ceilings())
        self.assert_code(run, 0)

    def test_cold_cache_is_in_the_id(self):
        document = self.document("vector_add", "--N", "1000", "--variant", "single_thread", "--cache", "cold")
        self.assertEqual(document["cases"][0]["cache"], "cold")
        self.assertRegex(document["cases"][0]["id"], "cache=cold$")

    def test_verification_can_be_full_or_off(self):
        case = self.document("vector_add", "--N", "1000", "--verify", "full")["cases"][0]
        self.assertEqual((case["verification"]["mode"], case["verification"]["checked"]), ("full", 1000))
        case = self.document("vector_add", "--N", "1000", "--verify", "off")["cases"][0]
        self.assertIsNone(case["verification"])

    def test_the_same_seed_gives_the_same_answers(self):
        errors = [[case["verification"]["max_abs_error"]
                   for case in self.document("reduction", "--N", "5000", "--seed", "3")["cases"]
                   if case["variant"] == "single_thread"] for _ in range(2)]
        self.assertEqual(errors[0], errors[1])

    def test_a_case_too_large_for_memory_is_skipped_with_the_bytes(self):
        document = self.document("vector_add", "--N", f"{TOO_LARGE},1000", "--variant", "single_thread")
        large, small = document["cases"]
        self.assertEqual((large["status"], small["status"]), ("skipped", "ok"))
        self.assertIsNone(large["timing"])
        self.assertIn(str(12 * TOO_LARGE), large["reason"])
        self.assertEqual(len(re.findall(r"\d{6,}", large["reason"])), 2, "bytes needed and bytes free")

    def test_nothing_that_could_run_is_exit_3(self):
        target = self.folder / "out.json"
        run = self.run_fast("vector_add", "--N", TOO_LARGE, "--variant", "single_thread", "--json", target)
        self.assert_code(run, 3)
        self.assertIn("bytes", run.stderr)
        self.assertEqual([case["status"] for case in self.read(target)["cases"]], ["skipped"])

    @unittest.skipIf(os.cpu_count() > 32, "the stacks of so many threads fill the address space")
    def test_a_limit_on_the_address_space_is_named(self):
        command = "ulimit -v 3000000; exec \"$0\" \"$@\""
        run = subprocess.run(["bash", "-c", command, GPUBENCH, "run", "vector_add", "--N", "800000000", "--variant",
                              "single", *FAST, "--ceilings", ceilings()], capture_output=True, encoding="utf-8",
                             env=environment(), timeout=120)
        self.assert_code(run, 3)
        if "are free" in run.stderr:
            self.skipTest("less memory is free than the case needs")
        self.assertIn("ulimit -v", run.stderr)
        self.assertNotIn("free", run.stderr)


class Devices(Case):
    def test_auto_without_a_gpu_takes_the_host_and_says_so_in_one_line(self):
        arguments = [argument for argument in FAST if argument not in ("--device", "host")]
        run = gpubench("run", "vector_add", "--N", "1000", *arguments, "--ceilings", ceilings(), "--json", "-",
                       env=NO_GPU)
        self.assert_code(run, 0)
        self.assertEqual(parse(run.stdout)["device"]["id"], "host")
        self.assertEqual(len(notes(run)), 1, run.stderr)
        self.assertIn("host", notes(run)[0])

    def test_cuda_insists(self):
        for device in ("cuda", "cuda:0"):
            for command in (["run", "vector_add"], ["verify", "vector_add"], ["roofline"], ["info"]):
                run = gpubench(*command, "--device", device, env=NO_GPU)
                self.assert_one_sentence(run, 3)


class Ceilings(Case):
    def edited(self, change):
        document = parse(ceilings().read_text())
        change(document)
        path = self.folder / "edited.json"
        path.write_text(json.dumps(document))
        return path

    def refused(self, path, code):
        run = gpubench("run", "vector_add", "--N", "1000", *FAST, "--ceilings", path)
        self.assert_one_sentence(run, code, path if code == 5 else "")

    def test_a_document_gives_its_ceilings_back(self):
        run = self.run_fast("vector_add", "--N", "1000", "--json", "-")
        self.assertEqual(parse(run.stdout)["ceilings"], parse(ceilings().read_text())["ceilings"])

    def test_those_of_another_device_are_refused(self):
        self.refused(self.edited(lambda document: document["device"].update(name="Another CPU")), 4)
        self.refused(self.edited(lambda document: document["device"].update(kind="cuda", uuid="GPU-0")), 4)

    def test_those_of_another_machine_are_refused(self):
        for change in (lambda document: document["device"].update(multiprocessors=4096),
                       lambda document: document["device"].update(l2_bytes=1),
                       lambda document: document["host"].update(cpu="Another CPU"),
                       lambda document: document["host"].update(name="elsewhere")):
            self.refused(self.edited(change), 4)

    def test_those_that_cannot_be_used_are_refused(self):
        def failed(document):
            for ceiling in document["ceilings"]:
                ceiling.update(status="failed", value=None)
        self.refused(self.edited(failed), 4)
        self.refused(self.edited(lambda document: document.update(status="interrupted")), 4)
        self.refused(self.edited(lambda document: next(ceiling for ceiling in document["ceilings"] if ceiling["name"]
                                                       == "fp32_fma").update(unit="byte/s")), 4)

    def test_a_ceiling_near_zero_gives_no_roof(self):
        def tiny(document):
            for ceiling in document["ceilings"]:
                if ceiling["value"]:
                    ceiling["value"] = 1e-300
        path = self.edited(tiny)
        run = gpubench("run", "vector_add", "--N", "100000", *FAST, "--ceilings", path, "--json", "-")
        self.assert_code(run, 0)
        document = parse(run.stdout)
        self.validate(document)
        self.assertEqual({case["roof"] for case in document["cases"]}, {None})
        self.assert_code(gpubench("run", "vector_add", "--N", "100000", *FAST, "--ceilings", path), 0)

    def test_a_document_without_ceilings_is_refused(self):
        self.refused(self.edited(lambda document: document.update(ceilings=[])), 4)

    def test_what_is_no_document_is_refused(self):
        for text in ("", "{", "[]", "{}", '{"schema": "gpubench.results/99"}', "NaN"):
            with self.subTest(text):
                path = self.folder / "broken.json"
                path.write_text(text)
                self.refused(path, 4)

    def test_a_document_cut_short_is_refused(self):
        path = self.folder / "cut.json"
        text = ceilings().read_text()
        path.write_text(text[:len(text) // 2])
        self.refused(path, 4)

    def test_a_file_that_cannot_be_read(self):
        self.refused(self.folder / "missing.json", 5)
        self.refused(self.folder, 5)


class Suites(Case):
    def suite(self, content):
        path = self.folder / "suite.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def of(self, *cases, **more):
        return self.suite({"schema": "gpubench.suite/1", "cases": list(cases), **more})

    def refused(self, path, *words, code=2):
        self.assert_one_sentence(gpubench("run", "--config", path, "--device", "host"), code, *words)

    def test_a_suite_runs_its_cases_in_order(self):
        path = self.of({"family": "vector_add", "parameters": {"N": "100,200"}, "variants": "single"},
                       {"family": "softmax", "parameters": {"rows": 2, "columns": [8, 16]}, "dtypes": ["f32"],
                        "variants": "single_thread"},
                       {"family": "reduction", "parameters": {"N": 100}, "variants": "^single", "cache": "cold"},
                       description="for the test")
        run = self.run_fast("--config", path, "--json", "-")
        self.assert_code(run, 0)
        document = parse(run.stdout)
        self.validate(document)
        self.assertEqual([case["id"].split("?")[0] + " " + case["cache"] for case in document["cases"]],
                         ["vector_add/single_thread warm"] * 2 + ["softmax/single_thread warm"] * 2 +
                         ["reduction/single_thread cold"])

    def test_mistakes_name_the_place_and_the_nearest_key(self):
        case = {"family": "vector_add"}
        self.refused(self.of({"famly": "vector_add"}), "family", "cases[0]")
        self.refused(self.of(case, {"family": "vector_add", "cashe": "warm"}), "cache", "cases[1]")
        self.refused(self.of(case, descripton="x"), "description")
        self.refused(self.of({"family": "vector_ad"}), "vector_add")
        self.refused(self.of({"family": "vector_add", "parameters": {"n": 3}}), "N")
        self.refused(self.of({"family": "vector_add", "parameters": {"N": 0}}), "N")
        self.refused(self.of({"family": "vector_add", "parameters": {"N": "1e3"}}), "N")
        self.refused(self.of({"family": "vector_add", "variants": "["}), "[")
        self.refused(self.of({"family": "vector_add", "dtypes": ["f33"]}), "f32")
        self.refused(self.of({"family": "vector_add", "cache": "hot"}), "warm")

    def test_every_mistake_in_an_entry_names_the_file_and_the_entry(self):
        good = {"family": "vector_add"}
        for bad, word in (({"family": "vector_ad"}, "vector_add"), ({**good, "parameters": {"n": 3}}, "allowed: N"),
                          ({**good, "parameters": {"N": 0}}, "N"), ({**good, "variants": "["}, "["),
                          ({**good, "variants": "nothing_like_it"}, "single_thread f32"),
                          ({**good, "dtypes": ["f16"]}, "single_thread f32"),
                          ({"family": "streams", "parameters": {"x": 3}}, "'x'"),
                          ({"family": "streams", "parameters": {"N": 0}}, "N"),
                          ({"family": "streams", "variants": "["}, "[")):
            path = self.of(good, bad)
            self.refused(path, f"{path}: at cases[1]: ", word)

    def test_a_family_that_the_device_lacks_is_left_out(self):
        run = gpubench("run", "--config", self.of({"family": "streams"}, {"family": "vector_add"}), "--device", "host",
                       "--dry-run")
        self.assert_code(run, 0)
        self.assertNotIn("streams", run.stdout)
        self.refused(path := self.of({"family": "streams"}), path, "host")

    def test_a_selection_that_leaves_nothing_of_a_suite(self):
        path = self.of({"family": "vector_add", "variants": "^single"})
        run = gpubench("run", "--config", path, "--device", "host", "--variant", "parallel")
        self.assert_one_sentence(run, 2, path, "vector_add/single_thread f32")
        self.assertNotIn("parallel_vectorized", run.stderr)

    def test_the_limit_of_cases_counts_the_whole_plan(self):
        entry = {"family": "vector_add", "parameters": {"N": "1:9000:1"}}
        path = self.of(*[entry] * 6)
        self.refused(path, f"{path}: at cases[5]: ", "100000")

    def test_what_is_no_suite_is_refused(self):
        for text in ("", "{", "[]", "{}", '{"schema": "gpubench.suite/9", "cases": []}',
                     '{"schema": "gpubench.suite/1", "cases": []}', '{"cases": [{"family": "vector_add"}]}'):
            with self.subTest(text):
                self.refused(self.suite(text))

    def test_a_suite_that_cannot_be_read(self):
        self.refused(self.folder / "missing.json", "missing.json", code=5)

    def test_the_suites_in_the_tree_can_be_planned(self):
        suites = sorted((SOURCE / "configs").glob("*.json"))
        self.assertIn("smoke.json", [path.name for path in suites])
        for path in suites:
            with self.subTest(path.name):
                run = gpubench("run", "--config", path, "--device", "host", "--dry-run")
                self.assert_code(run, 0)

    def test_the_smoke_suite_runs_on_the_host(self):
        run = self.run_fast("--config", SOURCE / "configs" / "smoke.json", "--json", "-")
        self.assert_code(run, 0)
        document = parse(run.stdout)
        self.validate(document)
        self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})


if __name__ == "__main__":
    unittest.main()
