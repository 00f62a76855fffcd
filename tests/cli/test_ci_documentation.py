"""docs/ci.md: its jobs are YAML that GitHub and GitLab take, its commands those of the program, its figures right."""
import math
import random
import re
import shlex
import subprocess
import unittest

import welch_power
from compare_documents import Folder, case, on_device, slower
from schema_support import schema
from support import SOURCE, Case, gpubench

try:
    import yaml
except ImportError:
    yaml = None

TEXT = (SOURCE / "docs" / "ci.md").read_text(encoding="utf-8")
YAML_BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
PROSE = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)


def table(*heading):
    """Rows of the table whose heading starts so, as lists of cells."""
    lines = TEXT.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| " + " | ".join(heading)))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [cell.strip() for cell in lines[start].strip("|").split("|")], rows


def percent(text):
    return float(re.match(r"[0-9.]+(?= %)", text)[0]) / 100


def commands_of(shell):
    """Arguments of each call of gpubench in some lines of shell."""
    lexer = shlex.shlex(shell, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.whitespace = " \t"
    commands, open_ = [], False
    for word in lexer:
        if re.fullmatch(r"[();<>|&\n]+", word):
            open_ = False
        elif re.fullmatch(r"(.*/)?gpubench", word):
            commands.append([])
            open_ = True
        elif open_:
            commands[-1].append(word)
    return commands


class Yaml(unittest.TestCase):
    def setUp(self):
        if yaml is None:
            self.skipTest("this Python has no yaml")
        self.assertEqual(len(YAML_BLOCKS), 2)
        self.github, self.gitlab = (yaml.safe_load(block) for block in YAML_BLOCKS)

    def assert_shell(self, script):
        self.assertIsInstance(script, str)
        # What GitHub puts in the place of an expression is some word.
        script = re.sub(r"\$\{\{.*?\}\}", "expression", script)
        check = subprocess.run(["bash", "-n"], input=script, capture_output=True, encoding="utf-8")
        self.assertEqual((check.returncode, check.stderr), (0, ""), script)

    def gitlab_jobs(self):
        return {name: job for name, job in self.gitlab.items() if name != "stages"}

    def scripts(self):
        for job in self.github["jobs"].values():
            yield from (step["run"] for step in job["steps"] if "run" in step)
        for job in self.gitlab_jobs().values():
            yield from job["script"] + job.get("after_script", [])

    def test_no_key_is_given_twice(self):
        class Strict(yaml.SafeLoader):
            def construct_mapping(self, node, deep=False):
                keys = [self.construct_object(key, deep=True) for key, _ in node.value]
                if len(set(keys)) != len(keys):
                    raise ValueError(f"a key is given twice among {keys}")
                return super().construct_mapping(node, deep)

        for block in YAML_BLOCKS:
            yaml.load(block, Strict)

    def test_the_workflow_of_github(self):
        # YAML 1.1, which PyYAML reads, takes the key `on` for true.
        self.assertEqual(set(self.github), {"name", True, "permissions", "jobs"})
        self.assertLessEqual({"pull_request", "push"}, set(self.github[True]))
        self.assertEqual(self.github["permissions"], {"contents": "read"})
        for name, job in self.github["jobs"].items():
            with self.subTest(name):
                self.assertTrue(job["runs-on"])
                self.assertTrue(job["steps"])
                for needed in [job["needs"]] if "needs" in job else []:
                    self.assertIn(needed, self.github["jobs"])
                for step in job["steps"]:
                    self.assertEqual(("uses" in step) + ("run" in step), 1, step)
                    if "uses" in step:
                        self.assertRegex(step["uses"], r"\A[\w-]+/[\w-]+(/[\w-]+)*@v[0-9]+\Z")
                    self.assertNotIn("continue-on-error", step)
                ids = {step["id"] for step in job["steps"] if "id" in step}
                for used in re.findall(r"steps\.(\w+)\.", str(job)):
                    self.assertIn(used, ids)
                for used in re.findall(r"needs\.gate\.outputs\.(\w+)", str(job)):
                    self.assertIn(used, self.github["jobs"]["gate"]["outputs"])

    def test_jobs_never_share_the_gpu_and_only_one_may_write(self):
        gate, comment = self.github["jobs"]["gate"], self.github["jobs"]["comment"]
        self.assertEqual(gate["concurrency"], {"group": "gpu", "queue": "max"})
        self.assertNotIn("permissions", gate)
        self.assertEqual(comment["permissions"], {"pull-requests": "write"})
        self.assertFalse([step for step in comment["steps"] if "run" in step or "checkout" in step["uses"]])
        self.assertEqual(self.gitlab["measure"]["resource_group"], "gpu")

    def test_the_jobs_of_gitlab(self):
        for name, job in self.gitlab_jobs().items():
            with self.subTest(name):
                self.assertIn(job["stage"], self.gitlab["stages"])
                self.assertLessEqual(set(job.get("needs", [])), set(self.gitlab))
                self.assertTrue(job["artifacts"]["paths"])
                self.assertTrue(job["script"])
        self.assertIn("new.json", self.gitlab["measure"]["artifacts"]["paths"])

    def test_every_script_is_shell(self):
        for script in self.scripts():
            with self.subTest(script):
                self.assert_shell(script)

    def test_the_gate_decides_alone_whether_its_step_fails(self):
        gates = [script for script in self.scripts() if "gpubench compare" in script]
        self.assertEqual(len(gates), 2)
        for script in gates:
            self.assertRegex(script.strip(), r"\A(build/)?gpubench compare base\.json new\.json [\w .-]+\Z")

    def test_reports_are_taken_from_where_they_are_written(self):
        gate = self.gitlab["gate"]
        self.assertIn("--junit " + gate["artifacts"]["reports"]["junit"], " ".join(gate["script"]))
        for path in gate["artifacts"]["paths"]:
            self.assertIn(path, " ".join(gate["script"]))
        steps = self.github["jobs"]["gate"]["steps"]
        compare = next(step["run"] for step in steps if "compare" in step.get("run", ""))
        self.assertIn("--markdown comparison.md", compare)
        uploaded = next(step["with"] for step in steps if "upload-artifact" in step.get("uses", ""))
        fetched = next(step["with"] for step in self.github["jobs"]["comment"]["steps"]
                       if "download-artifact" in step["uses"])
        self.assertEqual(uploaded["name"], fetched["name"])


class Commands(Folder, Case):
    def commands(self):
        found = []
        for line in re.findall(r"^ {4,}(gpubench .*)$", PROSE, re.MULTILINE):
            found += commands_of(line)
        for span in re.findall(r"`(gpubench [^`]*)`", PROSE):
            found += commands_of(span)
        for block in YAML_BLOCKS:
            # A folded scalar is one line of shell.
            folded = re.sub(r">-\n((?: +.*\n)+?)(?= *- | *\w+:|\Z)",
                            lambda match: " ".join(match[1].split()) + "\n", block)
            for line in folded.splitlines():
                if re.search(r"(^|[ /])gpubench (run|compare|roofline)", line):
                    found += commands_of(re.sub(r"^ *(- )?(run: )?", "", line))
        return found

    def test_they_are_found(self):
        found = [" ".join(command) for command in self.commands()]
        self.assertGreaterEqual(len(found), 14, found)
        for part in ("compare --calibrate", "--init-baseline --json comparison.json --markdown comparison.md --junit",
                     "roofline --all", "--processes 12"):
            self.assertTrue([command for command in found if part in command], part)

    def test_every_option_is_one_of_the_program(self):
        for command in self.commands():
            known = gpubench(command[0], "--help").stdout
            for option in (word.split("=")[0] for word in command if word.startswith("-")):
                self.assertRegex(known, rf"(?m)^  (-\w,)?{re.escape(option)}\b|^  {re.escape(option)},", command)
        known = "".join(gpubench(command, "--help").stdout for command in ("run", "compare"))
        for option in re.findall(r"`(--[\w-]+)", PROSE):
            self.assertRegex(known, rf"(?m)^  (-\w,)?{option}\b", option)

    def test_the_program_takes_them(self):
        for command in self.commands():
            with self.subTest(" ".join(command)):
                if command[0] == "compare":
                    run = gpubench(*command, cwd=self.folder)
                    # Nothing wrong but that the documents are not there.
                    self.assert_one_sentence(run, 5, ".json", "No such file")
                elif command[0] == "run":
                    plan, skip = [], False
                    for word in command:
                        if not skip and word not in ("--json", "--processes"):
                            plan.append(str(SOURCE / word) if word == "configs/ci.json" else word)
                        skip = word in ("--json", "--processes")
                    if len(plan) > 1 and "--ceilings" not in plan:  # a whole command
                        run = gpubench(*plan, "--dry-run", "--device", "host", cwd=self.folder)
                        self.assert_code(run, 0)

    def test_files_of_the_tree_are_there(self):
        for path in re.findall(r"(?:configs|tests|docs)/[\w./]*\w", TEXT):
            self.assertTrue((SOURCE / path).exists(), path)


class Figures(Folder, Case):
    def test_floors_are_the_program_s(self):
        work = case(1)["work"]
        kinds = {
            "power-limited": (case(1, notes=["power_limited"]), {}),
            "launch-sized": (case(1, slower(0.019)), {}),
            "L2-sized": (case(1, work={**work, "working_set_bytes": 4 * 52428800}), {}),
            "DRAM-sized": (case(1, slower(0.021), work={**work, "working_set_bytes": 4.1 * 52428800}), {}),
            "on the host": (case(1), on_device(kind="host"))}
        _, rows = table("kind", "which cases", "floor")
        self.assertEqual([row[0] for row in rows], list(kinds))
        for kind, _, floor in rows:
            made, changes = kinds[kind]
            path = self.put("a.json", made, **changes)
            found = self.compared(path, path)["cases"][0]
            self.assertEqual(found["floor_source"], kind)
            self.assertAlmostEqual(found["floor"], percent(floor))

    def test_every_verdict_is_explained(self):
        _, rows = table("verdict", "when", "fails")
        self.assertEqual({row[0].replace(" ", "_") for row in rows},
                         set(schema("comparison")["$defs"]["verdict"]["enum"]))

    def test_processes_that_an_effect_takes(self):
        heading, rows = table("standard deviation", "3 % slower")
        self.assertEqual(len(rows), 7)
        for row in rows:
            for slow_down, cell in zip(heading[1:], row[1:]):
                needed = welch_power.processes_for(percent(row[0]), percent(slow_down))
                self.assertEqual(cell, "over 100" if needed is None else str(needed), (row[0], slow_down))

    def test_figures_in_the_text(self):
        flat = " ".join(TEXT.split())
        self.assertAlmostEqual(float(re.search(r"That is ([0-9.]+) times the standard deviation", flat)[1]),
                               1.959964 * math.sqrt(2), delta=0.05)
        beyond = float(re.search(r"once it is ([0-9.]+) standard deviations above the threshold", flat)[1])
        self.assertAlmostEqual(welch_power.power_beyond(5, beyond), 0.9, delta=0.01)
        rare, rarer = re.search(r"at 2\.7 %, in ([0-9.]+) of 100 cases, at 1\.5 % and less in fewer than "
                                r"([0-9.]*[0-9])", flat).groups()
        self.assertAlmostEqual(100 * welch_power.power(5, 0.027, 0), float(rare), delta=0.01)
        self.assertLess(100 * welch_power.power(5, 0.015, 0), float(rarer))
        for floor, deviation in re.findall(r"(?:case|one) at ([0-9.]+) % has ([0-9.]+) %", flat):
            self.assertAlmostEqual(float(floor) / 2.8, float(deviation), delta=0.05)

    def found(self, processes, deviation, slow_down, count=1000):
        """The share of made-up comparisons in which the program finds the slow-down."""
        draw = random.Random(f"{processes} {deviation} {slow_down}")

        def made(number, factor):
            medians = [1e-3 * factor * math.exp(draw.gauss(0, deviation)) for _ in range(processes)]
            return case(number, [[median] * 3 for median in medians])

        base = self.put("a.json", *[made(number, 1) for number in range(count)])
        new = self.put("b.json", *[made(number, 1 + slow_down) for number in range(count)])
        run = self.compare(base, new)
        counted = re.match(r"(PASS|FAIL): (?:([0-9]+) regression)?", run.stdout)
        self.assertEqual(run.returncode, int(counted[2] is not None), run.stdout[:200])
        return int(counted[2] or 0) / count

    def test_the_program_finds_what_the_table_promises(self):
        for processes, deviation, slow_down in ((5, 0.027, 0.1), (8, 0.027, 0.07), (7, 0.01, 0.04), (7, 0.005, 0.03),
                                                (5, 0.01, 0.04)):
            promised = welch_power.power(processes, deviation, slow_down)
            with self.subTest(processes=processes, deviation=deviation, slow_down=slow_down, promised=promised):
                self.assertAlmostEqual(self.found(processes, deviation, slow_down), promised,
                                       delta=4 * math.sqrt(promised * (1 - promised) / 1000))

    def test_a_build_is_hardly_ever_a_regression_of_itself(self):
        self.assertLess(self.found(5, 0.027, 0), 0.006)
        self.assertEqual(self.found(5, 0.01, 0), 0)


if __name__ == "__main__":
    unittest.main()
