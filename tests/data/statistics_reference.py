"""Writes statistics_reference.json, what the statistics of the program are tested against, beside itself.

Needs scipy 1.11 or later and mpmath. The tests read the JSON alone. All chance is seeded: another run of the same
versions writes the same file.
"""
import json
import math
import pathlib
import platform

import mpmath
import numpy
import scipy
from scipy import stats

mpmath.mp.dps = 40


def student_t_quantile(p, degrees):
    """To all digits of a double: SciPy's own, at 0.4999999 and 4 degrees right to 4e-4, improved with 40 digits."""
    t = mpmath.mpf(float(stats.t.ppf(p, degrees)))
    p, v = mpmath.mpf(p), mpmath.mpf(degrees)
    scale = mpmath.gamma((v + 1) / 2) / mpmath.gamma(v / 2) / mpmath.sqrt(v * mpmath.pi)
    for _ in range(6):
        if 2 * t * t > v:
            tail = mpmath.betainc(v / 2, mpmath.mpf(1) / 2, 0, v / (v + t * t), regularized=True) / 2
            excess = 1 - tail - p if t > 0 else tail - p
        else:
            center = mpmath.betainc(mpmath.mpf(1) / 2, v / 2, 0, t * t / (v + t * t), regularized=True) / 2
            excess = mpmath.mpf(1) / 2 + mpmath.sign(t) * center - p
        t -= excess / (scale * (1 + t * t / v) ** (-(v + 1) / 2))
    assert abs(t / stats.t.ppf(float(p), degrees) - 1) < 1e-3
    return float(t)


def student_t():
    small = [1e-6, 1e-4, 0.001, 0.005, 0.025, 0.1, 0.2499, 0.2501, 0.4, 0.499, 0.4999999]
    degrees = [0.5, 0.9, 1, 1.5, 2, 2.7, 3, 4, 4.31, 5, 7.7, 8, 12.5, 19, 38, 63.5, 64.5, 200, 1234.5, 1e4, 1e5, 1e6]
    return [[p, v, student_t_quantile(p, v)] for v in degrees for p in small + [1 - p for p in (1e-6, 0.025, 0.3)]]


def lognormal(generator, count, center, sd):
    """Rounded, so that the file stays small; the reference is computed from what is written."""
    return [float(f"{x:.7g}") for x in center * numpy.exp(generator.normal(0, sd, count))]


def summaries(generator):
    rows = []
    samples = [lognormal(generator, n, 1.5e-5, 0.02) for n in (1, 2, 3, 7, 8, 20, 33)]
    samples += [[3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [-2.5, 0, 1e9, -1e-9]]
    for values in samples:
        rows.append({
            "values": values,
            "median": float(numpy.median(values)),
            "median_absolute_deviation": float(stats.median_abs_deviation(values)),
            "quantiles": [[q, float(numpy.quantile(values, q, method="linear"))]
                          for q in (0, 0.025, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.975, 1)],
        })
    return rows


def median_ranks():
    """[n, confidence, low, high]: the order statistics, from 1, of the narrowest symmetric interval that covers."""
    rows = []
    for confidence in (0.9, 0.95, 0.99):
        for n in range(5, 61):
            covered = [k for k in range(1, n // 2 + 1) if 1 - 2 * stats.binom.cdf(k - 1, n, 0.5) >= confidence]
            low = max(covered, default=1)
            rows.append([n, confidence, low, n + 1 - low])
    return rows


def welch(generator):
    rows = []
    shapes = [(2, 2, 0.01, 0.01, 1), (3, 3, 0.003, 0.003, 1), (5, 5, 0.027, 0.027, 1.1), (5, 5, 0.001, 0.05, 1),
              (5, 9, 0.02, 0.004, 0.97), (12, 3, 0.01, 0.03, 1.02), (40, 8, 0.5, 0.1, 2), (6, 2, 1e-6, 1e-6, 1)]
    for base_count, fresh_count, base_sd, fresh_sd, ratio in shapes:
        base = lognormal(generator, base_count, 2e-4, base_sd)
        fresh = lognormal(generator, fresh_count, 2e-4 * ratio, fresh_sd)
        for confidence in (0.95, 0.8):
            test = stats.ttest_ind(numpy.log(fresh), numpy.log(base), equal_var=False)
            interval = test.confidence_interval(confidence)
            rows.append({"base": base, "fresh": fresh, "confidence": confidence,
                         "ratio": float(stats.gmean(fresh) / stats.gmean(base)),
                         "low": math.exp(interval.low), "high": math.exp(interval.high)})
    return rows


def log_means(generator):
    rows = []
    for count, sd in ((2, 0.01), (3, 0.2), (5, 0.027), (30, 0.004)):
        values = lognormal(generator, count, 3e-3, sd)
        for confidence in (0.95, 0.6):
            interval = stats.ttest_1samp(numpy.log(values), 0).confidence_interval(confidence)
            rows.append({"values": values, "confidence": confidence,
                         "low": math.exp(interval.low), "high": math.exp(interval.high)})
    return rows


def bootstraps(generator):
    """An end of an interval from R resamples is the quantile of the distribution at a level with the standard error
    sqrt(q (1 - q) / R): `within` is where 3.5 of them lie, for each R, as [low from, to, high from, to]."""
    def ratio(base, fresh, axis):
        return numpy.median(fresh, axis=axis) / numpy.median(base, axis=axis)

    rows = []
    for base_count, fresh_count, sd, confidence in ((20, 20, 0.005, 0.95), (9, 9, 0.03, 0.95), (20, 33, 0.02, 0.95),
                                                    (9, 20, 0.01, 0.8), (101, 150, 0.01, 0.95), (1, 10, 0.02, 0.95)):
        base = lognormal(generator, base_count, 1e-5, sd)
        fresh = lognormal(generator, fresh_count, 1.03e-5, 1.5 * sd)
        if base_count > 1:
            drawn = stats.bootstrap((base, fresh), ratio, vectorized=True, paired=False, n_resamples=400_000,
                                    batch=20_000, method="percentile", confidence_level=confidence,
                                    rng=generator).bootstrap_distribution
        else:  # SciPy bootstraps no sample of one value
            resampled = generator.choice(fresh, (400_000, fresh_count))
            drawn = ratio(numpy.full((400_000, 1), base[0]), resampled, 1)
        tail = (1 - confidence) / 2
        within = {}
        for resamples in (2000, 100_000):
            slack = 3.5 * math.sqrt(tail * (1 - tail) * (1 / resamples + 1 / len(drawn)))
            levels = [tail - slack, tail + slack, 1 - tail - slack, 1 - tail + slack]
            within[str(resamples)] = [float(x) for x in numpy.quantile(drawn, levels)]
        rows.append({"base": base, "fresh": fresh, "confidence": confidence, "within": within})
    return rows


def main():
    generator = numpy.random.default_rng(20240229)
    tables = {
        "student_t_quantile": student_t(),
        "summaries": summaries(generator),
        "median_ranks": median_ranks(),
        "welch": welch(generator),
        "log_mean": log_means(generator),
        "bootstrap": bootstraps(generator),
    }
    versions = {"python": platform.python_version(), "numpy": numpy.__version__, "scipy": scipy.__version__,
                "mpmath": mpmath.__version__}
    head = [f'"made_by": "tests/data/{pathlib.Path(__file__).name}"', f'"versions": {json.dumps(versions)}']
    body = [f"{json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, rows)) + "\n]" for name, rows in tables.items()]
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("{\n" + ",\n".join(head + body) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
