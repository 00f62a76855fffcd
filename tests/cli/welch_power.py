"""How often the rule of `gpubench compare` finds a slow-down, computed.

Process medians are lognormal with one standard deviation on both sides, n processes a side. The difference of the
mean logarithms over its standard error is then noncentral t with 2(n - 1) degrees of freedom, independent of the share
b of the variance that falls to one side, which is beta((n - 1)/2, (n - 1)/2). Welch's degrees of freedom are
(n - 1)/(b^2 + (1 - b)^2): the power is the tail of the noncentral t beyond the quantile at these, averaged over b.
"""
import functools
import math

STEPS = 200


def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def chi_weights(degrees):
    """Points and weights of s, the root of a chi-square over its degrees."""
    low = max(0.0, math.sqrt(degrees) - 8)
    step = (math.sqrt(degrees) + 8 - low) / STEPS
    points = []
    for index in range(STEPS):
        chi = low + (index + 0.5) * step
        log_density = ((1 - degrees / 2) * math.log(2) - math.lgamma(degrees / 2) + (degrees - 1) * math.log(chi)
                       - chi * chi / 2)
        points.append((chi / math.sqrt(degrees), math.exp(log_density) * step))
    return points


def tail(t, noncentrality, weights):
    """P(T > t) of a noncentral t."""
    return sum(weight * normal(noncentrality - t * s) for s, weight in weights)


def quantile(probability, degrees):
    """Student's t."""
    weights = chi_weights(degrees)
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, 0, weights) > 1 - probability else (low, middle)
    return low


@functools.cache
def quantiles(n, confidence):
    """Quantiles at Welch's degrees of freedom, and their weights."""
    count = 25
    points = []
    for index in range(count):  # b from 0 to 1/2, as the square of a sine: the other half is the same
        angle = (index + 0.5) * math.pi / 4 / count
        b = math.sin(angle) ** 2
        weight = (math.sin(angle) * math.cos(angle)) ** (n - 2)
        points.append((quantile((1 + confidence) / 2, (n - 1) / (b * b + (1 - b) ** 2)), weight))
    total = sum(weight for _, weight in points)
    return [(t, weight / total) for t, weight in points]


def power_beyond(n, deviations, confidence=0.95):
    """Of a slow-down that lies so many standard deviations above the threshold."""
    weights = chi_weights(2 * n - 2)
    noncentrality = deviations / math.sqrt(2 / n)
    return sum(weight * tail(t, noncentrality, weights) for t, weight in quantiles(n, confidence))


def power(n, deviation, slow_down, min_effect=0.02):
    """The share of comparisons that call a slow-down a regression; all as fractions."""
    return power_beyond(n, (math.log1p(slow_down) - math.log1p(min_effect)) / deviation)


def processes_for(deviation, slow_down, wanted=0.9, most=100):
    """The fewest processes a side, five at least, that find it so often; None beyond `most`."""
    low, high = 5, most
    if power(high, deviation, slow_down) < wanted:
        return None
    while low < high:  # it grows with their number
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle, deviation, slow_down) >= wanted else (middle + 1, high)
    return low
