"""How long `gpubench compare` takes for documents of 100,000 cases of 20 samples, and in how much memory.

Runs alone (tests/CMakeLists.txt): it measures a time.
"""
import os
import random
import statistics
import subprocess
import time
import unittest

from compare_documents import Folder, case, document, text
from support import GPUBENCH, Case, environment, parse

CASES = 100_000
SAMPLES = 20
SECONDS = 15
BYTES = 2 << 30
EVERY = 1000  # one case of so many is slower on the new side


def sample_texts(factor, processes, seed):
    """Some hundred times the samples of a case, the same by process, and their median, as JSON."""
    draw = random.Random(seed)
    texts = []
    for _ in range(499):  # a prime: neighbours differ, and so do the sides
        samples = [f"{1e-3 * factor * (1 + draw.uniform(-0.002, 0.002)):.17g}" for _ in range(SAMPLES)]
        size = SAMPLES // processes
        parts = [",".join(samples[first:first + size]) for first in range(0, SAMPLES, size)]
        by_process = "[[" + "],[".join(parts) + "]]" if processes > 1 else "null"
        middle = statistics.median(float(sample) for sample in samples)
        texts.append((f"[{','.join(samples)}]", by_process, repr(middle)))
    return texts


def write(path, processes, slow_factor, seed):
    """The document as text: a tree of it would take minutes and gigabytes."""
    template = text(case(1)).strip()
    made = case(1)["timing"]
    template = template.replace("N=1&", "N=@number@&").replace(text(made["samples_s"]).strip(), "@samples@")
    template = template.replace(f'"median_s": {made["median_s"]!r}', '"median_s": @median@')
    template = template.replace('"samples_by_process_s": null', '"samples_by_process_s": @by_process@')
    pieces = [piece for part in template.split("@number@") for piece in part.split("@samples@")]
    assert len(pieces) == 3, "the template has another form"
    head, middle, tail = pieces
    before, rest = tail.split("@by_process@")
    between, after = rest.split("@median@")
    usual, slow = sample_texts(1, processes, seed), sample_texts(slow_factor, processes, seed)
    start, end = text(document(["@"])).split('"@"')
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        file.write(start)
        for number in range(CASES):
            texts = slow if number % EVERY == 0 else usual
            samples, by_process, median = texts[number % len(texts)]
            file.write(f"{',' if number else ''}{head}{number + 1}{middle}{samples}{before}{by_process}{between}"
                       f"{median}{after}")
        file.write(end)


class Scale(Folder, Case):
    def compared_in(self, processes):
        base, new, out = (self.folder / name for name in ("base.json", "new.json", "out.json"))
        begin = time.monotonic()
        write(base, processes, 1, 1)
        write(new, processes, 1.1, 2)
        written = time.monotonic() - begin
        begin = time.monotonic()
        with open(self.folder / "table", "w+", encoding="utf-8") as table:
            child = subprocess.Popen([GPUBENCH, "compare", str(base), str(new), "--json", str(out)], stdout=table,
                                     stderr=subprocess.STDOUT, env=environment())
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - begin
            table.seek(0)
            printed = table.read()
        size = usage.ru_maxrss * 1024
        print(f"\n{CASES} cases of {SAMPLES} samples, {processes} process{'es' if processes > 1 else ''} a side, 2 × "
              f"{base.stat().st_size / 1e6:.0f} MB (made in {written:.1f} s): {seconds:.1f} s, {size / 2**30:.2f} GiB, "
              f"{os.cpu_count()} cores", flush=True)
        self.assertEqual(child.returncode, 1, printed[:2000])
        self.assertTrue(printed.startswith(f"FAIL: {CASES // EVERY} regressions, "), printed[:200])
        counts = parse(out.read_text(encoding="utf-8"))["counts"]
        self.assertEqual(counts["regression"], CASES // EVERY)
        self.assertEqual(sum(counts.values()), CASES)
        self.assertLessEqual(size, BYTES)
        if len(os.sched_getaffinity(0)) >= 2:
            self.assertLessEqual(seconds, SECONDS)

    def test_one_process_a_side(self):
        self.compared_in(1)

    def test_five_processes_a_side(self):
        self.compared_in(5)


if __name__ == "__main__":
    unittest.main()
