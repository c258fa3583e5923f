#!/usr/bin/env python3
"""What a sample costs on disk: recordings of the same programs by candor and async-profiler, raw and packed by zstd -1.

usage: script/bench size [--seconds N] [--interval 10ms] [--runs N] [--output PREFIX] [--keep FOLDER]
       script/bench size --file FILE.jfr       the breakdown of one recording

Each program is recorded from its start to its end by each tool in turns. Two sizes are measured in bytes per sample
(jdk.ExecutionSample): the whole file, and the parts that both tools write: the header, the types, the constant pools and
jdk.ExecutionSample, which has the same four fields in both. The packed size of a part is the difference between the packed file with
it and without it. PREFIX.csv and PREFIX.md (default: size) get every figure and the tables.
"""
import argparse
import csv
import datetime
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct
import jfrfile

FIELDS = ("date", "program", "run", "tool", "part", "samples", "raw_bytes", "zstd_bytes")
SAMPLE = "jdk.ExecutionSample"
WHOLE, SAME = "whole file", "same fields"
GOAL = 0.7


# -- the parts of a file ----------------------------------------------------------------------------------------------

def split_pools(chunk, end):
    """(part, where it ends) for a checkpoint at the input's position, which is after its size and type."""
    data = chunk.input
    for _ in range(3):
        data.varint()
    data.byte()
    pools = data.varint()
    yield "checkpoints", data.pos
    for _ in range(pools):
        kind = data.varint()
        read = chunk.reader(kind)
        for _ in range(data.varint()):
            data.varint()
            read(data)
        yield f"pool {chunk.types[kind].name}", data.pos
    if data.pos != end:
        yield "checkpoints", end


def parts_of_chunk(chunk):
    data, at = chunk.input, 68
    yield "header", data.data[:at]
    while at < chunk.size:
        data.pos = at
        size, kind = data.varint(), data.varint()
        if kind == jfrfile.CHECKPOINT:
            begin = at
            for part, end in split_pools(chunk, at + size):
                yield part, data.data[begin:end]
                begin = end
        else:
            name = "types" if kind == jfrfile.METADATA else chunk.types[kind].name
            yield name, data.data[at:at + size]
        at += size


def parts_of(path):
    """[(part, bytes)] of all of the file, in its order."""
    return [part for chunk in jfrfile.chunks(path.read_bytes()) for part in parts_of_chunk(chunk)]


def packed(pieces):
    content = b"".join(pieces)
    return len(subprocess.run(["zstd", "-1", "-q", "-c", f"--stream-size={len(content)}"], input=content, check=True,
                              capture_output=True).stdout)


def is_common(part):
    return part in ("header", "types", "checkpoints", SAMPLE) or part.startswith("pool ")


def without(parts, name):
    return [content for part, content in parts if part != name]


def measure(path):
    """{part: (raw, packed)}, and the number of samples."""
    parts = parts_of(path)
    common = [content for part, content in parts if is_common(part)]
    whole = packed([content for _, content in parts])
    found = {WHOLE: (path.stat().st_size, whole), SAME: (sum(map(len, common)), packed(common))}
    for name in sorted({part for part, _ in parts}):
        found[name] = (sum(len(content) for part, content in parts if part == name), whole - packed(without(parts, name)))
    return found, sum(part == SAMPLE for part, _ in parts)


# -- recordings -------------------------------------------------------------------------------------------------------

def programs(jdk, folder, seconds):
    """Name to arguments of java, and its input. javac works for this long; Steady for this much CPU time, a quarter in each thread."""
    own = ROOT / "tests" / "java"
    subprocess.run([jdk.javac, "-d", folder, "-sourcepath", own, ROOT / "bench" / "Compiles.java", own / "Steady.java"], check=True)
    return {"javac": (["-cp", str(folder), "Compiles", str(seconds), *map(str, sorted(own.glob("*.java")))], ""),
            "steady": (["-cp", str(folder), "Steady"], f"go seconds={max(seconds // 4, 1)} threads={os.cpu_count()}\n")}


def commands(jdk, interval, path, arguments):
    """Tool to command line."""
    peers = subprocess.run([ROOT / "bench" / "fetch_peers.sh"], check=True, capture_output=True, text=True).stdout.strip()
    agent = f"-agentpath:{peers}/libasyncProfiler.so=start,event=cpu,interval={interval},jfr,file={path}"
    return {"candor": [ct.PROGRAM, "record", "-i", interval, "-o", path, "--", jdk.java, *arguments],
            "async-profiler": [jdk.java, agent, *arguments]}


