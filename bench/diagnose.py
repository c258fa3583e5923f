#!/usr/bin/env python3
"""What `candor diagnose` costs a program while it runs, and how long the rules take for an hour's recording.

usage: script/bench diagnose [--rate N] [--rounds N] [--seconds N] [--jdk N] [--output FOLDER]

A Tomcat serves the example pages of its distribution to an open schedule of `candor load`. In each round it is measured once without and
once with `candor diagnose -d SECONDS`, in turns. The figure is the server's own CPU time for each request, from before the agent is
attached until the recording has ended; so the start of both recorders is a part of it. "none again" repeats the measurement without it.

For the second figure the last recording is repeated until it is an hour long: each copy begins when the one before it ends. `candor
analyze` then reads the file and applies all rules.

Raw data go to OUTPUT/diagnose.csv, the ratios to OUTPUT/diagnose.md (default: docs/benchmarks).
"""
import argparse
import os
import pathlib
import platform
import resource
import statistics
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tomcat import Tomcat, loaded
from tools import ct

WARM_UP = 25  # seconds at full speed
TAIL = 3      # seconds of load beyond the recording: the agent is attached before it, and the JDK's recorder ends after it
HOUR = 3600
STARTS_AT, SIZE_AT = 32, 8  # in the header of a chunk: its start in nanoseconds since the epoch, its size
FIELDS = ("round", "what", "requests", "errors", "cpu_us_per_request")
NONE, DIAGNOSE, AGAIN = "none", "diagnose", "none again"


def measure(tomcat, what, path, options):
    before = tools.process_cpu_ns(tomcat.pid)
    command = [ct.PROGRAM, "diagnose", "--json", "-d", f"{options.seconds}s", "-o", path, str(tomcat.pid)]
    diagnosis = subprocess.Popen(command, stdout=subprocess.DEVNULL) if what == DIAGNOSE else None
    answer = loaded(tomcat.load(options.seconds + TAIL, "-r", options.rate, "-c", 50))
    used = tools.process_cpu_ns(tomcat.pid) - before
    if diagnosis and diagnosis.wait():
        raise SystemExit("candor diagnose failed")
    return {"what": what, "requests": answer["completed"], "errors": answer["errors"],
            "cpu_us_per_request": round(used / 1000 / answer["completed"], 2)}


def measured(path, options, results):
    tomcat = Tomcat(ct.jdk(options.jdk), "diagnosed")
    try:
        loaded(tomcat.load(WARM_UP, "--mode", "throughput", "-c", 8))
        for number in range(options.rounds):
            order = (NONE, DIAGNOSE, AGAIN)
            for what in order if number % 2 else order[::-1]:
                print(results.add(round=number, **measure(tomcat, what, path, options)), flush=True)
    finally:
        tomcat.end()


def chunks(data):
    at = 0
    while at < len(data):
        size, = struct.unpack_from(">q", data, at + SIZE_AT)
        yield at
        at += size


def repeated(path, seconds):
    """A recording of an hour: copies of this one, each of which begins `seconds` later."""
    data = bytearray(path.read_bytes())
    starts = [(at, struct.unpack_from(">q", data, at + STARTS_AT)[0]) for at in chunks(data)]
    whole = ct.WORK / "hour.jfr"
    with open(whole, "wb") as out:
        for copy in range(HOUR // seconds):
            for at, start in starts:
                struct.pack_into(">q", data, at + STARTS_AT, start + copy * seconds * 1_000_000_000)
            out.write(data)
    return whole


def analyzed(path):
    """Seconds of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([ct.PROGRAM, "analyze", "--json", path], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratios(rows, what):
    base = {row["round"]: row["cpu_us_per_request"] for row in rows if row["what"] == NONE}
    return [row["cpu_us_per_request"] / base[row["round"]] for row in rows if row["what"] == what]


def page(results, options, size, seconds):
    lines = ["# What a diagnosis costs", "",
             f"Made by `script/bench diagnose` on {results.date}; raw data in `diagnose.csv`. {os.cpu_count()} processors,",
             f"{platform.machine()}, Linux {platform.release().partition('-')[0]}, Tomcat 10's example pages on JDK {options.jdk},",
             f"{options.rate} requests a second from the same machine, {options.rounds} rounds of {options.seconds + TAIL} s.",
             f"The diagnosis records {options.seconds} s of each. Ratios are to none of the same round: the median, in brackets least",
             "and most.", "", "| | CPU per request | CPU, us | errors |", "|---|---|---|---|"]
    for what in (NONE, AGAIN, DIAGNOSE):
        own = [row for row in results.rows if row["what"] == what]
        values = ratios(results.rows, what)
        lines.append(f"| {what} | {statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f}) | "
                     f"{statistics.median(row['cpu_us_per_request'] for row in own):.0f} | {sum(row['errors'] for row in own)} |")
    lines += ["", f"`candor analyze` of an hour ({size / 1e6:.0f} MB, the last recording repeated): {seconds:.2f} s of CPU time, to "
              "read the file, and to apply all rules to the whole and to each window."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="script/bench diagnose")
    parser.add_argument("--rate", type=int, default=1500, help="requests a second")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--jdk", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "diagnose.csv", FIELDS)
    path = ct.WORK / "diagnosis.jfr"
    measured(path, options, results)
    whole = repeated(path, options.seconds)
    seconds = min(analyzed(whole) for _ in range(3))
    (options.output / "diagnose.md").write_text(page(results, options, whole.stat().st_size, seconds))
    print((options.output / "diagnose.md").read_text())


main()
