import unittest

from support import Case, gpubench

HOST = ["--device", "host"]


class Usage(Case):
    def refused(self, arguments, *words, code=2):
        with self.subTest(arguments):
            self.assert_one_sentence(gpubench(*arguments), code, *words)

    def test_sizes_that_are_not_positive_whole_numbers(self):
        for value in ("0", "-1", "abc", "1e3", "1.5", "0x10", " 1", "1 ", "+", "nan", "inf", "4096k",
                      "9223372036854775808", "18446744073709551617", "99999999999999999999999999"):
            self.refused(["run", "vector_add", f"--N={value}", *HOST], "N")

    def test_a_size_after_a_space_is_refused_the_same(self):
        for value in ("0", "1e3", "-1"):
            self.refused(["run", "vector_add", "--N", value, *HOST], "N")

    def test_a_value_left_empty(self):
        self.refused(["run", "vector_add", "--N=", *HOST], "--N")
        self.refused(["run", "vector_add", "--device="], "--device")
        self.refused(["run", "vector_add", "--json=", *HOST], "--json")

    def test_malformed_lists_and_sweeps(self):
        for value in (",", "1,", ",1", "1,,2", "1,x", "1:2", "1:", ":1", "1:2:3:4", "1:8:0", "1:8:-1", "1:8:*1",
                      "1:8:*0", "1:8:*", "8:1:1", "0:8:1", "1:8:x", "1:8:+1"):
            self.refused(["run", "vector_add", f"--N={value}", *HOST], "N")

    def test_sweeps_that_multiply_beyond_reason(self):
        self.refused(["run", "softmax", "--rows", "1:100000:1", "--columns", "1:100000:1", *HOST])
        self.refused(["run", "vector_add", "--N", "1:1000000000000:1", *HOST])

    def test_the_nearest_name_is_given(self):
        self.refused(["run", "matmull", *HOST], "matmul")
        self.refused(["run", "vector-add", *HOST], "vector_add")
        self.refused(["verify", "sofmax", *HOST], "softmax")
        self.refused(["list", "atention"], "attention")
        self.refused(["runn", "matmul"], "run")
        self.refused(["rooflin"], "roofline")
        self.refused(["run", "matmul", "--vairant", "x", *HOST], "--variant")
        self.refused(["run", "softmax", "--colums", "8", *HOST], "--columns")
        self.refused(["--verson"], "--version")

    def test_what_there_is_is_named_where_nothing_is_near(self):
        self.refused(["run", "xyzzy", *HOST], "matmul", "softmax")
        self.refused(["run", "vector_add", "--variant", "nothing_like_it", *HOST], "single_thread")
        self.refused(["run", "vector_add", "--dtype", "f64", *HOST], "single_thread")

    def test_a_parameter_of_another_family(self):
        self.refused(["run", "vector_add", "--columns", "8", *HOST], "--columns", "--N")
        self.refused(["run", "softmax", "--causal", *HOST], "--causal")

    def test_a_parameter_given_twice(self):
        self.refused(["run", "vector_add", "--N", "1", "--N", "2", *HOST], "N")

    def test_regular_expressions_that_do_not_compile(self):
        for regex in ("[", "(", "*", "a{2,1}"):
            self.refused(["run", "vector_add", "--variant", regex, *HOST], regex)

    def test_choices_name_the_allowed_values(self):
        self.refused(["run", "vector_add", "--cache", "hot", *HOST], "warm", "cold")
        self.refused(["run", "vector_add", "--dtype", "f33", *HOST], "f32", "bf16")
        self.refused(["run", "vector_add", "--verify", "maybe", *HOST], "sampled", "full", "off")
        self.refused(["run", "reduction", "--op", "summ", *HOST], "sum")
        for device in ("gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1e3", "host:0"):
            self.refused(["run", "vector_add", f"--device={device}"], "cuda", "host")

    def test_numbers_of_options(self):
        for option, value in (("--samples", "0"), ("--samples", "x"), ("--samples", "-3"), ("--seed", "-1"),
                              ("--seed", "1e3"), ("--max-seconds", "-1"), ("--max-seconds", "nan"),
                              ("--max-seconds", "inf"), ("--max-seconds", "x"), ("--warmup-seconds", "-0.1")):
            self.refused(["run", "vector_add", f"{option}={value}", *HOST], option)

    def test_commands_that_are_incomplete_or_contradict_themselves(self):
        self.refused([], "run", "roofline")
        self.refused(["run"], "family")
        self.refused(["run", *HOST], "family")
        self.refused(["run", "vector_add", "--json"], "--json")
        self.refused(["run", "vector_add", "extra", *HOST], "extra")
        self.refused(["run", "vector_add", "--config", "x.json", *HOST], "--config")
        self.refused(["run", "vector_add", "-q", "-v", *HOST])
        self.refused(["run", "vector_add", "--json", "-", "--csv", "-", *HOST], "--json", "--csv")
        self.refused(["roofline", "--N", "3"], "--N")
        self.refused(["run", "vector_add", "--frobnicate", *HOST], "--frobnicate")

    def test_a_head_size_that_no_variant_takes(self):
        self.refused(["run", "attention", "--N", "16", "--D", "100003", *HOST], "D")

    def test_usage_is_judged_before_outputs_are_touched(self):
        target = self.folder / "out.json"
        target.write_text("before")
        self.refused(["run", "vector_add", "--N", "0", "--json", target, *HOST])
        self.assertEqual(target.read_text(), "before")
        fresh = self.folder / "new.json"
        self.refused(["run", "vector_add", "--variant", "[", "--json", fresh, *HOST])
        self.assertFalse(fresh.exists())


if __name__ == "__main__":
    unittest.main()
