#!/usr/bin/env python3
"""Some pairs of the corpus (bench/corpus): diagnose, attached to a program that has its problem already, names it first, with its line;
it judges the twin, and finds no such problem there.

tier: full
timeout: 600

Chance: the deadlocks and the waits behind them began before the recording and never end. Futures: seven of eight threads wait at a time,
and the owners are looked at 20 times a second for 4 s; half of the looks find them waiting unless the machine has no processor for the
agent. The condition: 18 of 20 threads wait while two have what they wait for, except at the moments in which a thread wakes up; half of
the time would be enough. The overflow: the JVM counts some hundred in 4 s, and 10 would be found; the twin has none.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "corpus"))
import candortest as ct
from cases import PAIRS
from runner import diagnose, judge

CASES = ("Locks.deadlock", "Locks.deadlockOfLocks", "Locks.futureInLock", "Pools.condition", "Work.overflow")
SECONDS = 4


def told(findings):
    return findings if isinstance(findings, str) else [(one["id"], one["text"]) for one in findings]


def main():
    ct.need()
    pairs = [pair for pair in PAIRS if f"{pair.program}.{pair.name}" in CASES]
    ct.ok(len(pairs) == len(CASES), "the corpus has these cases", pairs)
    for jdk, pair in ct.spread(ct.jdks(), pairs):
        if jdk.version not in pair.jdks:
            continue
        what = f"{jdk}, {pair.program}.{pair.name}"
        findings = diagnose(pair, jdk, "planted", SECONDS, None)
        ct.ok(judge(pair, "planted", findings).word == "hit", f"{what}: the first finding, with its line", told(findings))
        findings = diagnose(pair, jdk, "fixed", SECONDS, None)
        ct.ok(not isinstance(findings, str) and not {one["id"] for one in findings} & set(pair.ids), f"{what}: its twin has none",
              told(findings))
    ct.done()


main()
