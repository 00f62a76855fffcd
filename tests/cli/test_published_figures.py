"""The figures in the README and the documentation are those of the documents under results/ that they name."""
import json
import math
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "nvidia-h200"
UNITS = {"µs": 1e-6, "ms": 1e-3, "GB/s": 1e9, "TB/s": 1e12, "TFLOP/s": 1e12}


def read(name):
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def table(text, first_line):
    """Rows of the indented block that begins so, each a dictionary by the header's columns."""
    lines = text[text.index(first_line):].split("\n\n")[0].splitlines()[1:]
    header, rows = lines[0], lines[1:]
    names = [(match.group(), match.start()) for match in re.finditer(r"\S+(?: \S+)*", header)]
    made = []
    for row in rows:
        cells = {}
        for match in re.finditer(r"\S+(?: \S+)*", row.strip("\n")):
            # Columns are aligned to the left or to the right: the nearest edge tells whose a cell is.
            name = min(names, key=lambda one: min(abs(match.start() - one[1]),
                                                  abs(match.end() - one[1] - len(one[0]))))[0]
            cells.setdefault(name, match.group())
        made.append(cells)
    return made


def significant(value, digits):
    """As src/base/text.hpp's function of that name, for the figures of a table."""
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(float(f'{value:.{digits - 1}e}')))))}f}"


class Figures(unittest.TestCase):
    def assert_printed(self, printed, value, what, digits=4):
        """Whether the text is the value with so many significant digits, as the program prints it."""
        number, _, unit = printed.strip("±x%").partition(" ")
        self.assertEqual(number, significant(value / UNITS.get(unit, 1), digits), what)

    def test_the_table_of_the_readme(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        cases = {case["variant"]: case for case in read("first_rungs.json")["cases"]
                 if case["family"] == "matmul" and case["dtype"] == "f32"}
        rows = table(text, "    matmul f32 M=4096")
        self.assertEqual([row["variant"] for row in rows], list(cases))
        before = None
        for row in rows:
            case = cases[row["variant"]]
            timing, achieved, roof = case["timing"], case["achieved"], case["roof"]
            low, high = timing["median_ci95_s"]
            values = {"time": (timing["median_s"], 4), "spread": (50 * (high - low) / timing["median_s"], 2),
                      "TFLOP/s": (achieved["flops_per_s"] / 1e12, 4), "GB/s": (achieved["bytes_per_s"] / 1e9, 4),
                      "FLOP/B": (achieved["arithmetic_intensity"], 3),
                      "MHz": (case["telemetry"]["sm_clock_hz"]["during"] / 1e6, 4),
                      "% roof": (roof["percent_of_roof"], 3), "error": (case["verification"]["max_abs_error"], 2)}
            if row["variant"] != "cublas":
                values["% ref"] = (100 * cases["cublas"]["timing"]["median_s"] / timing["median_s"], 3)
                if before:
                    values["vs prev"] = (before / timing["median_s"], 3)
            for name, (value, digits) in values.items():
                self.assert_printed(row[name], value, f"{row['variant']}, {name}", digits)
            self.assertEqual(row["roof"], roof["limited_by"])
            before = timing["median_s"]

    def test_the_ceilings_of_the_readme(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        ceilings = {ceiling["name"]: ceiling for ceiling in read("roofline.json")["ceilings"]}
        rows = table(text, "    ceilings of cuda:0")
        self.assertEqual([row["ceiling"] for row in rows], list(ceilings))
        for row in rows:
            ceiling = ceilings[row["ceiling"]]
            low, high = ceiling["timing"]["median_ci95_s"]
            values = {"value": (ceiling["value"], 4), "theoretical": (ceiling["theoretical"], 4),
                      "%": (ceiling["percent_of_theoretical"], 3),
                      "% at clock": (ceiling["percent_of_theoretical_at_clock"], 3),
                      "MHz": (ceiling["telemetry"]["sm_clock_hz"]["during"] / 1e6, 4),
                      "W": (ceiling["telemetry"]["power_w"], 3),
                      "spread": (50 * (high - low) / ceiling["timing"]["median_s"], 2)}
            for name, (value, digits) in values.items():
                self.assertEqual(name in row, value is not None, f"{row}, {name}")
                if value is not None:
                    self.assert_printed(row[name], value, f"{row['ceiling']}, {name}", digits)
        tensor = ceilings["f16_tensor"]
        clocks = re.findall(r"(?:runs at|held to) (\d+) MHz", text)
        self.assertEqual(len(clocks), 2)
        for clock in clocks:
            self.assert_printed(clock, tensor["telemetry"]["sm_clock_hz"]["during"] / 1e6, "the clock in the text")
        percent = re.search(r"at that clock the figure is ([\d.]+) %", text)
        self.assert_printed(percent[1], tensor["percent_of_theoretical_at_clock"], "the percentage in the text", 3)

    def test_burst_and_sustained(self):
        text = (ROOT / "docs" / "measurement.md").read_text(encoding="utf-8")
        document = read("matmul_8192_f16.json")
        case = next(case for case in document["cases"] if case["variant"] == "cublas")
        timing, roof, clock = case["timing"], case["roof"], case["telemetry"]["sm_clock_hz"]
        ceiling = next(one for one in document["ceilings"] if one["name"] == "f16_tensor")
        at_clock = ceiling["value"] * clock["during"] / ceiling["telemetry"]["sm_clock_hz"]["during"]
        expected = [(timing["burst_s"], clock["burst"], ceiling["burst"], roof["percent_of_roof_burst"]),
                    (timing["median_s"], clock["during"], ceiling["value"], roof["percent_of_roof"]),
                    (timing["median_s"], clock["during"], at_clock, roof["percent_of_roof_at_clock"])]
        rows = re.findall(r"^\| (?:burst|sustained)[^|]*\| (\S+ ms) \| (\d+) \| (\d+) MHz \| (\d+) \| ([\d.]+) \|$", text,
                          re.MULTILINE)
        self.assertEqual(len(rows), 3)
        for row, (seconds, clock_hz, roof_flops, percent) in zip(rows, expected):
            for printed, value, digits in zip(row, (seconds, case["work"]["flops"] / seconds / 1e12, clock_hz / 1e6,
                                                    roof_flops / 1e12, percent), (4, 3, 4, 3, 3)):
                self.assert_printed(printed, value, row, digits)
        share = re.search(r"the product uses (\d+) % of the tensor cores", text)
        self.assert_printed(share[1], roof["percent_of_roof_at_clock"], "the text under it", 2)


if __name__ == "__main__":
    unittest.main()
