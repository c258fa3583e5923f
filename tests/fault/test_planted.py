#!/usr/bin/env python3
"""Bugs are planted in the agent; the assertions that tests make about a recording detect them.

tier: default
timeout: 600

The bugs: a handler that interrupts another and writes into the same queue; and a method that is recognized by its address alone,
while classes are unloaded and their addresses reused, in which case test_unloading.py passes without the bug. (Memory used after it
was freed: test_internal_fault.py.)
"""
import pathlib
import sys

import faulty
from faulty import ct

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jvm"))
import test_unloading

NESTED = 300   # expiries that interrupt another handler
CLASSES = 300  # loaded and unloaded


def ends(jvm, *go, until=lambda: True, **words):
    """Rounds until there is enough; returns the exit status, or why there is none."""
    try:
        jvm.expect("ready")
        while True:
            jvm.round(*go, **words)
            if until():
                return jvm.finish()
    except (RuntimeError, BrokenPipeError) as death:
        return str(death)


def is_whole(path):
    """The assertions of tests about recordings: it can be read, there were no errors, and its samples are those in its books and those
    that the handlers counted."""
    try:
        recording, books = ct.Recording(path), ct.report(path)["books"]
    except (ValueError, KeyError, IndexError, RuntimeError) as damage:
        return False, str(damage)
    if not books:
        return False, "it ends before its first second"
    booked = books["complete"] + books["truncated"] + sum(books["failed"].values())
    weights = sum(sample.weight for sample in recording.samples)
    booked_ns = books["complete_ns"] + books["truncated_ns"] + sum(books["failed_ns"].values())
    taken = sum(event["samples"] for event in ct.jfrfile.events(path) if event["@type"] == "candor.ThreadCpu")
    errors = [line for line in recording.log if line[0] == "error"]
    facts = {"booked": booked, "taken": taken, "written": len(recording.samples), "weights": weights, "booked_ns": booked_ns,
             "accounts_ns": ct.accounts_ns(books), "cpu_ns": books["cpu_ns"], "lost": books["lost"], "errors": errors}
    return (booked == taken == len(recording.samples) > 0 and weights == booked_ns and ct.accounts_ns(books) == books["cpu_ns"]
            and not books["lost"] and not errors), facts


def nested(jdk, planted):
    name = f"nested-{jdk.version}-{planted}"
    what = {"plant": "nests"} if planted else {}
    faults, path = faulty.Faults(name, nested=1, **what), ct.WORK / f"{name}.jfr"
    with ct.Jvm(jdk, "Answer", agent=ct.agent_options(faulty.AGENT, file=path, interval="1ms"), env=faults.environment) as jvm:
        status = ends(jvm, until=lambda: planted or faults.counts()["nested"] >= NESTED, seconds=0.3)
        whole, why = is_whole(path)
        if planted:
            ct.ok(status != 0 or not whole, f"{jdk}: a handler that writes on top of another is caught: {status}, {why}")
        else:
            ct.ok(status == 0 and whole, f"{jdk}: {faults.counts()['nested']} expiries on top of another leave no trace",
                  f"{status} {why}\n{jvm.transcript()}")


def unloaded(jdk):
    name = f"unloaded-{jdk.version}"
    faults, path = faulty.Faults(name, plant="place"), ct.WORK / f"{name}.jfr"
    with ct.Jvm(jdk, "Loaders", agent=ct.agent_options(faulty.AGENT, file=path, interval="500us"), env=faults.environment) as jvm:
        ends(jvm, **{"seconds": 600, "classes": CLASSES, "class": "different"})
    samples = sorted(ct.Recording(path).of_thread("loaders"), key=lambda sample: sample.start)
    wrong, back, _ = test_unloading.follow(samples, test_unloading.UNIT, CLASSES)
    ct.ok(len(wrong) + len(back) > len(samples) / 20 > 10, f"{jdk}: methods known by their place alone are caught: {len(wrong)} wrong "
          f"names and {len(back)} dead ones in {len(samples)} samples")


def main():
    ct.need(faulty.AGENT, ct.PROGRAM)
    for jdk, check in ct.spread(ct.jdks(), (lambda jdk: nested(jdk, False), lambda jdk: nested(jdk, True), unloaded)):
        check(jdk)
    ct.done()


main()
