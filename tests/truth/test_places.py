#!/usr/bin/env python3
"""Where stack walkers get lost, hardly any stack is not whole.

tier: default
timeout: 1800

Each load of Places.java runs by itself; all threads count. At most one stack in a thousand may not be whole, and of those of
threads whose stacks overflow one in twenty; the bound adds five standard errors to it. A stack deeper than the most frames a
walk takes is cut there by design.
"""
import collections
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

LOADS = ("arraycopy smallcopy crc32 adler32 fill math string concat megamorphic lambda stream exceptions recursion gc zlib kernel "
         "jit classes overflow").split()
SECONDS = 5 if ct.TIER == "all" else 1
DEPTH_CAP = 2000  # nearly FRAMES_MAX of hot/record.h


def check(jdk, load):
    path = ct.WORK / f"{load}-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places", agent=ct.agent_options(file=path, interval="500us"), flags=["-Xmx256m"]) as jvm:
        jvm.expect("ready")
        jvm.round(load=load, seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{jdk}, {load}: the program ends well", jvm.transcript())
    samples = [sample for sample in ct.Recording(path).samples if len(sample.frames) < DEPTH_CAP]
    bad = [sample for sample in samples if sample.outcome != "complete"]
    expected = (0.05 if load == "overflow" else 0.001) * len(samples)
    most = expected + ct.STANDARD_ERRORS * math.sqrt(expected)
    ct.ok(len(bad) <= most and len(samples) > 500,
          f"{jdk}, {load}: {len(bad)} of {len(samples)} stacks are not whole, at most {most:.0f} may", describe(bad))


def describe(bad):
    tops = collections.Counter((s.outcome, s.state, *(f"{name} [{kind}]" for name, kind, _ in s.frames[:4])) for s in bad)
    return "\n".join(f"{count} {top}" for top, count in tops.most_common(12))


def main():
    ct.need()
    for jdk, load in ct.spread(ct.jdks(), LOADS):
        check(jdk, load)
    ct.done()


main()
