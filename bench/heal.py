#!/usr/bin/env python3
"""How fast approximate frames become exact after a late attach, and what that costs: Tomcat, H2 and javac.

usage: script/bench heal [--jdk N]... [--program NAME]... [--mode paced|now]... [--warm S] [--seconds S] [--rate N] [--output FOLDER]

A program works for S seconds, so that its code is compiled. Then it is recorded with `candor record -e cpu --heal MODE`. A row has the
share of the CPU time that was approximate in each stretch of five seconds, the second from which on it stays below 1 %, the pauses by
the JVM's own counter (none from JDK 17 on, which stops single threads instead), the CPU time of the compilers beyond their usual rate,
and that of the agent's thread, both as a share of the program's.

Raw data go to OUTPUT/heal.csv (default: docs/benchmarks).
"""
import argparse
import contextlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "lib"))
from results import Results, output_option
from tomcat import ct, steady

FIELDS = ("program", "jdk", "mode", "shares", "below_after_s", "steps", "methods", "paused_ms", "longest_step_ms", "compilers_percent",
          "agent_percent", "log")
STRETCH = 5  # seconds
H2 = ("h2-2.1.214.jar", pathlib.Path("/usr/share/java"))


def compiled(jdk, *sources):
    folder = ct.WORK / f"classes-{jdk.version}"
    folder.mkdir(exist_ok=True)
    subprocess.run([jdk.javac, "-d", folder, *sources], check=True)
    return folder


@contextlib.contextmanager
def java(jdk, warm, *arguments):
    process = subprocess.Popen([jdk.java, *map(str, arguments)], stdout=subprocess.DEVNULL)
    try:
        process.wait(warm)
    except subprocess.TimeoutExpired:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def javac(jdk, options):
    folder = compiled(jdk, ROOT / "bench" / "Compiles.java")
    return java(jdk, options.warm, "-cp", folder, "Compiles", options.warm + options.seconds + 30,
                *sorted((ROOT / "tests" / "java").glob("P*.java")))


def h2(jdk, options):
    folder, jar = compiled(jdk, ROOT / "bench" / "heal" / "Queries.java"), H2[1] / H2[0]
    return java(jdk, options.warm, "-cp", f"{folder}:{jar}", "Queries", options.warm + options.seconds + 30)


@contextlib.contextmanager
def tomcat(jdk, options):
    with steady(jdk, options.rate, options.seconds + 30) as server:
        yield server.pid


PROGRAMS = {"Tomcat": (tomcat, 11), "H2": (h2, 11), "javac": (javac, 11)}  # and the oldest JDK


def is_approximate(sample):
    return next((kind for _, kind, _ in sample.frames if kind != "Kernel"), None) in ct.APPROXIMATE_FRAMES


def shares_of(recording):
    """By stretch, in percent."""
    first, found = min(sample.start for sample in recording.samples), {}
    for sample in recording.samples:
        sums = found.setdefault(int((sample.start - first) / 1e9) // STRETCH, [0, 0])
        sums[0] += sample.weight
        sums[1] += sample.weight * is_approximate(sample)
    return [100 * approximate / weight for _, (weight, approximate) in sorted(found.items())]


def below_after(shares):
    above = [i for i, share in enumerate(shares) if share >= 1]
    return STRETCH * (above[-1] + 1 if above else 0)


def measure(name, jdk, mode, options):
    path = ct.WORK / "heal.jfr"
    with PROGRAMS[name][0](jdk, options) as pid:
        result = ct.candor("record", "-e", "cpu", "--heal", mode, "-d", f"{options.seconds}s", "-o", path, pid)
    if result.status:
        sys.exit(f"bench: {result.err}")
    recording, report = ct.Recording(path), ct.report(path)
    healing, shares = report["healing"], shares_of(recording)
    steps = [text for _, text in recording.log if "was discarded" in text]
    pauses = [float(found.group(1)) for text in steps if (found := re.search(r"stopped for ([0-9.]+) ms", text))]
    whole = sum(sample.weight for sample in recording.samples)
    own = recording.books["unseen", "profiler"][0]
    return dict(program=name, jdk=jdk.version, mode=mode, shares=" ".join(f"{share:.1f}" for share in shares),
                below_after_s=below_after(shares), steps=healing["steps"], methods=healing["methods"],
                paused_ms=f"{healing['paused_ns'] / 1e6:.1f}", longest_step_ms=max(pauses, default=0),
                compilers_percent=f"{100 * healing['compilers_ns'] / whole:.2f}", agent_percent=f"{100 * own / whole:.2f}",
                log=" | ".join(steps))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], usage=__doc__.partition("usage: ")[2].partition("\n\n")[0])
    parser.add_argument("--jdk", type=int, action="append")
    parser.add_argument("--program", choices=PROGRAMS, action="append")
    parser.add_argument("--mode", choices=("paced", "now"), action="append")
    parser.add_argument("--warm", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=1000)
    output_option(parser)
    options = parser.parse_args()
    ct.need()
    results = Results(options.output / "heal.csv", FIELDS)
    for jdk in ct.jdks():
        for name in options.program or PROGRAMS:
            for mode in options.mode or ("paced", "now"):
                if jdk.version in (options.jdk or [jdk.version]) and jdk.version >= PROGRAMS[name][1]:
                    print(results.add(**measure(name, jdk, mode, options)), flush=True)


main()
