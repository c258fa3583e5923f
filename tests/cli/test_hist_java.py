#!/usr/bin/env python3
"""Histogram logs of Candor and of HdrHistogram for Java: counts, percentiles and whole percentile tables are the same.

tier: default
timeout: 300
"""
import base64
import json
import pathlib
import random
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

JAR = "/usr/share/java/hdrhistogram.jar"
PERCENTILES = ("50", "90", "99", "99.9", "99.99")


def java(program, *arguments):
    return ct.run(ct.compiler().java, "-cp", f"{ct.WORK}:{JAR}", program, *arguments)


def as_java(result):
    return {line.split()[0]: [int(word) for word in line.split()[1:]] for line in result.out.splitlines()}


def as_candor(path):
    result = ct.candor("hist", "--json", "-u", "ns", "-p", ",".join(PERCENTILES), path)
    return {row["tag"] or "default": [row["count"], *(int(row[f"p{p}"]) for p in PERCENTILES), int(row["max"])]
            for row in json.loads(result.out)["tags"]}


def rows(text):
    """The table's rows and its footer, without the text before it."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if "Percentile TotalCount" in line), len(lines))
    return [line.rstrip() for line in lines[start:]]


def are_same(a, b):
    """Two rows; the last of a percentile's twelve digits may be rounded in either direction. Java's number of buckets depends on how far
    its array has grown."""
    first, second = a.split(), b.split()
    if len(first) > 1 and first[0][0].isdigit() and second[0][0].isdigit():
        return first[0] == second[0] and first[2:] == second[2:] and abs(float(first[1]) - float(second[1])) < 2e-12
    return a == b or a.startswith("#[Buckets")


def same_table(log, name, what, *options):
    java("org.HdrHistogram.HistogramLogProcessor", "-i", log, "-o", ct.WORK / name, *options)
    table = rows((ct.WORK / f"{name}.hgrm").read_text())
    mine = rows(ct.candor("hist", "-f", "hgrm", *(["--tags", name] if options else []), log).out)
    differing = [f"{a} | {b}" for a, b in zip(table, mine) if not are_same(a, b)]
    ct.ok(len(table) > 20 and len(table) == len(mine) and not differing, f"HistogramLogProcessor's table {what}, row by row",
          "\n".join(differing) or f"{len(table)} and {len(mine)} rows")


def ours_read_by_java():
    log = ct.WORK / "ours.hlog"
    ct.candor("load", "--mock", "hiccup", "-r", "1000", "-c", "4", "-d", "100s", "--virtual-time", "-q", "-o", log,
              "--requests", "insert=1,read=9")
    ours, theirs = as_candor(log), as_java(java("HistLogs", "read", log))
    ct.ok(len(ours) == 8 and ours == theirs, "our log: counts, percentiles and maxima as Java reads them", f"{ours}\n{theirs}")
    for tag in ("read-rt", "insert-st"):
        same_table(log, tag, f"of {tag}", "-tag", tag)
    listed = java("org.HdrHistogram.HistogramLogProcessor", "-i", log, "-listtags").out
    ct.ok(all(tag in listed for tag in ours), "HistogramLogProcessor lists the tags", listed)
    again = ct.WORK / "c.hlog"
    ct.candor("hist", "union", "--dialect", "c", "-o", again, log)
    ct.ok(as_java(java("HistLogs", "read", again)) == theirs, "the other dialect is read too")


def theirs_read_by_us():
    for seed in ("1", "2", "3"):
        log = ct.WORK / f"theirs-{seed}.hlog"
        theirs, ours = as_java(java("HistLogs", "write", log, seed)), as_candor(log)
        ct.ok(len(ours) == 3 and ours == theirs, f"Java's log {seed}: counts, percentiles and maxima", f"{ours}\n{theirs}")


def old_writers_read_by_us():
    """Logs by HdrHistogram 1.2.1 (V0) and 2.1.6 (V1): what their writer counted, and HistogramLogProcessor's whole table. They need
    JDK 8's base64."""
    jdk = ct.jdk(8)
    if not jdk:
        ct.skip("logs of an old HdrHistogram", "no JDK 8 is cached: script/jdks")
        return
    for version, cookie in (("hdr0", "1c849308"), ("hdr1", "1c849301")):
        fetched = ct.run(ct.ROOT / "tests" / "jvm" / "fetch_jars.sh", version)
        if fetched.status:
            ct.skip(f"{version}: logs of an old HdrHistogram", fetched.err[-200:] or "Maven has no jar")
            continue
        (jar,) = pathlib.Path(fetched.out.strip()).glob("*.jar")
        classes = ct.WORK / version
        classes.mkdir()
        subprocess.run([jdk.javac, "-cp", jar, "-d", classes, pathlib.Path(__file__).with_name("OldHistLogs.java")], check=True)
        log = ct.WORK / f"{version}.hlog"
        written = ct.run(jdk.java, "-cp", f"{classes}:{jar}", "OldHistLogs", log)
        count = as_candor(log)["default"][0]
        ct.ok(written.status == 0 and written.out.split() == [str(count), cookie], f"{log.name}: its encoding, and {count} values",
              written)
        same_table(log, version, f"of {log.name}")


def old_encoding(version, word, counts):
    """A histogram as HdrHistogram wrote it before 2.1.4 (V0, with words of 8 bytes), and before 2.1.7 (V1)."""
    body = b"".join(count.to_bytes(word, "big") for count in counts)
    cookie = {0: 0x1c849308, 1: 0x1c849301}[version] + (word << 4)
    if version:
        head = struct.pack(">IIIIqqd", cookie, len(body), 0, 2, 20000, 3600 * 10**9, 1.0)
    else:
        head = struct.pack(">IIqqq", cookie, 2, 20000, 3600 * 10**9, sum(counts))
    packed = zlib.compress(head + body)
    return base64.b64encode(struct.pack(">II", cookie + 1, len(packed)) + packed).decode()


def old_logs_read_by_both():
    draw = random.Random(1)
    for version, word in ((0, 8), (1, 2)):
        log = ct.WORK / f"v{version}-{word}.hlog"
        lines = []
        for start in range(5):
            counts = [draw.choice((0, 0, 7, 1000)) for _ in range(1300)]
            lines.append(f"{start}.100,1.000,3.000,{old_encoding(version, word, counts)}")
        log.write_text("#[Histogram log format version 1.01]\n#[StartTime: 1438869961.225 (seconds since epoch), x]\n"
                       '"StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"\n' + "\n".join(lines) + "\n")
        same_table(log, f"v{version}-{word}", f"of encoding V{version}, words of {word} bytes")


if not pathlib.Path(JAR).exists():
    ct.skip("HdrHistogram for Java", "no libhdrhistogram-java; run script/bootstrap test")
    ct.done()
ct.need(ct.PROGRAM)
subprocess.run([ct.compiler().javac, "-cp", JAR, "-d", ct.WORK, pathlib.Path(__file__).with_name("HistLogs.java")], check=True)
ours_read_by_java()
theirs_read_by_us()
old_logs_read_by_both()
old_writers_read_by_us()
ct.done()
