#!/usr/bin/env python3
"""kill -9 at random moments of a recording: every file can be read, and at most one second is missing.

tier: default
timeout: 1800
sanitize: no

Two hundred moments in tier all, a few in other tiers. tests/lib/heartbeat.py describes what may be missing.
"""
import concurrent.futures
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import heartbeat

MOMENTS = 200 if ct.TIER == "all" else 8
LATEST = 4.0  # seconds


def kill(jdk, seconds, number):
    status, path, last, late = heartbeat.die(jdk, "SIGKILL", seconds, f"kill-{number}")
    what = f"{jdk}, killed at {seconds:.3f} s"
    if status != -9 or not path.exists():
        return f"{what}: status {status}, no recording"
    try:
        recording = ct.Recording(path)
    except (ValueError, KeyError) as problem:
        return f"{what}: a strict reader refuses it: {problem}"
    report = ct.candor("report", "--json", path)
    if report.status or any("reading" in p["text"] for p in json.loads(report.out)["problems"]):
        return f"{what}: candor report: {report}"
    theirs = ct.run(jdk.jfr, "summary", path) if jdk.version > 8 else None
    if theirs and theirs.status:
        return f"{what}: jfr summary: {theirs}"
    has_beats = bool(recording.of_thread("heartbeat"))
    missing = heartbeat.missing_ns(recording, last) if has_beats else 0
    begun = has_beats or seconds * 1e9 <= heartbeat.ALLOWED_NS + late
    if missing > heartbeat.ALLOWED_NS + late or not begun:
        return f"{what}: {missing / 1e9:.3f} s are missing, {(heartbeat.ALLOWED_NS + late) / 1e9:.3f} s allowed"
    path.unlink()
    return ""


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        ct.classes(jdk)
    seed = random.SystemRandom().getrandbits(32)
    rng = random.Random(seed)
    cases = [(jdks[i % len(jdks)], rng.uniform(0, LATEST), i) for i in range(MOMENTS)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [text for text in pool.map(lambda case: kill(*case), cases) if text]
    ct.ok(not wrong, f"{MOMENTS} moments (seed {seed}): every file reads back, at most one second is missing", "\n".join(wrong))
    ct.done()


main()
