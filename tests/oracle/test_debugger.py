#!/usr/bin/env python3
"""gdb's native frames of a JVM's threads, stopped anywhere in their work, compared with our walker's from the same registers.

tier: default
timeout: 1800

Both use the call frame information of the libraries. The test compares the frames up to the first Java frame, which gdb cannot walk,
or to the thread's first function. At most one stack in two hundred may differ; the bound adds five standard errors of that share.
"""
import collections
import math

import standing
from standing import ct

STOPS = 100 if ct.TIER == "all" else 12
MOST_DIFFERENT = 0.005


def native_part(frames):
    pcs = []
    for kind, pc in frames:
        if kind != standing.NATIVE:
            break
        pcs.append(pc)
    return pcs


def check(jdk):
    path = ct.WORK / f"debugger-{jdk.version}.jfr"
    with standing.jvm(jdk, "Mixed", path, "-Xmx32m") as jvm:
        jvm.expect("ready")
        jvm.say("go seconds=100000")
        looks, said = standing.stop(jvm, STOPS)
        ct.ok(looks and jvm.process.poll() is None, f"{jdk}: stopped {STOPS} times, {len(looks)} stacks, and it continues",
              f"{said}\n{jvm.transcript()}")
    different, frames, lost = [], 0, collections.Counter()
    for look in looks:
        mine = native_part(look["ours"])
        if look["why"] not in ("java", "end"):
            lost[look["why"]] += 1
        frames += len(mine)
        whole = look["why"] != "end" or look["outcome"] == standing.COMPLETE
        if mine != look["theirs"] or not whole:
            different.append(look)
    ct.note(f"{jdk}: {frames} native frames; gdb was lost {dict(lost)}")
    expected = MOST_DIFFERENT * len(looks)
    most = expected + ct.STANDARD_ERRORS * math.sqrt(expected)
    ct.ok(len(different) <= most and frames > 5 * len(looks),
          f"{jdk}: {len(different)} of {len(looks)} stacks differ, at most {most:.1f} may",
          "\n".join(describe(look) for look in different[:20]))


def describe(look):
    mine = native_part(look["ours"])
    same = next((i for i, (a, b) in enumerate(zip(mine, look["theirs"])) if a != b), min(len(mine), len(look["theirs"])))
    return (f"{look['thread']}: {len(mine)} frames, {len(look['theirs'])} of gdb's ({look['why']}), the first {same} the same; then "
            f"{[hex(pc) for pc in mine[same:same + 2]]} and {[hex(pc) for pc in look['theirs'][same:same + 2]]}; "
            f"outcome {look['outcome']}")


def main():
    ct.need(standing.AGENT, ct.PROGRAM)
    for jdk in ct.jdks():
        check(jdk)
    ct.done()


main()
