"""Results documents for tests of `gpubench compare`: made, not measured, and fitting docs/result.schema.json."""

import copy
import json
import math
import random
import statistics

from compare_formats import comparison_faults
from support import environment, gpubench, parse

DEVICE = {"kind": "cuda", "id": "cuda:0", "name": "Test GPU", "uuid": "GPU-1", "compute_capability": "9.0",
          "multiprocessors": 132, "l2_bytes": 52428800, "memory_bytes": 85899345920, "sm_clock_max_hz": 1.98e9,
          "memory_clock_max_hz": 3.2e9, "driver_version": "580.1", "cuda_runtime_version": "13.0",
          "ecc_enabled": True, "mig_profile": None, "power_limit_w": 700.0}

DOCUMENT = {
    "schema": "gpubench.results/1", "status": "complete",
    "tool": {"version": "0.1.0", "git_commit": None, "git_dirty": None, "compiler": "GNU 12.2.0", "cuda_toolkit": None,
             "cuda_architectures": [], "build_type": "Release", "kernel_sources_sha256": None},
    "command": ["gpubench", "run", "vector_add"], "started_at": "2026-11-29T18:00:00Z",
    "finished_at": "2026-11-29T18:00:05Z",
    "host": {"name": "node1", "os": "Debian 12", "cpu": "x86-64", "logical_cores": 16, "memory_bytes": 137438953472},
    "device": DEVICE, "ceilings_source": None, "ceilings": [], "cases": []}


def noisy(center, spread, count, seed):
    """Lognormal samples; the same for the same seed."""
    draw = random.Random(seed)
    return [center * math.exp(draw.gauss(0, spread)) for _ in range(count)]


def slower(factor=1.0, seed=1):
    """One process of 20 samples, `factor` times a millisecond."""
    return [noisy(1e-3 * factor, 0.002, 20, seed)]


def processes(count, factor=1.0, spread=0.001, seed=1):
    """Processes whose medians differ by a relative `spread`."""
    return [noisy(center, 0.002, 20, f"{seed} {number}")
            for number, center in enumerate(noisy(1e-3 * factor, spread, count, seed))]


def telemetry(**figures):
    return {"sm_clock_hz": {"before": None, "during": 1.9e9, "after": None, "burst": None}, "memory_clock_hz": None,
            "power_w": None, "energy_j_per_launch": None, "temperature_c": None, "throttle_reasons": [],
            "other_processes": None, **figures}


def median(samples):
    """As statistics.median, also where the sum of the middle two is past a double."""
    low, high = statistics.median_low(samples), statistics.median_high(samples)
    return low + (high - low) / 2


def timing(samples_by_process):
    samples = [sample for process in samples_by_process for sample in process]
    return {"clock": "cuda_event", "launches_per_sample": 1, "warmup_s": 0.4, "samples_s": samples,
            "samples_by_process_s": samples_by_process if len(samples_by_process) > 1 else None,
            "median_s": median(samples or [1e-3]), "min_s": min(samples, default=1e-3),
            "max_s": max(samples, default=1e-3), "mad_s": 1e-6, "median_ci95_s": None,
            "burst_s": None, "stop_reason": "20 samples"}


def case(number, samples_by_process=None, energies=None, **changes):
    """A DRAM-sized case of vector_add, 80 % of its roof at a millisecond, ok unless `changes` say otherwise."""
    samples_by_process = samples_by_process or slower()
    made = {
        "id": f"vector_add/vectorized_16B?dtype=f32&N={number}&cache=warm", "family": "vector_add",
        "variant": "vectorized_16B", "role": "ladder", "dtype": "f32", "parameters": {"N": number}, "seed": 1,
        "cache": "warm", "input": "random", "status": "ok", "reason": None, "verification": None,
        "timing": timing(samples_by_process), "telemetry": telemetry(), "telemetry_by_process": None,
        "work": {"flops": 1e9, "bytes_read": 8e9, "bytes_written": 4e9, "modelled_bytes": None,
                 "working_set_bytes": 12e9, "convention": "made up"},
        "achieved": None,
        "roof": {"regime": "sustained", "compute_ceiling": "fp32_fma", "memory_ceiling": "dram_triad",
                 "compute_flops_per_s": 6e13, "memory_bytes_per_s": 4e12, "limited_by": "dram_triad",
                 "attainable_s": 8e-4, "percent_of_roof": 80.0, "percent_of_roof_at_clock": 80.0,
                 "percent_of_roof_burst": None, "above_roof": False},
        "counters": None, "notes": [], "stages": None, "transfer_share": None}
    if energies:
        made["telemetry_by_process"] = [telemetry(energy_j_per_launch=energy) for energy in energies]
    return {**made, **changes}


def ceiling(name, unit, value, spread=0.001):
    return {"name": name, "unit": unit, "status": "ok", "reason": None, "value": value, "burst": None,
            "sustained": value, "theoretical": None, "percent_of_theoretical": None, "technique": "made up",
            "data_pattern": None, "working_set_bytes": None, "timing": timing([noisy(1e-3, spread, 20, name)]),
            "telemetry": telemetry(), "percent_of_theoretical_at_clock": None}


def document(cases=(), **changes):
    return {**copy.deepcopy(DOCUMENT), "cases": list(cases), **changes}


def on_device(**changes):
    """What a document says of a device that differs so from the others'."""
    return {"device": {**DEVICE, **changes}}


def text(made):
    """As JSON; a number that is none would be refused here already."""
    return json.dumps(made, allow_nan=False) + "\n"


class Folder:
    """For a test with a folder of its own: documents in it, and `gpubench compare` on them."""

    def put(self, name, *cases, **changes):
        """A file with a document of these cases."""
        path = self.folder / name
        path.write_text(text(document(cases, **changes)), encoding="utf-8")
        return path

    def compare(self, *arguments, **options):
        """There is no GPU for it, and it needs none."""
        return gpubench("compare", *arguments, env=environment(CUDA_VISIBLE_DEVICES=""), **options)

    def compared(self, base, new, *options, code=0):
        """The comparison of two documents that --json gives, held against its schema."""
        run = self.compare(base, new, "--json", "-", *options)
        self.assert_code(run, code)
        self.assertEqual(comparison_faults(run.stdout), [])
        return parse(run.stdout)

    def verdicts(self, base, new, *options, code=0):
        return [found["verdict"] for found in self.compared(base, new, *options, code=code)["cases"]]
