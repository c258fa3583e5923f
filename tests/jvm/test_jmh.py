#!/usr/bin/env python3
"""The profiler plug-in for JMH: it shows the hottest region of a benchmark, from its measured iterations, in each of two forks.

tier: default
timeout: 900
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

HERE = pathlib.Path(__file__).resolve().parent
BUILD = ct.ROOT / "java" / "jmh" / "build"
ENOUGH = 50  # of a second; on a busy machine the benchmark gets only a part of it


def fetch_jars():
    result = ct.run(HERE / "fetch_jars.sh", "jmh", timeout=200)
    if result.status:
        ct.skip("JMH", "its jars cannot be fetched: " + (result.err.strip().splitlines() or ["?"])[-1])
        ct.done()
    return sorted(pathlib.Path(result.out.strip()).glob("*.jar"))


def build(jars):
    """The class path with the benchmark and the plug-in."""
    core = next(jar for jar in jars if jar.name.startswith("jmh-core-"))
    plug_in, classes = ct.WORK / "candor-jmh.jar", ct.WORK / "benchmark"
    result = ct.run(BUILD, core, plug_in, env={**os.environ, "JAVA_HOME": str(ct.compiler().home)})
    if not ct.ok(result.status == 0 and plug_in.is_file(), "the plug-in is built", result):
        ct.done()
    classes.mkdir()
    result = ct.run(ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", ":".join(map(str, jars)), "-d", classes,
                    HERE / "Divisions.java")
    if not ct.ok(result.status == 0, "the benchmark is built", result):
        ct.done()
    return ":".join(map(str, [classes, plug_in, *jars]))


def jmh(jdk, path, profiler, *arguments, flags=()):
    return ct.run(jdk.java, *flags, "-cp", path, "org.openjdk.jmh.Main", "Divisions", "-prof", profiler, "-wi", "1", "-w", "500ms",
                  "-i", "2", "-r", "500ms", "-foe", "true", *arguments, cwd=ct.WORK)


def check(what, result, forks):
    """The four sections, once for each fork or for the only run without forks; the loop with the division is the hottest region."""
    ct.ok(result.status == 0 and "Secondary result" in result.out, f"{what}: JMH has a result of the profiler's", result)
    for section in ("Hottest code regions", "[Hottest Regions]", "[Hottest Methods (after inlining)]", "[Distribution by Source]"):
        ct.ok(result.out.count(section) == forks, f"{what}: {forks} times '{section}'", result)
    titles = re.findall(r"\[Hottest Region 1\]\.*\n(.*)", result.out)
    ct.ok(len(titles) == forks and all(title.startswith("C2, level 4, divisions.Divisions.divide, version ") for title in titles),
          f"{what}: the hottest region is the benchmark's: {titles}", result)
    listings = re.findall(r"\[Hottest Region 1\]\.*\n(.*?)<total for region 1", result.out, re.DOTALL)
    ct.ok(len(listings) == forks and all(re.search(r"\bidiv ", listing) and "Divisions.divide:" in listing for listing in listings),
          f"{what}: the division is in it, and lines of the source", listings)
    samples = [int(number.replace(",", "")) for number in re.findall(r"^([\d,]+) samples, ", result.out, re.MULTILINE)]
    ct.ok(len(samples) == forks and min(samples, default=0) >= ENOUGH, f"{what}: {samples} samples", result)


def main():
    ct.need()
    path = build(fetch_jars())
    kept = ct.WORK / "kept"
    options = f"candor:program={ct.PROGRAM}"
    jdks = ct.jdks(None if ct.TIER == "all" else {version: "in tier all" for version in (8, 11, 21, 27)})
    for jdk in jdks:
        check(str(jdk), jmh(jdk, path, options, "-f", "1"), 1)
    if jdks:
        jdk = jdks[-1]
        check(f"{jdk}, two forks", jmh(jdk, path, f"{options};save={kept}", "-f", "2"), 2)
        recordings = sorted(file.name for file in kept.glob("*.jfr")) if kept.is_dir() else []
        ct.ok(len(recordings) == 2, f"their recordings were kept: {recordings}")
        # JMH passes its settings for inlining only to forks.
        flags = ["-XX:CompileCommand=dontinline,divisions.Divisions::divide"]
        check(f"{jdk}, without a fork", jmh(jdk, path, options, "-f", "0", flags=flags), 1)
        for wrong, named in ((f"{options};bogus=1", "bogus"), ("candor:program=/no/candor", "/no/candor")):
            result = jmh(jdk, path, wrong, "-f", "1")
            ct.ok(result.status != 0 and named in result.out + result.err, f"-prof '{wrong}' is refused by name", result)
    ct.done()


main()
