#!/usr/bin/env python3
"""Where stack walkers get lost, hardly any stack is not whole.

tier: default
timeout: 1800

Each load of Places.java runs by itself; all threads count. At most one stack in a thousand may not be whole, and of those of
threads whose stacks overflow one in twenty; the bound adds five standard errors to it. A stack deeper than the most frames a
walk takes is cut there by design. The methods that throw call each other, so a caller that was passed over shows as two of one
name in a row: that, too, happens to one whole stack in a thousand at most.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import places

FEWEST = 200  # samples: of a load in the kernel, who may not sample it sees a fifth
SECONDS = 5 if ct.TIER == "all" else 1


def check(jdk, load):
    path = ct.WORK / f"{load}-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places", agent=ct.agent_options(file=path, interval="500us"), flags=["-Xmx256m"]) as jvm:
        jvm.expect("ready")
        jvm.round(load=load, seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{jdk}, {load}: the program ends well", jvm.transcript())
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
