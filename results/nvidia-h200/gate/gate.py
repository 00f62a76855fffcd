#!/usr/bin/env python3
"""How good is the gate? Measures one build again and again, and twins of it that are slower on purpose,
and counts what `gpubench compare` says.

  gate.py measure --gpubench build/gpubench --slowed build/tests/gpubench_slowed --out documents --repeats 10
  gate.py judge --gpubench build/gpubench --documents documents > gate.md

`measure` runs configs/ci.json in five processes: the program, its twin slowed by 3 % and the one slowed by
10 %, in turn, so that what drifts hits all three. All of one call are held to one document of ceilings. `judge` compares
every pair of repeats of the program at the defaults of `compare`, and each slowed run with the run of the
program in the same repeat. Runs that were cut short do not count. It needs no GPU.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SLOWED = (3, 10)


def run(command, environment=None):
    started = time.monotonic()
    done = subprocess.run(command, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return time.monotonic() - started


def measure(arguments):
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    ceilings = out / "ceilings.json"
    if not ceilings.exists():
        run([arguments.gpubench, "roofline", "--json", ceilings, "-q"])
    common = ["run", "--config", ROOT / "configs/ci.json", "--processes", "5", "--ceilings", ceilings, "-q",
              "--verify", arguments.verify]
    for repeat in range(arguments.first, arguments.first + arguments.repeats):
        seconds = run([arguments.gpubench, *common, "--json", out / f"base_{repeat:02}.json"])
        print(f"repeat {repeat}: {seconds:.1f} s", flush=True)
        for percent in SLOWED:
            run([arguments.slowed, *common, "--json", out / f"slowed_{percent}_{repeat:02}.json"],
                {"GPUBENCH_SLOWED_PERCENT": str(percent)})


def compared(gpubench, base, new, *options):
    """Verdict and ratio by case id."""
    done = subprocess.run([gpubench, "compare", base, new, "--json", "-", *options],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"compare {base} {new}: exit status {done.returncode}")
    return {case["id"]: case for case in json.loads(done.stdout)["cases"]}


def complete(path):
    """Whether the run came to its end: a time limit may have cut it short."""
    return json.loads(path.read_text())["status"] == "complete"


def deviations(documents):
    """Standard deviation of the logarithms of process medians, pooled within the repeats, in percent."""
    by_case = {}
    for path in documents:
        for case in json.loads(path.read_text())["cases"]:
            medians = [math.log(statistics.median(one)) for one in case["timing"]["samples_by_process_s"]]
            by_case.setdefault(case["id"], []).append(statistics.variance(medians))
    return {case: 100 * math.sqrt(statistics.mean(variances)) for case, variances in by_case.items()}


def judge(arguments):
    folder = pathlib.Path(arguments.documents)
    bases = [path for path in sorted(folder.glob("base_*.json")) if complete(path)]
    pairs = list(itertools.combinations(bases, 2))
    spread = deviations(bases)
    verdicts = {case: {} for case in spread}
    at_clock = {case: {} for case in spread}
    for base, new in pairs:
        for table, options in ((verdicts, ()), (at_clock, ("--metric", "percent-of-roof-at-clock"))):
            for case, found in compared(arguments.gpubench, base, new, *options).items():
                counts = table[case]
                counts[found["verdict"]] = counts.get(found["verdict"], 0) + 1
    caught = {}
    for percent in SLOWED:
        for base in bases:
            slowed = folder / base.name.replace("base", f"slowed_{percent}")
            if not slowed.exists() or not complete(slowed):
                continue
            for case, found in compared(arguments.gpubench, base, slowed).items():
                caught.setdefault((case, percent), []).append(found)

    print(f"{len(bases)} repeats of five processes, {len(pairs)} pairs; sd is between processes of one repeat.\n")
    print("| case | sd | A/A regressions | improvements | inconclusive | same | 3 % caught | seen as | 10 % caught | seen as |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for case, counts in verdicts.items():
        row = [f"`{case}`", f"{spread[case]:.2f} %"]
        row += [str(counts.get(verdict, 0)) for verdict in ("regression", "improvement", "inconclusive", "same")]
        for percent in SLOWED:
            found = caught.get((case, percent), [])
            hits = sum(one["verdict"] == "regression" for one in found)
            ratios = [one["ratio"] for one in found if one["ratio"]]
            row += [f"{hits} of {len(found)}",
                    f"+{100 * (statistics.median(ratios) - 1):.1f} %" if ratios else ""]
        print("| " + " | ".join(row) + " |")
    print(f"\nA/A regressions over all cases and pairs: {sum(c.get('regression', 0) for c in verdicts.values())}"
          f" of {len(pairs) * len(verdicts)}; by percent-of-roof-at-clock:"
          f" {sum(c.get('regression', 0) for c in at_clock.values())}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("measure")
    one.add_argument("--gpubench", required=True)
    one.add_argument("--slowed", required=True)
    one.add_argument("--out", required=True)
    one.add_argument("--repeats", type=int, default=10)
    one.add_argument("--first", type=int, default=1)
    one.add_argument("--verify", default="sampled", help="off saves a third of the time where the answers are known")
    one.set_defaults(run=measure)
    one = commands.add_parser("judge")
    one.add_argument("--gpubench", required=True)
    one.add_argument("--documents", required=True)
    one.set_defaults(run=judge)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
