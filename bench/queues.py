#!/usr/bin/env python3
"""Elements per microsecond through our queues and through Concurrency Kit's, Boost's, liburcu's and JCTools', side by side in one run.

usage: script/bench queues [--rounds N] [--milliseconds N] [--nested SECONDS] [--java] [--record]

Each round runs every contender for this long, with one producer and one consumer on a processor each. Only windows of a millisecond
count in which both had their processor all the time. The table has their medians and quartiles, and the ratio of each median to
Candor's array in the same group. --java also runs JCTools (a JVM per queue and collector, from Maven Central). --nested makes a
producer interrupt itself for this long in each queue for many producers. --record writes docs/benchmarks/queue.csv, queue-nested.csv
and the tables of queue.md.
"""
import argparse
import collections
import csv
import io
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ROOT / "bench" / "queues"
WORK = pathlib.Path(os.environ.get("CANDOR_BUILD", ROOT / "build")).resolve() / "bench-queues"
DOCS = ROOT / "docs" / "benchmarks"
JCTOOLS = "org.jctools:jctools-core:4.0.5"
COLLECTORS = {"ParallelGC": "-XX:+UseParallelGC", "G1": "-XX:+UseG1GC"}
JAVA_QUEUES = ("SpscArrayQueue", "SpscChunkedArrayQueue", "SpscUnboundedArrayQueue", "MpscArrayQueue", "MpscUnboundedArrayQueue",
               "MpmcArrayQueue")
# The goals: contender, at least this many times, the other.
GOALS = (
    ("candor spsc array", 2.5, "ck_ring spsc"),
    ("candor spsc array", 2.5, "boost spsc_queue"),
    ("candor spsc chunked", 1.0, "candor spsc array"),
    ("candor spsc array", 4.0, "candor spsc array unpadded"),
    ("candor mpsc array (relaxed)", 2.0, "liburcu wfcqueue"),
)
FEW = 30  # with fewer clean windows a median says little


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"queues: {pathlib.Path(str(command[0])).name} failed (exit {done.returncode})")
    return done.stdout


