import unittest

from support import Case, gpubench, parse


class Verify(Case):
    def test_every_family_passes_on_the_host(self):
        run = gpubench("verify", "all", "--device", "host", "--json", "-", timeout=580)
        self.assert_code(run, 0)
        document = parse(run.stdout)
        self.validate(document)
        cases = document["cases"]
        self.assertLessEqual({"vector_add", "reduction", "matmul", "softmax", "attention"},
                             {case["family"] for case in cases if case["status"] == "ok"})
        self.assertLessEqual({"random", "integers"}, {case["input"] for case in cases})
        for case in cases:
            with self.subTest(case["id"]):
                self.assertIsNone(case["timing"])
                if case["status"] == "skipped":  # a size for machines that have the memory
                    self.assertIn("bytes", case["reason"])
                else:
                    self.assertEqual(case["status"], "ok", case["reason"])
                    self.assertTrue(case["verification"]["passed"])

    def test_one_family_and_a_selection(self):
        run = gpubench("verify", "softmax", "--device", "host", "--variant", "^single", "--dtype", "f32",
                       "--seed", "5", "--json", "-")
        self.assert_code(run, 0)
        cases = parse(run.stdout)["cases"]
        self.assertEqual({(case["family"], case["variant"], case["seed"]) for case in cases},
                         {("softmax", "single_thread", 5)})

    def test_a_table_for_people(self):
        run = gpubench("verify", "softmax", "--device", "host", "--variant", "single_thread")
        self.assert_code(run, 0)
        self.assertRegex(run.stdout, r"softmax/single_thread f32 +\d+ +0 +0")


if __name__ == "__main__":
    unittest.main()
