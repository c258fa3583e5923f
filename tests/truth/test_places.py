#!/usr/bin/env python3
"""In places where a stack walk is difficult, hardly any stack is incomplete.

tier: default
timeout: 1800

Each load of Places.java runs alone; all threads count. At most one stack in a thousand may be incomplete, and one in twenty for
threads whose stacks overflow; the bound adds five standard errors. A stack that is deeper than the limit of frames is cut there by
design. The methods that throw call each other, so a missing caller shows as two successive frames of one method: that, too, may
happen in at most one whole stack in a thousand.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import places

FEWEST = 200  # samples: of a load in the kernel, a user who may not sample the kernel sees a fifth
SECONDS = 5 if ct.TIER == "all" else 1


def check(jdk, load):
    path = ct.WORK / f"{load}-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places", agent=ct.agent_options(file=path, interval="500us"), flags=["-Xmx256m"]) as jvm:
        jvm.expect("ready")
        jvm.round(load=load, seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{jdk}, {load}: the program ends normally", jvm.transcript())
    samples = [sample for sample in ct.Recording(path).samples if len(sample.frames) < places.DEPTH_CAP]
    bad = [sample for sample in samples if sample.outcome != "complete"]
    most = ct.at_most((0.05 if load == "overflow" else 0.001) * len(samples))
    ct.ok(len(bad) <= most and len(samples) > FEWEST,
          f"{jdk}, {load}: {len(bad)} of {len(samples)} stacks are not whole, at most {most:.0f} may", describe(bad))
    if load == "exceptions":
        lacking, most = list(filter(lacks_caller, samples)), ct.at_most(0.001 * len(samples))
        ct.ok(len(lacking) <= most, f"{jdk}, {load}: {len(lacking)} of {len(samples)} stacks lack a method, at most {most:.0f} may",
              describe(lacking))


def lacks_caller(sample):
    names = [name for name, _, _ in sample.frames]
    return any(name == caller and name in ("Places.even", "Places.odd") for name, caller in zip(names, names[1:]))


def describe(bad):
    tops = collections.Counter((s.outcome, s.state, *(f"{name} [{kind}]" for name, kind, _ in s.frames[:4])) for s in bad)
    return "\n".join(f"{count} {top}" for top, count in tops.most_common(12))


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk, load in ct.spread(jdks, places.loads(jdks[-1])):
        check(jdk, load)
    ct.done()


main()
