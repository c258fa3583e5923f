#!/usr/bin/env python3
"""What profilers cost: a sample, lost samples, attaching, memory; candor, async-profiler, JDK Flight Recorder, in turns.

usage: script/bench overhead [--parts cost,losses,attach,memory] [--repeats N] [--seconds S] [--output FOLDER]

cost     a new JVM for each (async-profiler keeps SIGTRAP): rounds without, with, with, without; how much longer a piece of work takes,
         by the CPU clocks of its threads, divided by the number of samples. A tool "none" that does nothing shows the noise.
losses   200 and 2,000 threads that run at 1 ms: samples, and the losses that the tool reports
attach   time until the tool samples, minus that of the JVM's answer to `VM.version` over the same socket (all are native clients: no
         jcmd has to start), both while 2 or 200 threads run; the longest time that both of two threads stood still
memory   anonymous memory that the tool adds to a small program and to one of 20,000 classes, and what is left after its end
Each line of FOLDER/overhead.csv (default: docs/benchmarks) is one measurement. FOLDER/overhead.md has their medians, and
FOLDER/overhead.svg a picture of the cost of a sample. Nothing else should run meanwhile.
"""
import argparse
import collections
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import plot
import tools
from results import Results, output_option
from tools import ct

FIELDS = ("part", "tool", "interval_us", "threads", "classes", "repeat", "measure", "value")
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
    yield "overhead_percent", 100 * overhead
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
                        yield {"tool": tool.name, "interval_us": interval_us, "threads": 1, "repeat": repeat, "measure": measure,
                               "value": value}
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
                for measure, value in (("lost", lost), ("seen_percent", 100 * samples * 1e6 / truth["cpu_ns"])):
                    yield {"tool": tool.name, "interval_us": 1000, "threads": threads, "repeat": repeat, "measure": measure, "value": value}


def attach(options):
    """A new JVM each time, because users notice the first start. With two threads no thread waits for a processor."""
    for repeat in range(options.repeats):
        for threads, seconds in ((2, 6), (200, 20)):
            for tool in tools.all_tools(1000)[:3]:
                row = {"tool": tool.name, "interval_us": 1000, "threads": threads, "repeat": repeat}
                with program() as jvm:
                    jvm.say(f"go threads={threads} depth=20 seconds={seconds}")
                    time.sleep(2)
                    for measure, action in (("start_ms", lambda: tool.start(jvm, ct.WORK / "attach.jfr")),
                                            ("version_ms", lambda: tools.ask(jvm, "jcmd", "VM.version"))):
                        began = time.monotonic()
                        action()
                        yield {**row, "measure": measure, "value": 1000 * (time.monotonic() - began)}
                    tool.stop(jvm, ct.WORK / "attach.jfr")
                    done = jvm.expect("done")
                    if threads == 2:
                        yield {**row, "measure": "longest_pause_ms", "value": int(done.split("longest_ns=")[1].split()[0]) / 1e6}
                    jvm.finish()


def anonymous_kib(jvm):
    return int(jvm.status("RssAnon")[0].split()[0])


def memory(options):
    for repeat in range(options.repeats):
        for classes in (0, 20000):
            for tool in (tools.Nothing(), *tools.all_tools(1000)[:3]):
                row = {"tool": tool.name, "interval_us": 1000, "threads": 2, "classes": classes, "repeat": repeat}
                with program() as jvm:
                    assert jvm.round("load", classes=classes)["classes"] == classes
                    jvm.round(threads=2, seconds=2)
                    before = anonymous_kib(jvm)
                    tool.start(jvm, ct.WORK / "memory.jfr")
                    jvm.round(threads=2, seconds=2)
                    during = anonymous_kib(jvm)
                    tool.stop(jvm, ct.WORK / "memory.jfr")
                    time.sleep(0.5)
                    yield {**row, "measure": "added_kib", "value": during - before}
                    yield {**row, "measure": "left_kib", "value": anonymous_kib(jvm) - before}
                    jvm.finish()


PARTS = {"cost": cost, "losses": losses, "attach": attach, "memory": memory}
WHAT = {"cost": "What a sample costs, from outside: how much longer a piece of work takes", "losses": "Threads that all run",
        "attach": "Until the tool samples, threads at work meanwhile", "memory": "Anonymous memory"}


def measured(rows, part):
    """{(interval, threads, classes, measure): {tool: [value, ...]}}"""
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        if row["part"] == part:
            values[row["interval_us"], row["threads"], row.get("classes", 0), row["measure"]][row["tool"]].append(row["value"])
    return values


def text(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(rows, part):
    lines = ["", f"## {part}: {WHAT[part]}", "", "| interval | threads | classes | measure | tool | median | least | most | of the peer |",
             "|---|---|---|---|---|---|---|---|---|"]
    for (interval_us, threads, classes, measure), by_tool in measured(rows, part).items():
        peer = statistics.median(by_tool.get(BASELINE, [0]))
        for tool, values in by_tool.items():
            median = statistics.median(values)
            ratio = f"{median / peer:.2f}" if peer > 0 and "percent" not in measure else ""
            lines.append(f"| {interval_us / 1000:g} ms | {threads} | {classes or ''} | {measure} | {tool} | {text(median)} | "
                         f"{text(min(values))} | {text(max(values))} | {ratio} |")
    return lines


def plot_costs(path, rows):
    """Only with at least a thousand samples a second: with fewer, their cost is lost in the noise, and may even be negative."""
    plot.write_dots(path, "Nanoseconds per sample", {
        f"every {interval_us / 1000:g} ms": {tool: values for tool, values in by_tool.items() if min(values) > 0}
        for (interval_us, _, _, measure), by_tool in measured(rows, "cost").items() if measure == "ns_per_sample" and interval_us <= 1000})


def write_page(folder, rows, options, date):
    lines = ["# What profilers cost", "", f"Made by `script/bench overhead` on {date}, JDK {JDK}, {options.repeats} repeats in turns; raw",
             f"data in `overhead.csv`. The peer is {BASELINE}; a tool \"none\" does nothing and shows the noise."]
    if "cost" in options.parts:
        plot_costs(folder / "overhead.svg", rows)
        lines += ["", "![Nanoseconds per sample, by tool and interval](overhead.svg)"]
    for part in options.parts.split(","):
        lines += table(rows, part)
    (folder / "overhead.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(prog="script/bench overhead")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=1)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "overhead.csv", FIELDS)
    for part in options.parts.split(","):
        for row in PARTS[part](options):
            results.add(part=part, **row)
    write_page(options.output, results.rows, options, results.date)


main()
