#!/usr/bin/env python3
"""A JVM that dies in the middle of a recording leaves a whole file, in which no more than the last second is missing.

tier: default
timeout: 600

tests/lib/heartbeat.py describes what may be missing.
"""
import concurrent.futures
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import heartbeat

SECONDS = 2.4
WAYS = {"exit": 3, "halt": 3, "SIGTERM": 143, "SIGKILL": -9}


def die(jdk, way):
    # The process is killed late in the third second of the recording: the worst moment for a loss.
    return heartbeat.die(jdk, way, SECONDS if way in heartbeat.OWN else SECONDS + 0.35, f"{way}-{jdk.version}")


def check(jdk, way, status, path, last, late):
    what = f"{jdk}, {way}"
    ct.ok(status == WAYS[way], f"{what}: the JVM dies as it would without us (status {status})")
    if not ct.ok(path.exists() and path.stat().st_size > 0, f"{what}: there is a recording"):
        return
    try:
        recording = ct.Recording(path)
    except (ValueError, KeyError) as problem:
        ct.ok(False, f"{what}: the file is whole", problem)
        return
    if not ct.ok(len(recording.samples) > 100, f"{what}: the file is whole and holds {len(recording.samples)} samples"):
        return
    missing = heartbeat.missing_ns(recording, last)
    ct.ok(missing <= heartbeat.ALLOWED_NS + late,
          f"{what}: {missing / 1e9:.3f} s are missing at the end (1.05 s + {late / 1e9:.3f} s allowed)")
    ct.ok(missing >= -1e9, f"{what}: no sample lies in the future", missing)
    books = ct.report(path)["books"]
    ct.identity_closes(books, what)
    ct.residual_within(books, 0.05 + late / books["cpu_ns"], what)
    tool = ct.jdk(25) or jdk
    result = ct.run(tool.jfr, "summary", path)
    line = next((line.split() for line in result.out.splitlines() if "candor.CpuSample" in line), None)
    ct.ok(result.status == 0 and line and int(line[1]) == len(recording.samples),
          f"{what}: jfr summary reads it and counts the same samples", f"{line} {len(recording.samples)}\n{result}")


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        ct.classes(jdk)
    cases = ct.spread(jdks, list(WAYS), each=2)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        deaths = list(pool.map(lambda case: die(*case), cases))
    for case, death in zip(cases, deaths):
        check(*case, *death)
    ct.done()


main()
