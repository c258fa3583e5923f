#!/usr/bin/env python3
"""The programs of `candor verify` follow their protocol, and their true shares are the intended ones.

tier: default
timeout: 600

Compared with src/verify/README.md: each line; names; parts that do not overlap and that together do not exceed the CPU time of the
round, which itself does not exceed the CPU time of the process. And compared with the intention: if the ratio of parts is known, the
shares, or the shares among threads of one kind, lie within the variation of a deck of pieces. These are not samples: each piece is
measured, and the deck has exactly the intended number of each; only the duration of a piece varies. So the bound is for mistakes, not
for noise.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

JAR = ct.BUILD / "verify.jar"
SECONDS = 0.3
SHARE = 0.10  # how much a share may differ from the intended one

# Case: the intended ratio of the parts, in any unit; None if nothing is known in advance. The threads of `short-threads` have a fixed
# amount of work, and the long thread a fixed time: their ratio depends on the machine, which may slow down.
MEANT = {
    "shares": {"Fifty": 5, "Thirty": 3, "Twenty": 2},
    "shares-threads": {"Fifty": 5, "Thirty": 3, "Twenty": 2},
    "trap-hot": {"TrapHot.calledHot": 1, "TrapHot.inlinedHot": 1, "TrapHot.neighbour": 0, "TrapHot.callerBefore": 0,
                 "TrapHot.callerAfter": 0, "TrapHot.inlinerBefore": 0, "TrapHot.inlinerAfter": 0},
    "trap-setter": {"TrapSetter.blameSetter": 1, "TrapSetter.blameDeepSetter": 1, "TrapSetter.set": 0, "TrapSetter.set1": 0},
    "intrinsics": dict.fromkeys(("Arraycopy", "Crc32", "Adler", "Fill", "FillDown", "Strings", "Functions", "Aes"), 1),
    "copies": {"Copy": 1, "Arithmetic": 1},
    "bursts": None,
    "periodic": {"quarter": 1, "rest": 3},
    "short-threads": {"first": 1, "second": 1, "long": None},
    "many-threads": {"a": 1, "b": 2, "c": 4, "d": 8, "e": 16},
    "gc": {"Nodes": 3, "Arrays": 2},
    "jit": None,
    "deopt": None,
    "exceptions": {"Throwing": 1, "Arithmetic": 1},
    "kernel": {"Read": 1, "Write": 1, "Arithmetic": 1},
    "zlib": {"Deflate": 1, "Inflate": 1, "Arithmetic": 1},
    "recursion": {"Dive.bottom": 3, "Dive.halfWay": 2},
    "megamorphic": {"Circle": 6, "Square": 5, "Triangle": 4, "Star": 3, "Line": 2, "Point": 1},
    "lambda": {"Chained.rotate": 3, "Chained.scramble": 2, "Merged.combine": 2, "Counting": 2, "Streaming": 1},
    "virtual": {"first": 7, "second": 3},
    "virtual-names": {"a-first": 7, "a-second": 3, "b-first": 21, "b-second": 9},
    "causality": {"before-first": 5, "before-second": 3, "before-third": 2, "after-first": 5, "after-second": 9, "after-third": 2},
    "slowdown-uniform": {"before-first": 5, "before-second": 3, "before-third": 2, "after-first": 10, "after-second": 6,
                         "after-third": 4},
    "slowdown-selective": {"before-first": 5, "before-second": 3, "before-third": 2, "after-first": 5, "after-second": 6,
                           "after-third": 2},
}
# How much of the CPU time may be in no part: much if threads start, sleep, or load classes.
REMAINDER = collections.defaultdict(lambda: 0.10, {"bursts": 0.5, "short-threads": 0.5, "jit": 0.5, "deopt": 0.5, "recursion": 0.3,
                                                   "virtual": 0.5, "virtual-names": 0.5})

Part = collections.namedtuple("Part", "name threads method ns")


def round_of(jvm, seconds):
    """(parts, prefixes of other threads, cpu, CPU time of the process); ValueError at a line that does not belong to the protocol."""
    begin = jvm.cpu_ns()
    jvm.say(f"go seconds={seconds}")
    parts, others, cpu = [], [], None
    while True:
        line = jvm.expect("")
        kind, *words = line.split(" ")
        if kind == "part" and len(words) == 4 and cpu is None:
            parts.append(Part(*words[:3], int(words[3])))
        elif kind == "threads" and len(words) == 1 and cpu is None:
            others.append(words[0])
        elif kind == "cpu" and len(words) == 1 and cpu is None:
            cpu = int(words[0])
        elif line == "done" and cpu is not None:
            return parts, others, cpu, jvm.cpu_ns() - begin
        else:
            raise ValueError(line)


def check_round(what, case, seconds, parts, others, cpu, used):
    names = [part.name for part in parts]
    places = {(part.threads, part.method) for part in parts}
    ct.ok(len(set(names)) == len(names) and len(places) == len(parts), f"{what}: parts have names and places of their own", parts)
    ct.ok(all(part.threads.startswith("verify-") and re.fullmatch(r"-|verify\.[A-Z]\w*(\$\w+)?\.[a-z]\w*", part.method)
              for part in parts), f"{what}: threads and methods can be matched", parts)
    ct.ok(bool(others) == case.startswith("virtual"), f"{what}: work is done under other names where it has to be", others)
    charged = sum(part.ns for part in parts)
    ct.ok(cpu * (1 - REMAINDER[case]) <= charged <= cpu, f"{what}: the parts are {charged / cpu:.3f} of the CPU time", parts)
    # The JVM's own threads work in addition; the process clock may lag by a tick.
    ct.ok(cpu <= used + 10_000_000, f"{what}: {cpu} ns are no more than the {used} ns of the process")
    ct.ok(0.5 * seconds <= cpu / 1e9 <= 2 * seconds + 0.3, f"{what}: {cpu / 1e9:.2f} s of CPU time where {seconds} were requested")


def check_shares(what, meant, parts):
    known = [part for part in parts if meant[part.name] is not None]
    charged, all_meant = sum(part.ns for part in known), sum(meant[part.name] for part in known)
    wrong = [f"{part.name}: {part.ns / charged:.3f}, meant {meant[part.name] / all_meant:.3f}" for part in known
             if abs(part.ns / charged - meant[part.name] / all_meant) > SHARE * (meant[part.name] > 0)]
    ct.ok(not wrong, f"{what}: shares are as intended within {SHARE}", "\n".join(wrong))


def check(jdk, case):
    what = f"{jdk}, {case}"
    with ct.Jvm(jdk, "-cp", JAR, "verify.Main", case) as jvm:
        first = jvm.expect("")
        if case.startswith("virtual") and jdk.version < 21:
            ct.ok(first.startswith("unavailable ") and jvm.finish() == 0, f"{what}: {first}")
            return
        ct.ok(first == "ready", f"{what}: {first}")
        # The second round shows that a round leaves nothing behind.
        for seconds in (SECONDS, 0.1):
            parts, others, cpu, used = round_of(jvm, seconds)
            check_round(f"{what}, {seconds} s", case, seconds, parts, others, cpu, used)
            if MEANT[case] and ct.ok([part.name for part in parts] == list(MEANT[case]), f"{what}: the parts that are meant", parts) \
                    and seconds == SECONDS:
                check_shares(what, MEANT[case], parts)
        ct.ok(jvm.finish() == 0 and not jvm.err, f"{what}: ends normally", jvm.transcript())


def wrong_usage(jdk):
    for words in ([], ["nonsense"]):
        result = ct.run(jdk.java, "-cp", JAR, "verify.Main", *words)
        ct.ok(result.status == 2 and len(result.err.splitlines()) == 1 and not result.out, f"{jdk}: {words} is refused", result)
    listed = result.err.split("one of: ")[1].split()
    ct.ok(listed == list(MEANT), "the program names all cases", listed)


def main():
    ct.need(JAR)
    jdks = ct.jdks()
    wrong_usage(jdks[0])
    for jdk, case in ct.spread(jdks, list(MEANT)):
        check(jdk, case)
    ct.done()


main()
