#!/usr/bin/env python3
"""Guarded loads that fault at random, and walks from registers that no thread ever had, in a working JVM, do no harm.

tier: default
timeout: 3600

In the handler, after each real sample, the faulty agent (inject.c) makes several walks from random values and from nearly right
values: addresses of code, the stacks of other threads, metadata, the edges of pages, impossible addresses. At the same time classes
are unloaded, threads end, methods are compiled, and stacks overflow (so the JVM handles faults of its own). Each walk must end within
its bounds, with one of the outcomes. The real samples must stay as good as without the walks, and if loads fail, too, the recording
must stay whole.
"""
import sys

import faulty
from faulty import ct

PROGRAMS = {"Loaders": {"class": "same"}, "ThreadChurn": {"alive": 20}, "Intrinsics": {}, "Overflow": {"threads": 3}}
# Fault probability of a load, program, and the number of random walks.
RUNS = [(0, "Loaders", 100_000), (0.001, "ThreadChurn", 50_000), (0.1, "Intrinsics", 50_000), (0.01, "Overflow", 20_000)]
if ct.TIER == "all":
    RUNS = [(probability, program, walks) for program in PROGRAMS
            for probability, walks in ((0, 2_500_000), (0.001, 500_000), (0.01, 500_000), (0.1, 500_000))]
WALKED = {"complete", "truncated", "no_java_frame", "bad_anchor"}


def run(jdk, probability, program, walks):
    what = f"{jdk}, {program}, loads fail at {probability}"
    name = f"{program}-{jdk.version}-{probability}"
    faults, path = faulty.Faults(name, loads=probability, walks=200), ct.WORK / f"{name}.jfr"
    agent = ct.agent_options(faulty.AGENT, file=path, interval="1ms")
    with ct.Jvm(jdk, program, agent=agent, flags=["-Xmx256m"], env=faults.environment) as jvm:
        try:
            jvm.expect("ready")
            while faults.counts()["walks"] < walks:
                jvm.round(seconds=2 if ct.TIER == "all" else 0.2, **PROGRAMS[program])
            status = jvm.finish()
        except (RuntimeError, BrokenPipeError) as death:
            status = death
        if not ct.ok(status == 0, f"{what}: the JVM lives and ends normally", f"{status}\n{jvm.transcript()}"):
            return
    check(what, faults.counts(), probability, path)


def check(what, counts, probability, path):
    outcomes = {name: n for name, n in counts["outcomes"].items() if n}
    ct.note(f"{what}: {counts['walks']} walks, {counts['frames']} frames, {counts['loads']} loads, {counts['faults']} faults "
            f"at {counts['sites']} places, {outcomes}")
    ct.ok(sum(outcomes.values()) == counts["walks"] and not counts["unbounded"],
          f"{what}: {counts['walks']} walks, each with an outcome and within its bounds", counts)
    expected = {"truncated", "no_java_frame"} if probability >= 0.01 else {"complete", "truncated", "no_java_frame"}
    ct.ok(expected <= set(outcomes) <= WALKED and counts["frames"] > counts["walks"] // 4,
          f"{what}: they meet the outcomes that a walk can have", counts)
    recording, books = ct.Recording(path), ct.report(path)["books"]
    events = len(recording.samples)
    kept = sum(1 for sample in recording.samples if not sample.weight)
    ct.ok(kept == counts["kept"] > 100, f"{what}: {kept} of {counts['kept']} walks that were kept are in the recording")
    ct.identity_closes(books, what)
    booked = books["complete"] + books["truncated"] + sum(books["failed"].values())
    ct.ok(booked == events, f"{what}: {events} samples, and {booked} in the books", books)
    if probability:
        ct.ok(probability < 0.1 or counts["sites"] > 40, f"{what}: loads failed at {counts['sites']} places in the code", counts)
    else:
        real = [sample for sample in recording.samples if sample.weight and sample.of_java and sample.state == "STATE_RUNNABLE"]
        bad = sum(1 for sample in real if sample.outcome not in ct.WALKED)
        most = ct.at_most(0.05 * len(real))
        ct.ok(bad <= most, f"{what}: {bad} of {len(real)} real samples in Java code have no stack, at most {most:.0f} may")


def main():
    ct.need(faulty.AGENT, ct.PROGRAM)
    for jdk, one in ct.spread(ct.jdks(), RUNS, each=2):
        run(jdk, *one)
    ct.done()


main()
