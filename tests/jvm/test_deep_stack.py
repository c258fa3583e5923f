#!/usr/bin/env python3
"""Deep recursion: a stack that fits is recorded to the last frame; a stack that does not fit is marked as truncated, and keeps its leaf
end.

tier: default
timeout: 300
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def dives(sample):
    return sum(1 for name, _, _ in sample.frames if name == "Deep.dive")


def at_bottom(recording, depth):
    return [s for s in recording.of_thread(f"deep-{depth}") if s.leaf == "Deep.bottom" or
            any(name == "Deep.bottom" for name, _, _ in s.frames)]


def check(jdk, flags, what):
    path = ct.WORK / f"deep-{jdk.version}-{what}.jfr"
    with ct.Jvm(jdk, "Deep", agent=ct.agent_options(file=path, interval="500us"), flags=flags) as jvm:
        jvm.expect("ready")
        jvm.round(depth=100, seconds=0.3)
        jvm.round(depth=3000, seconds=0.5)
        ct.ok(jvm.finish() == 0, f"{jdk}, {what}: the program ends normally", jvm.transcript())
    recording, books = ct.Recording(path), ct.report(path)["books"]
    shallow, deep = at_bottom(recording, 100), at_bottom(recording, 3000)
    exact = sum(1 for s in shallow if dives(s) == 100 and s.outcome == "complete" and not s.cut)
    ct.ok(exact >= 0.99 * len(shallow) > 99,
          f"{jdk}, {what}: {exact} of {len(shallow)} stacks have exactly 100 recursions",
          collections.Counter((dives(s), s.outcome) for s in shallow).most_common(5))
    marked = sum(1 for s in deep if s.outcome == "truncated" and s.cut and 1000 < dives(s) < 3000)
    ct.ok(marked >= 0.99 * len(deep) > 99,
          f"{jdk}, {what}: {marked} of {len(deep)} stacks 3000 deep are marked truncated",
          collections.Counter((dives(s), s.outcome, s.cut) for s in deep).most_common(5))
    ct.ok(not any(s.pc for s in recording.samples if s.outcome in ct.WALKED), "beside a stack stands no pc")
    weight = sum(s.weight for s in recording.samples if s.outcome == "truncated")
    ct.ok(books["truncated_ns"] == weight > 0, f"{jdk}, {what}: the books' truncated account is their weight",
          (books["truncated_ns"], weight))
    ct.identity_closes(books, f"{jdk}, {what}")


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        check(jdk, [], "compiled")
    for jdk in jdks if ct.TIER == "all" else jdks[-1:]:
        check(jdk, ["-Xint"], "interpreted")
    ct.done()


main()
