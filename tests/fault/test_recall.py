#!/usr/bin/env python3
"""What a walk remembers from earlier walks does not change any stack: each stack is walked a second time without it, while methods are
deoptimised, recompiled and unloaded, and others take their places.

tier: default
timeout: 1800

Both walks run in the handler of a thread in Java code, with the same registers, so they must be equal, frame by frame. The walk
remembers what a return address stands for: in one program several inlined frames; in the other, without inlining, the methods that
come and go are callers, too.
"""
import sys

import faulty
from faulty import ct

SECONDS = 20 if ct.TIER == "all" else 3
PROGRAMS = [("Soak", {"alive": 10, "threads": 2, "class": "same"}, "-XX:+Inline"), ("Loaders", {"micros": 20000}, "-XX:-Inline")]


def check(jdk, program, options, flag):
    what, name = f"{jdk}, {program}", f"recall-{program}-{jdk.version}"
    faults = faulty.Faults(name, twice="yes")
    agent = ct.agent_options(faulty.AGENT, file=ct.WORK / f"{name}.jfr", interval="200us")
    with ct.Jvm(jdk, program, agent=agent, flags=["-Xmx128m", flag], env=faults.environment) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=SECONDS, **options)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    counts = faults.counts()
    ct.ok(counts["recalled"] > counts["walks"] // 10 > 10, f"{what}: {counts['walks']} stacks, {counts['recalled']} frames of "
          "them remembered", counts)
    ct.ok(not counts["differ"], f"{what}: {counts['differ']} of {counts['walks']} stacks are not what they are without memory", counts)


def main():
    ct.need(faulty.AGENT)
    for jdk, one in ct.spread(ct.jdks(), PROGRAMS):
        check(jdk, *one)
    ct.done()


main()