def build():
    subprocess.run([ROOT / "script" / "bootstrap", "peers"], check=True)
    WORK.mkdir(parents=True, exist_ok=True)
    flags = ["-O2", "-g", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-missing-field-initializers", "-D_GNU_SOURCE",
             f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", f"-I{SOURCES}"]
    library = sorted((ROOT / "src" / "queue").glob("*.c"))
    objects = []
    for source in (*library, *(SOURCES / f"{name}.c" for name in ("race", "ours", "unpadded", "ck", "urcu")), SOURCES / "boost.cpp"):
        objects.append(WORK / f"{source.parent.name}-{source.name}.o")
        compiler = ["g++", "-std=c++17"] if source.suffix == ".cpp" else ["gcc", "-std=gnu11"]
        run(*compiler, *flags, "-c", source, "-o", objects[-1])
    run("g++", "-o", WORK / "race", *objects, "-pthread")
    run("gcc", "-std=gnu11", *flags, SOURCES / "nested.c", *library, "-o", WORK / "nested", "-pthread")


def build_java():
    jar = WORK / (JCTOOLS.split(":")[1] + "-" + JCTOOLS.split(":")[2] + ".jar")
    if not jar.exists():
        run("mvn", "-B", "-q", "dependency:copy", f"-Dartifact={JCTOOLS}", f"-DoutputDirectory={WORK}")
    run("javac", "-cp", jar, "-d", WORK / "java", SOURCES / "Race.java")
    return f"{jar}:{WORK / 'java'}"


def race(options):
    rows = run(WORK / "race", options.rounds, options.milliseconds)
    if options.java:
        path = build_java()
        for collector, flag in COLLECTORS.items():
            for queue in JAVA_QUEUES:
                # The first round is for the compiler.
                lines = run("java", flag, "-Xms1g", "-Xmx1g", "-cp", path, "Race", collector, options.rounds + 1, options.milliseconds,
                            queue).splitlines()
                rows += "".join(f"{line}\n" for line in lines if not line.startswith("0,"))
    return list(csv.DictReader(io.StringIO(rows)))


def summarize(rows):
    """{contender: (group, median, quartiles, clean windows, windows)}, in the order of the race."""
    windows = collections.defaultdict(list)
    for row in rows:
        windows[row["group"], row["contender"]].append((float(row["elements_per_us"]), row["clean"] == "1"))
    result = {}
    for (group, name), all_windows in windows.items():
        clean = sorted(value for value, good in all_windows if good)
        quarters = statistics.quantiles(clean, n=4) if len(clean) > 1 else [0, clean[0] if clean else 0, 0]
        result[name] = (group, quarters[1], (quarters[0], quarters[2]), len(clean), len(all_windows))
    return result


def table(summary):
    bases = {"spsc": "candor spsc array", "mpsc": "candor mpsc array (relaxed)", "mpmc": "candor mpmc array"}
    yield "| queue | elements/us | quarters | ratio | clean windows |"
    yield "|---|--:|--:|--:|--:|"
    for group, base in bases.items():
        for name, (of, median, (low, high), clean, count) in summary.items():
            if of == group:
                base_median = summary[base][1]
                ratio = f"{median / base_median:.2f}" if base_median else "-"
                yield f"| {name} | {median:.1f} | {low:.1f} to {high:.1f} | {ratio} | {clean} of {count} |"


def goals(summary):
    for name, factor, other in GOALS:
        mine, theirs = summary[name], summary[other]
        if min(mine[3], theirs[3]) < FEW or not theirs[1]:
            yield f"- {name} : {other}: too few clean windows ({mine[3]}, {theirs[3]}; wants {FEW}): run it on an idle machine"
            continue
        ratio = mine[1] / theirs[1]
        yield f"- {name} : {other} = {ratio:.2f} (goal {factor:.1f}: {'reached' if ratio >= factor else 'missed'})"


def nested_table(rows):
    yield "| queue | pushes | handlers | hung |"
    yield "|---|--:|--:|---|"
    for row in rows:
        yield f"| {row['queue']} | {int(row['pushes']):,} | {int(row['signals']):,} | {row['hung']} |"


def write_csv(path, rows):
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def per_round(rows):
    """Raw data of a size that can be kept: the number of clean windows of each contender in a round, and their median."""
    windows = collections.defaultdict(list)
    for row in rows:
        windows[row["round"], row["group"], row["contender"]].append((float(row["elements_per_us"]), row["clean"] == "1"))
    for (number, group, name), values in windows.items():
        clean = [value for value, good in values if good]
        yield {"round": number, "group": group, "contender": name, "windows": len(values), "clean": len(clean),
               "median_elements_per_us": f"{statistics.median(clean):.2f}" if clean else ""}


def replace_part(text, part, lines):
    """Replaces the text between the marks of a part of queue.md."""
    begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->\n"
    head, rest = text.split(begin)
    return head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--milliseconds", type=int, default=300)
    parser.add_argument("--nested", type=int, default=0, metavar="SECONDS")
    parser.add_argument("--java", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    for tool in ("gcc", "g++", *(("mvn", "javac") if options.java else ())):
        if not shutil.which(tool):
            sys.exit(f"queues: no {tool}; script/bootstrap installs it")
    build()
    rows = race(options)
    summary = summarize(rows)
    parts = {"table": list(table(summary)), "goals": list(goals(summary))}
    if options.nested:
        hangs = list(csv.DictReader(io.StringIO(run(WORK / "nested", options.nested))))
        parts["nested"] = list(nested_table(hangs))
    for lines in parts.values():
        print(*lines, "", sep="\n")
    if options.record:
        text = (DOCS / "queue.md").read_text()
        parts["when"] = [f"Last run: {time.strftime('%Y-%m-%d', time.gmtime())}, {options.rounds} rounds of {options.milliseconds} ms."]
        for part, lines in parts.items():
            text = replace_part(text, part, lines)
        (DOCS / "queue.md").write_text(text)
        write_csv(DOCS / "queue.csv", list(per_round(rows)))
        if options.nested:
            write_csv(DOCS / "queue-nested.csv", hangs)


main()
