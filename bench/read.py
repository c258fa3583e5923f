#!/usr/bin/env python3
"""How fast a large recording is read: by candor, async-profiler's jfrconv and the JDK's jfr, in turns.

usage: script/bench read [--short] [--size MB] [--seconds N] [--runs N] [--file FILE] [--output FILE.csv]

Makes a recording of javac compiling the tests' programs on every core (JDK 25, settings=profile, samples every millisecond, stacks
128 deep), and appends it to itself until it has the size (recordings may be concatenated). Then each tool converts it to collapsed
stacks or its own table. The file is read once before, so that it is in memory for all tools. Printed are medians over the runs:
seconds, CPU seconds, MB per second and per second of CPU time (as on one core), how many times as fast per core as jfrconv and as
`jfr view` in the same run, and the most resident memory. For a mapped file, a part of that memory is the file itself. --short only
shows that it works.
"""
import argparse
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct

SETTINGS = ("settings=profile", "jdk.ExecutionSample#period=1ms", "jdk.NativeMethodSample#period=1ms",
            "jdk.CPUTimeSample#enabled=true", "jdk.CPUTimeSample#throttle=1ms", "jdk.ObjectAllocationSample#throttle=2000/s")
FIELDS = ("tool", "run", "bytes", "seconds", "cpu_seconds", "resident_kb")
CONVERTER, VIEWER, OURS = "jfrconv", "jfr view hot-methods", ("candor", "candor, one core")
GOALS = {CONVERTER: 5, VIEWER: 10}  # times as fast per core
GOAL_MB, GOAL_MEMORY = 500, 0.25    # per second of a core; of the file
SHORT = {"size": 20, "seconds": 10, "runs": 1}


def record(jdk, folder, seconds, size):
    """A recording of at least this many bytes."""
    small, large = folder / "small.jfr", folder / "large.jfr"
    subprocess.run([jdk.javac, "-d", folder, ROOT / "bench" / "Compiles.java"], check=True)
    subprocess.run([jdk.java, f"-XX:StartFlightRecording=filename={small},{','.join(SETTINGS)}", "-XX:FlightRecorderOptions=stackdepth=128",
                    "-cp", folder, "Compiles", str(seconds), *sorted((ROOT / "tests" / "java").glob("*.java"))],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    with open(large, "wb") as out:
        while out.tell() < size:
            with open(small, "rb") as part:
                shutil.copyfileobj(part, out)
    return large


def tools(jdk, jar, path, folder):
    """Name to command line."""
    return {
        "candor": [ct.PROGRAM, "convert", path, folder / "candor.collapsed"],
        "candor, one core": ["taskset", "-c", "0", ct.PROGRAM, "convert", path, folder / "candor1.collapsed"],
        "candor summary": [ct.PROGRAM, "summary", path],
        CONVERTER: [jdk.java, "-jar", jar, "--cpu", path, folder / "jfrconv.collapsed"],
        VIEWER: [jdk.jfr, "view", "hot-methods", path],
        "jfr summary": [jdk.jfr, "summary", path],
    }


def measure(command, folder):
    begin = time.monotonic()
    with open(folder / "out", "w") as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"read: {command[0]} failed: {(folder / 'out').read_text()[-500:]}")
    return {"seconds": seconds, "cpu_seconds": used.ru_utime + used.ru_stime, "resident_kb": used.ru_maxrss}


def median(rows, tool, key):
    return statistics.median(row[key] for row in rows if row["tool"] == tool)


def times_as_fast(rows, tool, peer):
    """By CPU time, run by run: the machine may have been faster in another run."""
    seconds = {name: {row["run"]: row["cpu_seconds"] for row in rows if row["tool"] == name} for name in (tool, peer)}
    return statistics.median(seconds[peer][run] / seconds[tool][run] for run in seconds[tool])


def print_table(rows):
    size = rows[0]["bytes"] / 1e6
    print(f"{size:.0f} MB, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(f"| tool | seconds | CPU s | MB/s | MB/s of a core | x {CONVERTER} | x {VIEWER} | resident MB | of the file |")
    print("|---|---|---|---|---|---|---|---|---|")
    for tool in dict.fromkeys(row["tool"] for row in rows):
        seconds, cpu, resident = (median(rows, tool, key) for key in ("seconds", "cpu_seconds", "resident_kb"))
        print(f"| {tool} | {seconds:.2f} | {cpu:.2f} | {size / seconds:.0f} | {size / cpu:.0f} | "
              f"{times_as_fast(rows, tool, CONVERTER):.1f} | {times_as_fast(rows, tool, VIEWER):.1f} | {resident / 1e3:.0f} | "
              f"{resident / 1e3 / size:.2f} |")


def print_goals(rows):
    size = rows[0]["bytes"] / 1e6
    for tool in OURS:
        figures = [(f"x {peer} per core", times_as_fast(rows, tool, peer), goal) for peer, goal in GOALS.items()]
        figures.append(("MB/s of a core", size / median(rows, tool, "cpu_seconds"), GOAL_MB))
        for what, found, goal in figures:
            print(f"{tool}: {found:.1f} {what}, goal {goal}: {'reached' if found >= goal else 'missed'}")
        memory = median(rows, tool, "resident_kb") / 1e3 / size
        print(f"{tool}: memory {memory:.2f} of the file, goal {GOAL_MEMORY}: {'reached' if memory <= GOAL_MEMORY else 'missed'}")
    gain = median(rows, OURS[1], "seconds") / median(rows, OURS[0], "seconds")
    print(f"scaling: {gain:.2f} times as fast on {os.cpu_count()} cores as on one")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=90)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--output", default="read.csv")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    if options.short:
        vars(options).update(SHORT)
    jdk = ct.jdk(25) or sys.exit(f"read: no JDK 25 in {ct.JDKS}; run script/jdks")
    fetched = subprocess.run([ROOT / "tests" / "jvm" / "fetch_jars.sh", "jfrconv"], check=True, capture_output=True, text=True)
    (jar,) = pathlib.Path(fetched.stdout.strip()).glob("*.jar")
    rows = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name, open(options.output, "w", newline="") as file:
        folder = pathlib.Path(name)
        path = options.file or record(jdk, folder, options.seconds, options.size * 1_000_000)
        subprocess.run(["cat", path], check=True, stdout=subprocess.DEVNULL)
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for run in range(options.runs):
            for tool, command in tools(jdk, jar, path, folder).items():
                rows.append({"tool": tool, "run": run, "bytes": path.stat().st_size, **measure(command, folder)})
                writer.writerow(rows[-1])
                file.flush()
    print_table(rows)
    print()
    print_goals(rows)


main()
