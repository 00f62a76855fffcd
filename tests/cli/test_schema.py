"""Documents and suites fit their schemas, and the schemas refuse what they should."""
import copy
import glob
import os
import subprocess
import tempfile
import unittest

import schema_support
from schema_support import SOURCE, SchemaTestCase, faults, read


class Results(SchemaTestCase):
    def setUp(self):
        self.example = read(os.path.join(SOURCE, "docs", "result.example.json"))

    def test_the_example_fits(self):
        self.assert_fits(self.example)

    def test_what_the_writer_writes_fits(self):
        program = os.path.join(os.environ["GPUBENCH_BUILD"], "tests", "gpubench_unit_tests")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [program, "--gtest_filter=Document.is_written_for_the_schema_test"],
                env={**os.environ, "GPUBENCH_WRITE_DOCUMENTS": folder},
                check=True, stdout=subprocess.DEVNULL)
            for name in ("full.json", "bare.json"):
                with self.subTest(name):
                    self.assert_fits(read(os.path.join(folder, name)))

    def test_the_schema_refuses_wrong_documents(self):
        def changed(change):
            document = copy.deepcopy(self.example)
            change(document)
            return faults(document)

        for name, change in {
            "status": lambda d: d["cases"][0].update(status="okay"),
            "text for a number": lambda d: d["cases"][0]["timing"].update(median_s="1"),
            "missing": lambda d: d["cases"][0].pop("id"),
            "newer": lambda d: d.update(schema="gpubench.results/2"),
        }.items():
            with self.subTest(name):
                self.assertEqual(len(changed(change)), 1)

    def test_the_strict_parser_refuses_what_is_not_json(self):
        for text in ('{"a": NaN}', '{"a": 1, "a": 2}', '{"a": -Infinity}', "{"):
            with self.subTest(text), self.assertRaises(ValueError):
                schema_support.parse(text)


class Suites(SchemaTestCase):
    def suites(self):
        return sorted(glob.glob(os.path.join(SOURCE, "configs", "*.json")))

    def test_every_suite_of_the_tree_fits(self):
        self.assertTrue(self.suites())
        for path in self.suites():
            with self.subTest(os.path.basename(path)):
                self.assert_fits(read(path), "suite")

    def test_the_smoke_suite_has_every_family(self):
        kernels = os.path.join(SOURCE, "kernels")
        families = {name for name in os.listdir(kernels)
                    if os.path.exists(os.path.join(kernels, name, "problem.hpp"))}
        smoke = read(os.path.join(SOURCE, "configs", "smoke.json"))
        self.assertEqual({case["family"] for case in smoke["cases"]}, families)

    def test_the_schema_refuses_wrong_suites(self):
        def suite(**case):
            return {"schema": "gpubench.suite/1", "cases": [{"family": "matmul", **case}]}

        self.assert_fits(suite(parameters={"M": 1, "N": "1:8:*2", "K": [1, "2"]}, variants="a|b",
                               dtypes=["f32"], cache="cold"), "suite")
        for wrong in (suite(famly="x"), suite(parameters={"M": 1.5}), suite(parameters={"M": []}),
                      suite(parameters={"M": None}), suite(dtypes=[]), suite(dtypes=["f32", "f32"]),
                      suite(dtypes=["fp8"]), suite(cache="hot"), suite(variants=3),
                      {"schema": "gpubench.suite/1", "cases": []},
                      {"schema": "gpubench.suite/2", "cases": [{"family": "matmul"}]},
                      {**suite(), "extra": 1}):
            with self.subTest(wrong):
                self.assertNotEqual(faults(wrong, "suite"), [])


if __name__ == "__main__":
    unittest.main()
