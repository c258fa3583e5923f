#!/usr/bin/env python3
"""Our recordings in other parsers, and other recordings in ours: the JDK's tools, jdk.jfr.consumer and Mission Control agree with us on
the number of events of each type, on threads, and on the methods at the top of jdk.ExecutionSample. They also do if one file has
chunks of both recorders.

tier: default
timeout: 900
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct

# Mission Control 8 prints this for every recording of JDK 21 and later, too.
NO_VIRTUAL_THREADS = re.compile(r".* addField\nWARNING: Could not find field with name 'virtual' in reader for 'thread'\n")
# Independent of the locale; the last one up to JDK 17.
UTF8 = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Dsun.stdout.encoding=UTF-8")
# How the JDK's parser reads a character beyond U+FFFF that a JDK up to 11 wrote, in the JVM's own UTF-8: as two surrogates.
SPOILT = "\ufffd\ufffd"
SIZES = [(1, 1), (3, 4)]  # chunks, flushes in each
WRITER, READER = ct.BUILD / "tests/jvm/jfr_write_sample", ct.BUILD / "tests/jvm/jfr_read_sample"


def java(jdk, program, *arguments, flags=()):
    classes = ct.own_classes(jdk, HERE / "ReadJdk.java", HERE / "Busy.java")
    return ct.run(jdk.java, *UTF8, *flags, "-cp", classes, program, *arguments)


def found(result, kinds=("count", "method", "thread")):
    """{line without its number: number} for the output of a reader."""
    lines = (line.rpartition(" ") for line in result.out.splitlines())
    return {text: int(number) for text, _, number in lines if text.split(" ")[0] in kinds}


def problems(result):
    return [line for line in result.out.splitlines() if line.startswith("problem ")]


def differences(ours, theirs):
    return "\n".join(f"{key}: ours {ours.get(key)}, theirs {theirs.get(key)}"
                     for key in sorted(ours.keys() | theirs.keys()) if ours.get(key) != theirs.get(key))


def agree(ours, theirs, what):
    ct.ok(ours and ours == theirs, what, differences(ours, theirs))


def summary(jdk, path):
    """The counts of `jfr summary`, without the format's own two types."""
    rows = re.findall(r"^ (\w+(?:\.\w+)+) +(\d+) +\d+ *$", ct.run(jdk.jfr, "summary", path).out, re.MULTILINE)
    found = collections.Counter()  # types of one name with several numbers have several rows
    for name, n in rows:
        if int(n) and name not in ("jdk.Metadata", "jdk.CheckPoint", "jdk.Checkpoint"):
            found[f"count {name}"] += int(n)
    return found


def printed(jdk, path):
    result = ct.run(jdk.jfr, "print", "--json", "--stack-depth", "4096", path)
    events = json.loads(result.out)["recording"]["events"] if not result.status else []
    return collections.Counter(f"count {event['type']}" for event in events), events


def mission_control(jdk, path, jars):
    return ct.run(jdk.java, *UTF8, "-cp", f"{jars}/*", HERE / "ReadJmc.java", path)


def counts(lines):
    return {key: n for key, n in lines.items() if key.startswith("count ")}


def check_samples(events):
    """Unusual values, as `jfr print` shows them."""
    samples = [event["values"] for event in events if event["type"] == "candor.CpuSample"]
    deep = max((s["stackTrace"] for s in samples), key=lambda trace: len(trace["frames"]))
    ct.ok(len(deep["frames"]) == 2048 and deep["truncated"], "jfr print: the truncated stack of 2048 frames")
    ct.ok({s["outcome"] for s in samples} == {"complete", "truncated", "not_walkable"}, "jfr print: outcomes")
    ct.ok({s["eventThread"]["osName"] for s in samples} == {"main", "wörker-日本-𝄞", "GC Thread#0"}, "jfr print: threads")
    ct.ok(samples[0]["weight"] == "PT0.01S", "jfr print: a weight is a time span", samples[0]["weight"])
    residual = [event["values"]["time"] for event in events
                if event["type"] == "candor.BookLine" and event["values"]["account"] == "residual"]
    ct.ok(set(residual) == {"PT-0.001234567S"}, "jfr print: the negative residual", residual)


def check_hot_methods(jdk, path, ours):
    result = ct.run(jdk.jfr, "view", "--width", "300", "hot-methods", path)
    rows = re.findall(r"^(\S.*?)\(.*?\) +(\d+) +[\d.]+%$", result.out, re.MULTILINE)
    ct.ok(rows and {f"method {name}": int(n) for name, n in rows} == {k: n for k, n in ours.items() if "method " in k},
          "jfr view hot-methods agrees", result.out + result.err)


