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

    def test_an_empty_value(self):
        for option in ("json", "csv", "ceilings", "config", "dtype", "samples", "max-seconds", "warmup-seconds",
                       "variant", "device", "seed", "cache", "verify", "N"):
            self.refused(["run", "vector_add", f"--{option}", ""], f"--{option} is empty")
        self.refused(["verify", "--max-bytes", ""], "--max-bytes is empty")
        self.refused(["roofline", "--ceiling", ""], "--ceiling is empty")

    def test_a_value_left_out(self):
        self.refused(["run", "matmul", "--M"], "--M needs a value\n")
        self.refused(["run", "matmul", "--M", "--N", "3"], "--M needs a value", "'--N'")
        self.refused(["run", "vector_add", "--json", "--csv", "x"], "--json needs a value", "'--csv'")
        self.refused(["run", "vector_add", "--dry-run=maybe"], "--dry-run takes no value")
        self.refused(["run", "vector_add", "-q=5"], "takes no value")

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

    def test_a_value_behind_a_switch(self):
        self.refused(["run", "attention", "--causal", "true", *HOST], "--causal=true")
        self.refused(["run", "attention", *HOST, "--dry-run", "false"], "stands alone")

    def test_an_option_in_the_wrong_place_is_told_where_it_belongs(self):
        self.refused(["run", "--version"], "'gpubench' alone", "gpubench --version")
        self.refused(["run", "--version", "matmul"], "gpubench --version")
        self.refused(["--device", "host", "run", "matmul"], "behind 'run'", "gpubench run --device")
        self.refused(["run", "--N", "5", "vector_add"], "behind 'vector_add'", "gpubench run vector_add --N")
        self.refused(["verify", "matmul", "--M", "5"], "it is one of 'gpubench run matmul'")
        self.refused(["run", "vector_add", "--columns", "8"], "it is one of 'gpubench run softmax'")
        self.refused(["run", "matmul", "M=5"], "did you mean '--M 5'?")

    def test_control_characters_are_escaped(self):
        run = gpubench("run", "vector_add", "--variant", "\x1b[31m\n(", *HOST)
        self.assert_one_sentence(run, 2, "\\x1b[31m\\x0a(")

    def test_an_option_given_twice(self):
        self.refused(["run", "vector_add", "--N", "1", "--N", "2", *HOST], "--N is given more than once")
        self.refused(["run", "vector_add", "--json", "a", "--json", "b", *HOST], "--json is given more than once")
        self.refused(["run", "attention", "--causal", "--causal=false", *HOST], "--causal is given more than once")
        self.refused(["roofline", "--all", "--ceiling", "x", *HOST], "--all and --ceiling exclude each other")

    def test_regular_expressions_that_do_not_compile(self):
        for regex in ("[", "(", "*", "a{2,1}"):
            self.refused(["run", "vector_add", "--variant", regex, *HOST], regex, "is not a regular expression: ")
        run = gpubench("run", "vector_add", "--variant", "((a{1000}){1000}){1000}", *HOST)
        self.assert_one_sentence(run, 2, "it is too large")
        self.assertNotIn("_GLIBCXX", run.stderr)

    def test_regular_expressions_that_would_exhaust_the_stack(self):
        self.refused(["run", "vector_add", "--variant", "(" * 30_000 + ")" * 30_000, *HOST], "1000 characters")
        self.refused(["roofline", "--ceiling", "x" * 1001, *HOST], "1000 characters")

    def test_choices_name_the_allowed_values(self):
        self.refused(["run", "vector_add", "--cache", "hot", *HOST], "warm", "cold")
        self.refused(["run", "vector_add", "--dtype", "f33", *HOST], "f32", "bf16")
        self.refused(["run", "vector_add", "--verify", "maybe", *HOST], "sampled", "full", "off")
        self.refused(["run", "reduction", "--op", "summ", *HOST], "sum")
        for types in ("f32,", ",f32", "f32,,f16"):
            self.refused(["run", "vector_add", "--dtype", types, *HOST], "not ''")
        self.refused(["run", "vector_add", "--device", "cuda:99999999999999999999"], "cuda:99999999999999999999",
                     code=3)
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
        self.refused(["run", "vector_add", "--dry-run", "--json", "x", *HOST], "--json", "--dry-run")
        self.refused(["run", "vector_add", "--dry-run", "--csv", "-", *HOST], "--csv", "--dry-run")
        self.refused(["run", "--config", "x.json", "--cache", "warm", *HOST], "--cache", "--config")
        self.refused(["roofline", "--N", "3"], "--N")
        self.refused(["run", "vector_add", "--frobnicate", *HOST], "--frobnicate")

    def test_a_head_size_that_no_variant_takes(self):
        self.refused(["run", "attention", "--N", "16", "--D", "100003", *HOST], "D")

    def test_two_files_that_are_one(self):
        (self.folder / "link").symlink_to(self.folder)
        new, same = self.folder / "new", self.folder / "link" / ".." / self.folder.name / "new"
        self.refused(["run", "vector_add", "--json", new, "--csv", same, *HOST], "--json and --csv", new)
        self.assertFalse(new.exists())
        text = '{"schema": "gpubench.suite/1", "cases": [{"family": "vector_add"}]}'
        new.write_text(text)
        (self.folder / "hard").hardlink_to(new)
        self.refused(["run", "vector_add", "--json", new, "--csv", self.folder / "hard", *HOST], "--json and --csv")
        self.refused(["run", "--config", new, "--json", same, *HOST], "--json and --config")
        self.refused(["run", "--config", new, "--csv", same, *HOST], "--csv and --config")
        self.refused(["run", "vector_add", "--ceilings", new, "--json", same, *HOST], "--json and --ceilings")
        self.assertEqual(new.read_text(), text)

    def test_help_shows_how_a_command_is_called(self):
        run = gpubench("run", "attention", "--help")
        self.assertIn("Usage: gpubench run attention [OPTIONS]", run.stdout)
        self.assertNotIn("{true}", run.stdout)
        for command in (["run", "matmul"], ["run", "all"], ["verify", "matmul"], ["verify", "all"]):
            run = gpubench(*command, "--help")
            self.assert_code(run, 0)
            self.assertIn(f"gpubench {command[0]} --help", run.stdout)

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
