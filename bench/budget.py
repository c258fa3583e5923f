#!/usr/bin/env python3
"""Whether a budget is kept: the overhead with --max-overhead, minute by minute, while the load changes by a factor of ten.

usage: script/bench budget [--minutes N] [--overhead 0.5] [--jdk N] [--output FOLDER]

First the cost of a sample is measured from outside, by how much longer work takes (as in `script/bench overhead`), at an interval of
200 us. Then one recording with a budget runs all the time, in turns of 20 s: two threads that always run, and one that uses a tenth
of that. The overhead of a turn is the cost of its samples plus the CPU time of the agent's own thread, divided by the CPU time of the
process. The program knows the true shares of its two methods, and the recording's shares are compared with them.

Raw data go to OUTPUT/budget.csv, the summary to OUTPUT/budget.md (default: docs/benchmarks).
"""
import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tools import ct

FLAGS = ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:+EnableDynamicAgentLoading"]
TURN = 20          # seconds
REPEATS = 8        # of the cost of a sample
COST_US = 200      # a sample costs the same as at longer intervals, and the cost of the samples exceeds the noise
FIELDS = ("part", "turn", "load", "cpu_s", "samples", "own_ms", "overhead_percent", "pace_us", "ns_per_sample")


def cost_of_a_sample(jdk, results):
    """The median of its nanoseconds."""
    tool, work = tools.Candor("auto", COST_US), {"threads": 1, "depth": 20, "seconds": 2}
    with ct.Jvm(jdk, "Units", flags=FLAGS) as jvm:
        jvm.expect("ready")
        jvm.round(**work)
        for number in range(REPEATS):
            results.add(part="cost", turn=number, ns_per_sample=round(tools.cost_of(jvm, tool, ct.WORK / "cost.jfr", **work)[1]))
        jvm.finish()
    return statistics.median(row["ns_per_sample"] for row in results.rows)


def look(jvm):
    status = jvm.control("status")[1]
    return jvm.cpu_ns(), tools.agent_cpu_ns(jvm.pid), int(status["samples"]), int(status["pace_ns"])


def turn(jvm, load, truth):
    end = time.monotonic() + TURN
    while time.monotonic() < end:
        began = time.monotonic()
        done = jvm.round(threads=2 if load == "full" else 1, seconds=1 if load == "full" else 0.4)
        for name in ("heavy_ns", "light_ns"):
            truth[name] = truth.get(name, 0) + done[name]
        if load != "full":
            time.sleep(max(began + 2 - time.monotonic(), 0))


def turns(jdk, options, cost, truth):
    path = ct.WORK / "budget.jfr"
    with ct.Jvm(jdk, "TwoMethods", flags=FLAGS) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=1)
        ct.attach(jvm, path, "100us", "--max-overhead", f"{options.overhead}%")
        before = look(jvm)
        for number in range(options.minutes * 60 // TURN):
            load = "a tenth" if number % 2 else "full"
            turn(jvm, load, truth)
            now = look(jvm)
            cpu, own, samples = (after - then for after, then in zip(now[:3], before[:3]))
            yield {"part": "turn", "turn": number, "load": load, "cpu_s": round(cpu / 1e9, 3), "samples": samples,
                   "own_ms": round(own / 1e6, 3), "overhead_percent": round(100 * (own + samples * cost) / cpu, 4),
                   "pace_us": now[3] // 1000}
            before = now
        ct.candor("stop", jvm.pid)
        jvm.finish()
    truth["report"] = ct.report(path)


def share_of(truth):
    """(true share of the heavy method, found, low, high), of both methods."""
    methods = {method["name"].rpartition(".")[2]: method for method in truth["report"]["methods"]}
    heavy, light = methods["heavy"], methods["light"]
    both = heavy["self_share"] + light["self_share"]
    true = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    return true, heavy["self_share"] / both, heavy["self_low"] / both, heavy["self_high"] / both


def write_page(path, results, truth, options):
    costs = [row["ns_per_sample"] for row in results.rows if row["part"] == "cost"]
    turned = [row for row in results.rows if row["part"] == "turn"]
    true, found, low, high = share_of(truth)
    lines = ["# A budget over time", "",
             f"Made by `script/bench budget` on {results.date}; raw data in `budget.csv`. JDK {options.jdk}, {options.minutes}",
             f"minutes of one recording with `--interval 100us --max-overhead {options.overhead}%`, in turns of {TURN} s. A sample costs "
             f"{statistics.median(costs) / 1000:.1f} us ({min(costs) / 1000:.1f} to {max(costs) / 1000:.1f} in {REPEATS}",
             f"measurements from outside, at {COST_US} us); the agent's own thread is measured by its clock.", "",
             "| load | turns | overhead, % (median) | least | most | samples per second of CPU |", "|---|---|---|---|---|---|"]
    for load in ("full", "a tenth"):
        own = [row for row in turned if row["load"] == load]
        values = [row["overhead_percent"] for row in own]
        rate = sum(row["samples"] for row in own) / sum(row["cpu_s"] for row in own)
        lines.append(f"| {load} | {len(own)} | {statistics.median(values):.3f} | {min(values):.3f} | {max(values):.3f} | {rate:.0f} |")
    samples, own_ms, cpu_s = (sum(row[name] for row in turned) for name in ("samples", "own_ms", "cpu_s"))
    whole = 100 * (own_ms / 1e3 + samples * statistics.median(costs) / 1e9) / cpu_s
    lines += ["", f"Over the whole time it is {whole:.3f} %.", "",
              f"The heavier of the program's two methods truly took {100 * true:.2f} % of the time of both; the recording says "
              f"{100 * found:.2f} % ({100 * low:.2f} to {100 * high:.2f})."]
    path.write_text("\n".join(lines) + "\n")
    print(path.read_text())


def main():
    parser = argparse.ArgumentParser(prog="script/bench budget")
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--overhead", type=float, default=0.5, help="percent")
    parser.add_argument("--jdk", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    results, jdk, truth = Results(options.output / "budget.csv", FIELDS), ct.jdk(options.jdk), {}
    for row in turns(jdk, options, cost_of_a_sample(jdk, results), truth):
        print(*results.add(**row).values(), flush=True)
    write_page(options.output / "budget.md", results, truth, options)


main()
