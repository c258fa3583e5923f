#!/usr/bin/env python3
"""What `candor diagnose` costs a program while it runs, and how long the rules take for an hour's recording.

usage: script/bench diagnose [--rate N] [--rounds N] [--seconds N] [--jdk N] [--output FOLDER]

A warm Tomcat serves the example pages of its distribution to an open schedule of `candor load`, which goes on all the time. A round is a
stretch of SECONDS without anything, one in which `candor diagnose -d SECONDS` runs, and another one without. The figure is the CPU time of
the server's process, by second, because each second has the same requests. The stretch of the diagnosis lasts from before the agent is
attached until the command ends, so the start and the end of both recorders are a part of it. Its ratio is to the mean of its neighbors, and
"none again" is the ratio of the second neighbor to the first. "diagnose, once begun" is the part of that stretch from its fourth second
until a second before its end, without start and end.

For the second figure the last recording is repeated until it is an hour long: each copy begins when the one before it ends. `candor
analyze` then reads the file and applies all rules.

Raw data go to OUTPUT/diagnose.csv, the ratios to OUTPUT/diagnose.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import resource
import statistics
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tomcat import steady
from tools import ct

ROUND_MORE = 10  # seconds that a round takes beyond its three stretches: the command attaches, and judges
HOUR = 3600
STARTS_AT, SIZE_AT = 32, 8  # in the header of a chunk: its start in nanoseconds since the epoch, its size
FIELDS = ("round", "what", "seconds", "cpu_ms_per_s")
NONE, DIAGNOSE, BEGUN, AGAIN = "none", "diagnose", "diagnose, once begun", "none again"
BEGINS, ENDS = 3, 1  # seconds of a diagnosis that are its start and its end


def used(tomcat):
    return tools.process_cpu_ns(tomcat.pid), time.monotonic()


def row(what, before, after):
    lasted = after[1] - before[1]
    return {"what": what, "seconds": round(lasted, 1), "cpu_ms_per_s": round((after[0] - before[0]) / 1e6 / lasted, 1)}


def diagnosed(tomcat, path, seconds):
    path.unlink(missing_ok=True)
    before = used(tomcat)
    command = ct.spawn([ct.PROGRAM, "diagnose", "--json", "-d", f"{seconds}s", "-o", path, str(tomcat.pid)], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    time.sleep(BEGINS)
    begun = used(tomcat)
    time.sleep(seconds - BEGINS - ENDS)
    ends = used(tomcat)
    _, error = command.communicate()
    if command.returncode:
        sys.exit(f"bench: candor diagnose failed: {error.decode()}")
    return [row(DIAGNOSE, before, used(tomcat)), row(BEGUN, begun, ends)]


def stretch(tomcat, what, path, seconds):
    if what == DIAGNOSE:
        return diagnosed(tomcat, path, seconds)
    before = used(tomcat)
    time.sleep(seconds)
    return [row(what, before, used(tomcat))]


def measured(path, options, results):
    with steady(ct.jdk(options.jdk), options.rate, options.rounds * (3 * options.seconds + ROUND_MORE)) as tomcat:
        for number in range(options.rounds):
            for what in (NONE, DIAGNOSE, AGAIN):
                for one in stretch(tomcat, what, path, options.seconds):
                    print(results.add(round=number, **one), flush=True)


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


def of_round(rows, what):
    return [row["cpu_ms_per_s"] for row in rows if row["what"] == what]


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def page(results, options, size, seconds):
    none, again, with_it, begun = (of_round(results.rows, what) for what in (NONE, AGAIN, DIAGNOSE, BEGUN))
    neighbors = [(first + second) / 2 for first, second in zip(none, again)]
    ratios = {AGAIN: [second / first for first, second in zip(none, again)],
              DIAGNOSE: [value / neighbor for value, neighbor in zip(with_it, neighbors)],
              BEGUN: [value / neighbor for value, neighbor in zip(begun, neighbors)]}
    more = [value - neighbor for value, neighbor in zip(with_it, neighbors)]
    lines = ["# What a diagnosis costs", "",
             f"{results.origin()}, Tomcat 10's example pages on JDK {options.jdk},",
             f"{options.rate} requests a second from the same machine, for which it uses {statistics.median(neighbors):.0f} ms of CPU",
             f"time a second. {options.rounds} rounds of three stretches; the diagnosis records {options.seconds} s. Medians, in brackets",
             "least and most.", "",
             "| | CPU time, ratio |", "|---|---|", *(f"| {what} | {spread(values, 3)} |" for what, values in ratios.items()), "",
             f"The diagnosis uses {spread(more, 1)} ms of CPU time a second more.", "",
             f"`candor analyze` of an hour ({size / 1e6:.0f} MB, the last recording repeated): {seconds:.2f} s of CPU time, to read",
             "the file, and to apply all rules to the whole and to each window."]
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