def check_ours(jdks, jars):
    newest = jdks[-1]
    read_by = ct.spread(jdks, SIZES)
    for chunks, flushes in SIZES:
        path = ct.WORK / f"ours-{chunks}.jfr"
        subprocess.run([WRITER, path, str(chunks), str(flushes)], check=True)
        what = f"our recording, {chunks} x {flushes} flushes"
        read = ct.run(READER, path)
        ours = found(read)
        ct.ok(ours.get("count candor.CpuSample") == 60 * chunks * flushes and not problems(read), f"{what}: read by us")
        for jdk in [jdk for jdk, size in read_by if size == (chunks, flushes)]:
            agree(counts(ours), summary(jdk, path), f"{what}: jfr summary of {jdk} agrees")
            agree(counts(ours), printed(jdk, path)[0], f"{what}: jfr print of {jdk} agrees")
            agree(ours, found(java(jdk, "ReadJdk", path)), f"{what}: jdk.jfr.consumer of {jdk} agrees")
        check_samples(printed(newest, path)[1])
        check_hot_methods(newest, path, ours)
        if jars:
            result = mission_control(newest, path, jars)
            agree(ours, found(result), f"{what}: Mission Control agrees")
            complaints = re.sub(NO_VIRTUAL_THREADS, "", result.err).strip()
            ct.ok(not complaints, f"{what}: without a complaint", complaints)


def converted(jdk, jars, path, *options):
    """The numbers for each stack from async-profiler's converter."""
    collapsed = ct.WORK / "converted.txt"
    ct.run(jdk.java, *UTF8, "-cp", f"{jars}/*", "one.convert.Main", *options, "-o", "collapsed", path, collapsed)
    lines = (line.rpartition(" ") for line in collapsed.read_text().splitlines())
    return {stack: int(number) for stack, _, number in lines}


def check_converter(jdk, jars):
    """It expects the JDK's fields in the JDK's events, but ours have more."""
    for chunks, flushes in SIZES:
        path, rounds = ct.WORK / f"ours-{chunks}.jfr", chunks * flushes
        for options, what, number in (([], "samples", 50),
                                      (["--alloc"], "allocations", 7), (["--alloc", "--total"], "allocated bytes", 7 * 4096),
                                      (["--lock"], "waits", 2 * 5), (["--lock", "--total"], "time of waiting", 2 * 5 * 2_000_000)):
            stacks = converted(jdk, jars, path, *options)
            ct.ok(sum(stacks.values()) == number * rounds, f"async-profiler's converter finds the {what} of {chunks} x {flushes} flushes",
                  f"{sum(stacks.values())}, not {number * rounds}: {stacks}")


def check_theirs(jdks):
    for jdk in jdks:
        path = ct.WORK / f"jdk{jdk.version}.jfr"
        java(jdk, "Busy", "1", flags=[f"-XX:StartFlightRecording=filename={path},settings=profile"])
        read = ct.run(READER, path)
        ours = found(read)
        what = f"a recording of JDK {jdk.version}"
        ct.ok(not problems(read), f"{what}: no problems", read.out[:2000])
        agree(counts(ours), summary(jdks[-1], path), f"{what}: jfr summary agrees ({len(counts(ours))} types)")
        agree({key.replace("𝄞", SPOILT) if jdk.version < 17 else key: n for key, n in ours.items()},
              found(java(jdks[-1], "ReadJdk", path)), f"{what}: jdk.jfr.consumer agrees on types, methods and threads")
        if jdk.version < 17:
            ct.ok("thread haupt-日本-𝄞" in ours, f"{what}: we read names beyond U+FFFF")


def plain(lines):
    """If a type had other fields in the previous chunk, Mission Control gives it a name with a number."""
    found = collections.Counter()
    for line, n in lines.items():
        found[re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "", line)] += n
    return found


def without_errors(lines):
    """Mission Control shows an Error as either of two events."""
    return {line: n for line, n in lines.items() if line not in ("count jdk.JavaErrorThrow", "count jdk.JavaExceptionThrow")}


def check_both(jdks, jars):
    """The JDK's chunks after ours; the last of them is marked as the last one."""
    ours = ct.WORK / f"ours-{SIZES[-1][0]}.jfr"
    for jdk in jdks:
        path, what = ct.WORK / f"both{jdk.version}.jfr", f"our recording and one of JDK {jdk.version}"
        path.write_bytes(ours.read_bytes() + (ct.WORK / f"jdk{jdk.version}.jfr").read_bytes())
        read = ct.run(READER, path)
        counted = counts(found(read))
        ct.ok(counted.get("count candor.CpuSample") and counted.get("count jdk.ActiveSetting", 0) > 100 and not problems(read),
              f"{what}: read by us", read.out[:2000])
        agree(counted, summary(jdks[-1], path), f"{what}: jfr summary agrees ({len(counted)} types)")
        agree(counted, counts(found(java(jdks[-1], "ReadJdk", path))), f"{what}: jdk.jfr.consumer agrees")
        if jars:
            agree(without_errors(counted), without_errors(plain(counts(found(mission_control(jdks[-1], path, jars))))),
                  f"{what}: Mission Control agrees")


def fetch_jars(name, what):
    result = ct.run(HERE / "fetch_jars.sh", name, timeout=200)
    if result.status:
        ct.skip(what, "its jars cannot be fetched: " + (result.err.strip().splitlines() or ["?"])[-1])
        return None
    return result.out.strip()


def main():
    ct.need(WRITER, READER)
    jdks = ct.jdks()
    jars = fetch_jars("flightrecorder", "Mission Control's parser")
    converter = fetch_jars("jfrconv", "async-profiler's converter")
    check_ours(jdks, jars)
    if converter:
        check_converter(jdks[-1], converter)
    check_theirs(jdks)
    check_both(jdks, jars)
    ct.done()


main()
