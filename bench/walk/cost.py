#!/usr/bin/env python3
"""What a walk costs, compared with AsyncGetCallTrace on the same stack, in the same handler, in turns.

usage: bench/walk/cost.py [VERSION...]      (JDKs; default: all that are cached)

A stack of 60 Java frames above a busy loop, interpreted, compiled by C1, and by C2. Printed are the median time of each walker and
the median and quartiles of the ratio over all samples, and for each JDK a line to keep in docs/benchmarks. Our walker also walks the
native frames below, down to the thread's first function; AsyncGetCallTrace ends at the call stub. Nothing else should run meanwhile.
"""
import os
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct

ct.PATIENCE = 60

AGENT = ct.BUILD / "bench" / "walk" / "libcandor-walk-cost.so"
MODES = {
    "interpreted": ["-Xint"],
    "C1": ["-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:CompileCommand=dontinline,Deep.dive"],
    "C2": ["-Xcomp", "-XX:-TieredCompilation", "-XX:CompileCommand=dontinline,Deep.dive"],
}
DEPTH, LEAST_FRAMES, MOST_FRAMES = 56, 56, 66


def measure(jdk, mode):
    times, path = ct.WORK / f"{jdk.version}-{mode}.txt", ct.WORK / f"{jdk.version}-{mode}.jfr"
    agent = ct.agent_options(AGENT, file=path, interval="2ms", walker="compare")
    with ct.Jvm(jdk, "Deep", agent=agent, flags=MODES[mode], env={**os.environ, "CANDOR_WALK_COST": str(times)}) as jvm:
        jvm.expect("ready")
        jvm.round(depth=DEPTH, seconds=2)
        jvm.finish()
    lines = [tuple(map(int, line.split())) for line in times.read_text().splitlines()] if times.exists() else []
    return [line for line in lines if LEAST_FRAMES <= line[0] <= MOST_FRAMES]


def main():
    versions = [int(version) for version in sys.argv[1:]] or ct.VERSIONS
    print("JDK,mode,samples,frames,ours_ns,theirs_ns,ratio,ratio_q1,ratio_q3")
    for jdk in filter(None, map(ct.jdk, versions)):
        for mode in MODES:
            lines = measure(jdk, mode)
            if len(lines) < 20:
                print(f"{jdk.version},{mode},{len(lines)},,,,,,")
                continue
            frames, ours, theirs = (statistics.median(column) for column in zip(*lines))
            low, ratio, high = statistics.quantiles([a / b for _, a, b in lines], n=4)
            print(f"{jdk.version},{mode},{len(lines)},{frames:.0f},{ours:.0f},{theirs:.0f},{ratio:.3f},{low:.3f},{high:.3f}", flush=True)


main()
