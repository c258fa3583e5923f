#!/usr/bin/env python3
"""What snapshots of machine code cost: while a program with many compilations warms up, and when attaching to a JVM with much compiled
code.

usage: script/bench asm [--repeats N] [--seconds N] [--jdk N] [--output FOLDER]

capture  a new JVM runs javac repeatedly, recorded from its start; the CPU time of the agent's thread, which takes the snapshots,
         in percent of the process's. The recording itself costs what is measured without snapshots; the difference is the snapshots' cost.
attach   a JVM with at least 10,000 compiled methods; the longest time that both of two busy threads stood still while the recording began
         and after, with snapshots, without, and while `jcmd VM.version` ran, which does nothing
Raw data go to OUTPUT/asm.csv, medians are printed. Nothing else should run meanwhile.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "overhead"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import tools
from results import Results, output_option
from tools import ct

INTERVAL = "1ms"
METHODS = 10000
OWN = ROOT / "tests" / "java"
FIELDS = ("part", "repeat", "snapshots", "measure", "value")


def sources():
    return sorted(map(str, OWN.glob("*.java")))


def snapshots_in(path):
    listing = ct.candor("summary", path).out
    return next(int(line.split()[1].replace(",", "")) for line in listing.splitlines() if line.split()[:1] == ["candor.CodeSnapshot"])


def capture(options, classes, add):
    for repeat in range(options.repeats):
        for snapshots in ("off", "on"):
            path = ct.WORK / f"capture-{snapshots}.jfr"
            agent = ct.agent_options(file=path, interval=INTERVAL, asm=snapshots)
            command = [options.jdk.java, agent, "-cp", classes, "Compiles", options.seconds + 2, *sources()]
            with subprocess.Popen([str(word) for word in command]) as jvm:
                time.sleep(options.seconds)
                cpu, whole = tools.agent_cpu_ns(jvm.pid), tools.process_cpu_ns(jvm.pid)
            add("capture", repeat, snapshots, "agent_cpu_percent", 100 * cpu / whole)
            add("capture", repeat, snapshots, "samples", ct.report(path)["samples"])
            if snapshots == "on":
                add("capture", repeat, snapshots, "snapshots", snapshots_in(path))


def compiled(jvm):
    listing = ct.run(jvm.jdk.jcmd, jvm.pid, "Compiler.codelist").out
    return sum(line[:1].isdigit() for line in listing.splitlines())


def attach(options, classes, add):
    flags = ["-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", "-XX:+EnableDynamicAgentLoading"]
    actions = {"version": lambda jvm: tools.jcmd(jvm, "VM.version"),
               "off": lambda jvm: ct.attach(jvm, ct.WORK / "attach.jfr", INTERVAL),
               "on": lambda jvm: ct.attach(jvm, ct.WORK / "attach.jfr", INTERVAL, "--asm")}
    for repeat in range(options.repeats):
        for what, action in actions.items():
            with tempfile.TemporaryDirectory() as target, \
                 ct.Jvm(options.jdk, "-cp", classes, "ManyMethods", target, *sources(), flags=flags) as jvm:
                jvm.expect("ready")
                jvm.round(threads=2, seconds=1)
                add("attach", repeat, what, "methods", compiled(jvm))
                jvm.say("go threads=2 depth=20 seconds=5")
                time.sleep(1)
                action(jvm)
                done = jvm.expect("done")
                add("attach", repeat, what, "longest_pause_ms", int(done.split("longest_ns=")[1].split()[0]) / 1e6)
                jvm.finish()


def summarize(rows):
    for key in dict.fromkeys((row["part"], row["snapshots"], row["measure"]) for row in rows):
        values = [row["value"] for row in rows if (row["part"], row["snapshots"], row["measure"]) == key]
        print(f"{' '.join(key):40} {statistics.median(values):12.4g} [{min(values):.4g}..{max(values):.4g}]")


def main():
    parser = argparse.ArgumentParser(prog="script/bench asm")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--jdk", type=int, default=25)
    output_option(parser)
    options = parser.parse_args()
    options.jdk = ct.jdk(options.jdk) or sys.exit("asm: this JDK is not cached; run script/jdks")
    results = Results(options.output / "asm.csv", FIELDS)

    def add(*values):
        results.add(**dict(zip(FIELDS, values)))

    with tempfile.TemporaryDirectory() as classes:
        subprocess.run([options.jdk.javac, "-d", classes, "-sourcepath", OWN, ROOT / "bench" / "Compiles.java",
                        ROOT / "bench" / "asm" / "ManyMethods.java", OWN / "Units.java"], check=True)
        for part in (capture, attach):
            part(options, classes, add)
    summarize(results.rows)


main()