def record(command, path, given, folder):
    path.unlink(missing_ok=True)
    result = subprocess.run([str(word) for word in command], input=given, capture_output=True, text=True, cwd=folder, check=False)
    if result.returncode or not path.exists():
        sys.exit(f"size: {command[0]} failed with status {result.returncode}: {(result.stdout + result.stderr)[-500:]}")


def rows_of(options, jdk, folder):
    path = folder / "recording.jfr"
    date = datetime.date.today().isoformat()
    for program, (arguments, given) in programs(jdk, folder, options.seconds).items():
        for run in range(options.runs):
            for tool, command in commands(jdk, options.interval, path, arguments).items():
                record(command, path, given, folder)
                if options.keep:
                    shutil.copy(path, options.keep / f"{program}-{tool}-{run}.jfr")
                found, samples = measure(path)
                for part, (raw, small) in found.items():
                    yield dict(zip(FIELDS, (date, program, run, tool, part, samples, raw, small)))


# -- tables -----------------------------------------------------------------------------------------------------------

def per_sample(rows, program, tool, part, size):
    """The median over the runs; 0 for a part that a file does not have."""
    every = [row for row in rows if row["program"] == program and row["tool"] == tool]
    found = {row["run"]: row[size] / max(row["samples"], 1) for row in every if row["part"] == part}
    return statistics.median(found.get(run, 0) for run in {row["run"] for row in every})


def comparison(rows):
    yield "| program | of | candor, raw | async-profiler, raw | ratio | candor, zstd -1 | async-profiler, zstd -1 | ratio |"
    yield "|---|---|---|---|---|---|---|---|"
    for program in dict.fromkeys(row["program"] for row in rows):
        for part in (WHOLE, SAME):
            cells = []
            for size in ("raw_bytes", "zstd_bytes"):
                ours, theirs = (per_sample(rows, program, tool, part, size) for tool in ("candor", "async-profiler"))
                cells += [f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}"]
            yield f"| {program} | {part} | {' | '.join(cells)} |"


def breakdown(rows, program, tool):
    parts = {row["part"] for row in rows if row["program"] == program and row["tool"] == tool} - {WHOLE, SAME}
    figures = [(part, *(per_sample(rows, program, tool, part, size) for size in ("raw_bytes", "zstd_bytes"))) for part in parts]
    yield f"| {program}, {tool} | raw | zstd -1 |"
    yield "|---|---|---|"
    for part, raw, small in sorted(figures, key=lambda row: -row[2]):
        if raw >= 0.5:
            yield f"| {part} | {raw:.1f} | {small:.1f} |"


def report(rows):
    samples = {(row["program"], row["tool"]): row["samples"] for row in rows}
    lines = ["Bytes per sample; medians over the runs. Samples in the last: " +
             ", ".join(f"{program} by {tool} {n}" for (program, tool), n in samples.items()) + ".", "", *comparison(rows)]
    for program, tool in samples:
        lines += ["", *breakdown(rows, program, tool)]
    return lines


def print_one(path):
    found, samples = measure(path)
    rows = [{"program": path.name, "run": 0, "tool": f"{samples} samples", "part": part, "samples": samples, "raw_bytes": raw,
             "zstd_bytes": small} for part, (raw, small) in found.items()]
    for part in (WHOLE, SAME):
        print(f"{part}: {found[part][0]} bytes, {found[part][1]} packed; "
              f"{found[part][0] / max(samples, 1):.1f} and {found[part][1] / max(samples, 1):.1f} per sample")
    print("\n".join(breakdown(rows, path.name, f"{samples} samples")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--interval", default="10ms")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", default="size")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--file", type=pathlib.Path)
    options = parser.parse_args()
    if options.file:
        return print_one(options.file)
    jdk = ct.jdk(25) or sys.exit(f"size: no JDK 25 in {ct.JDKS}; run script/jdks")
    rows = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name, open(f"{options.output}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows_of(options, jdk, pathlib.Path(name)):
            rows.append(row)
            writer.writerow(row)
            file.flush()
    head = ["# What a sample costs on disk", "",
            f"Made by `bench/size.py`, {rows[0]['date']}: JDK 25, async-profiler 4.6, one sample per {options.interval} of CPU time, "
            f"{options.seconds} s of each program. *Same fields*: the header, the types, the constant pools and `{SAMPLE}` alone. The goal "
            f"is {GOAL} of async-profiler's, packed, for the same fields.", ""]
    text = "\n".join(head + report(rows)) + "\n"
    pathlib.Path(f"{options.output}.md").write_text(text)
    print(text)
    return None


main()
