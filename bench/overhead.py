#!/usr/bin/env python3
"""What profilers cost: a sample, lost samples, attaching, memory; candor, async-profiler, JDK Flight Recorder, in turns.

usage: script/bench overhead [--parts cost,losses,attach,memory] [--repeats N] [--seconds S] [--output FILE.csv]

cost     a fresh JVM for each (async-profiler keeps SIGTRAP): rounds without, with, with, without; how much longer a piece of work takes,
         by the CPU clocks of the threads that do it, over the samples that were taken. A tool "none" that does nothing shows the noise.
losses   200 and 2,000 threads that run at 1 ms: samples, and what the tool says that it lost
attach   time until the tool samples, beside `jcmd VM.version`, and the longest time that both of two threads stood still
memory   resident memory that the tool adds to a small program, and what it leaves after its end
Each line of the output is one measurement; ratios of medians are printed at the end. Nothing else should run meanwhile.
"""
import argparse
import collections
import csv
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
import tools
from tools import ct

FIELDS = ("part", "tool", "interval_us", "threads", "repeat", "measure", "value")
BASELINE = "async-profiler cpu"
JDK = 25


def program(**keywords):
    jvm = ct.Jvm(ct.jdk(JDK), "Units", flags=["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:+EnableDynamicAgentLoading"], **keywords)
    jvm.expect("ready")
    jvm.round(threads=2, seconds=1)  # compiled, and warm
    return jvm


def cost_of(jvm, tool, options):
    path = ct.WORK / "cost.jfr"
    overhead, ns_per_sample, samples = tools.cost_of(jvm, tool, path, threads=1, depth=20, seconds=options.seconds)
    yield "overhead", overhead
    if samples:
        yield "ns_per_sample", ns_per_sample
        yield "samples", samples
        yield "bytes_per_sample", path.stat().st_size / (samples / 2)


def cost(options):
    for interval_us in (100, 1000, 10000):
        all_tools = [tools.Nothing(), *tools.all_tools(interval_us)]
        for repeat in range(options.repeats):
            for tool in all_tools:
                with program() as jvm:
                    for measure, value in cost_of(jvm, tool, options):
                        yield "cost", tool.name, interval_us, 1, repeat, measure, value
                    jvm.finish()


def losses(options):
    for threads in (200, 2000):
        for repeat in range(2):
            for tool in tools.all_tools(1000):
                path = ct.WORK / "losses.jfr"
                with program() as jvm:
                    truth = tools.with_tool(jvm, tool, path, threads=threads, depth=20, seconds=3)
                    jvm.finish()
                samples, lost = tool.count(path)
                yield "losses", tool.name, 1000, threads, repeat, "lost", lost
                yield "losses", tool.name, 1000, threads, repeat, "seen", samples * 1e6 / truth["cpu_ns"]


def attach(options):
    """A fresh JVM each time: the first start is what is felt. With two threads none waits for a processor."""
    for repeat in range(options.repeats):
        for threads in (2, 200):
            for tool in tools.all_tools(1000)[:3]:
                with program() as jvm:
                    jvm.say(f"go threads={threads} depth=20 seconds=8")
                    time.sleep(2)
                    for measure, action in (("version_s", lambda: tools.jcmd(jvm, "VM.version")),
                                            ("start_s", lambda: tool.start(jvm, ct.WORK / "attach.jfr"))):
                        began = time.monotonic()
                        action()
                        yield "attach", tool.name, 1000, threads, repeat, measure, time.monotonic() - began
                    tool.stop(jvm, ct.WORK / "attach.jfr")
                    done = jvm.expect("done")
                    if threads == 2:
                        yield "attach", tool.name, 1000, threads, repeat, "longest_pause_ns", int(done.split("longest_ns=")[1].split()[0])
                    jvm.finish()


def anonymous_kib(jvm):
    return int(jvm.status("RssAnon")[0].split()[0])


def memory(options):
    for repeat in range(options.repeats):
        for tool in (tools.Nothing(), *tools.all_tools(1000)[:3]):
            with program() as jvm:
                jvm.round(threads=2, seconds=2)
                before = anonymous_kib(jvm)
                tool.start(jvm, ct.WORK / "memory.jfr")
                jvm.round(threads=2, seconds=2)
                during = anonymous_kib(jvm)
                tool.stop(jvm, ct.WORK / "memory.jfr")
                time.sleep(0.5)
                yield "memory", tool.name, 1000, 2, repeat, "added_kib", during - before
                yield "memory", tool.name, 1000, 2, repeat, "left_kib", anonymous_kib(jvm) - before
                jvm.finish()


PARTS = {"cost": cost, "losses": losses, "attach": attach, "memory": memory}


def summarize(rows):
    values = collections.defaultdict(list)
    for part, tool, interval, threads, _, measure, value in rows:
        values[part, interval, threads, measure, tool].append(value)
    for key, all_values in values.items():
        *place, tool = key
        median = statistics.median(all_values)
        peer = values.get((*place, BASELINE))
        ratio = f"{median / statistics.median(peer):8.3f} of {BASELINE}" if peer and statistics.median(peer) else ""
        print(f"{' '.join(map(str, place)):40} {tool:24} {median:14.4g} [{min(all_values):.4g}..{max(all_values):.4g}] {ratio}")


def main():
    parser = argparse.ArgumentParser(prog="script/bench overhead")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--output", default="overhead.csv")
    options = parser.parse_args()
    rows = []
    with open(options.output, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for part in options.parts.split(","):
            for row in PARTS[part](options):
                writer.writerow(row)
                file.flush()
                rows.append(row)
    summarize(rows)


main()
