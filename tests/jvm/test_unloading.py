#!/usr/bin/env python3
"""Thousands of classes are loaded, run and unloaded: no sample has the name of an unloaded method.

tier: default
timeout: 600

Class UnitNNNN has the hot method spinNNNN. One thread runs the classes in the order of their numbers, while the JVM reuses the memory
of unloaded ones. So in each sample the two numbers are equal, and from sample to sample they never go back. A few may go back: a walk
that begins in the middle of a call can mistake a leftover on the stack for a frame. If that happens once in 5,000 samples, which is
more than was ever seen, the count exceeds its mean by 5 standard deviations and 3 with a probability below 1e-6 (Poisson).
In a second round all classes have the same name, in separate class loaders, and only the method's number distinguishes them.
"""
import collections
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

CLASSES = 8000 if ct.TIER == "all" else 1200
UNIT = re.compile(r"Unit(\d{4})\.(?:spin(\d{4})|\w+)")
SAME = re.compile(r"Unit0000\.spin(\d{4})")


def check(jdk, mode, pattern):
    what, path = f"{jdk}, {mode} class names", ct.WORK / f"{mode}-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Loaders", agent=ct.agent_options(file=path, interval="500us")) as jvm:
        jvm.expect("ready")
        truth = jvm.round(**{"seconds": 600, "classes": CLASSES, "class": mode})
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    ct.ok(truth["unloaded"] > 0.5 * truth["classes"],
          f"{what}: {truth['unloaded']} of {truth['classes']} classes were unloaded")
    samples = sorted(ct.Recording(path).of_thread("loaders"), key=lambda sample: sample.start)
    wrong, back, seen = follow(samples, pattern, truth["classes"])
    ct.ok(not wrong, f"{what}: the names belong together in all {len(samples)} samples", wrong[:5])
    mean = len(samples) / 5000
    ct.ok(len(back) <= mean + ct.STANDARD_ERRORS * math.sqrt(mean) + 3,
          f"{what}: {len(back)} of {len(samples)} samples name a method whose turn was over", back[:5])
    ct.ok(len(seen) > 0.8 * truth["classes"], f"{what}: {len(seen)} of {truth['classes']} classes were seen")
    bare = [sample for sample in samples if not sample.has_java]
    ct.rate_below(len(bare), len(samples), 0.05, f"{what}: samples of the thread without a Java frame",
                  collections.Counter((s.outcome, s.state, *s.frames[:1]) for s in bare).most_common(8))


def follow(samples, pattern, classes):
    """(samples with contradicting or impossible numbers, steps back in the numbers, numbers seen)"""
    wrong, back, seen, last = [], [], set(), 0
    for sample in samples:
        matches = [match for name, _, _ in sample.frames for match in [pattern.fullmatch(name)] if match]
        numbers = {int(number) for match in matches for number in match.groups() if number}
        if len(numbers) > 1 or any(number > classes + 1 for number in numbers):
            wrong.append(sample.frames[:3])
        elif numbers:
            number = numbers.pop()
            if number < last:
                back.append((last, sample.outcome, sample.state, sample.frames[:5]))
            last = max(last, number)
            seen.add(number)
    return wrong, back, seen


def main():
    ct.need()
    for jdk, (mode, pattern) in ct.spread(ct.jdks(), [("different", UNIT), ("same", SAME)]):
        check(jdk, mode, pattern)
    ct.done()


if __name__ == "__main__":
    main()
