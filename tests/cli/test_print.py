#!/usr/bin/env python3
"""candor print and candor summary on recordings with known content: filters, limits, text, JSON, damage, a closed pipe.

tier: quick
timeout: 120
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import HOT, MAKER, MS, make


def example():
    lines = [("setting", "interval_ns", 10 * MS), ("jvm", "OpenJDK (25)", "demo.Main --port 80", 4711),
             ("thread", 'ma"in\x1b[31m', 4711, 1)]
    for i in range(30):
        lines += [("sample", 1, 10 * MS, "complete", HOT), ("execution", 1, HOT)]
        if i == 15:
            lines.append(("rotate",))
    return lines + [("book", "complete", "", 300 * MS, 30), ("book", "cpu", "", 300 * MS, 0)]


def events(path, *options):
    result = ct.candor("print", "--json", *options, path)
    return [json.loads(line) for line in result.out.splitlines()] if result.status == 0 else str(result)


def types(path, *options):
    return {event["type"] for event in events(path, *options)}


def fails(status, words, *arguments):
    result = ct.candor(*arguments)
    ct.ok(result.status == status and words in result.err and result.err.count("\n") == 1,
          f"{' '.join(map(str, arguments[:4]))}: {words}", result)


def test_filters(path):
    everything = events(path)
    summary = json.loads(ct.candor("summary", "--json", path).out)
    ct.ok(len(everything) == summary["events"]["count"] > 60, "print has as many events as summary counts", summary)
    ct.ok(all(sum(e["type"] == name for e in everything) == t["count"] for name, t in summary["types"].items()), "of each type")
    ct.ok(types(path, "--events", "CpuSample") == {"candor.CpuSample"}, "by simple name")
    ct.ok(types(path, "--events", "jdk.executionsample,candor.cpu*") == {"candor.CpuSample", "jdk.ExecutionSample"},
          "by full name, in any case, and by wildcard")
    ct.ok(types(path, "--events", "*Sampl?") == {"candor.CpuSample", "jdk.ExecutionSample"}, "? is any one character")
    jvm = {"jdk.ExecutionSample", "jdk.JVMInformation"}
    ct.ok(types(path, "--categories", "JVM") == types(path, "--categories", "java virtual*") == jvm, "by category and its initials")
    ct.ok(types(path, "--categories", "JVM", "--events", "BookLine") == jvm | {"candor.BookLine"}, "either filter is enough")
    ct.ok(len(events(path, "--events", "CpuSample", "--limit", "17")) == 17, "a limit, across chunks")
    fails(1, "'Nonsense'", "print", "--events", "CpuSample,Nonsense", "--limit", "1000", path)
    fails(1, "in a category 'Nonsense'", "print", "--categories", "Nonsense", path)
    fails(2, "--limit", "print", "--limit", "many", path)
    fails(2, "--limit 0", "print", "--limit", "0", path)
    fails(2, "--stack-depth", "print", "--stack-depth", "-1", path)
    fails(1, "No such file", "print", ct.WORK / "missing.jfr")
    fails(1, "No such file", "summary", ct.WORK / "missing.jfr")


def test_values(path):
    sample = events(path, "--events", "CpuSample", "--limit", "1")[0]["values"]
    ct.ok(sample["weight"] == "PT0.010000000S" and sample["outcome"] == "complete", "spans and names", sample)
    ct.ok(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", sample["startTime"]), "times", sample["startTime"])
    ct.ok([f["lineNumber"] for f in sample["stackTrace"]["frames"]] == [23, 12, 840]
          and sample["stackTrace"]["truncated"] is False, "a whole stack", sample["stackTrace"])
    cut = events(path, "--events", "CpuSample", "--limit", "1", "--stack-depth", "2")[0]["values"]["stackTrace"]
    ct.ok(len(cut["frames"]) == 2 and cut["truncated"] is True, "a stack cut says so", cut)
    times = [e["values"]["startTime"] for e in events(path, "--events", "CpuSample")]
    ct.ok(times == sorted(times), "in the order of time")
    text = ct.candor("print", "--events", "CpuSample", "--limit", "1", "--stack-depth", "2", path).out
    ct.ok("\n  weight = 10.0 ms\n" in text and re.search(r"startTime = \d\d:\d\d:\d\d\.\d{3} \(\d{4}-\d\d-\d\d\)\n", text),
          "text has units and times", text)
    ct.ok("stackTrace = [\n    demo.Work.hot" in text and " line: 23" in text and "    ...\n  ]" in text and "840" not in text,
          "and stacks of limited depth", text)
    ct.ok('"ma\\"in?[31m"' in text, "what others wrote cannot command the terminal", text)
    exact = ct.candor("print", "--exact", "--events", "CpuSample", "--limit", "1", path).out
    ct.ok("weight = 0.010000000 s" in exact and "(JIT compiled)" in exact, "--exact has all digits", exact)


def test_summary(path):
    summary = json.loads(ct.candor("summary", "--json", path).out)
    parts = [summary[part]["bytes"] for part in ("events", "constant_pools", "metadata")]
    headers = 68 * summary["chunks"]
    ct.ok(summary["size"] == path.stat().st_size and sum(parts) + headers == summary["size"],
          "events, pools, metadata and headers are the file", (summary["size"], parts))
    ct.ok(summary["chunks"] == summary["whole_chunks"] == 2
          and not summary["problems"] and summary["version"] == "2.0", "two chunks", summary)
    text = ct.candor("summary", path).out
    ct.ok(re.search(r"candor\.CpuSample +30 +[\d,]+ +\d+\.\d%", text) and "chunks    2\n" in text, "as text", text)
    ct.ok("candor.SafepointSample" not in text and "candor.SafepointSample" in ct.candor("summary", "--all", path).out,
          "types without events with --all only")


def test_damage(path):
    whole = path.read_bytes()
    first = int.from_bytes(whole[8:16], "big")
    cut = ct.WORK / "cut.jfr"
    cut.write_bytes(whole[:first + 200])
    result = ct.candor("print", "--json", "--events", "CpuSample", cut)
    ct.ok(result.status == 0 and len(result.out.splitlines()) == 16 and "chunk" in result.err,
          "whole lines are printed, the rest is reported", result)
    summary = ct.candor("summary", cut)
    ct.ok(summary.status == 0 and "1 damaged" in summary.out and "chunk" in summary.err, "summary tells of damage", summary)
    ct.ok(json.loads(ct.candor("summary", "--json", cut).out)["problem_count"] > 0, "and so does its JSON")
    cut.write_bytes(b"nonsense" * 100)
    fails(1, "not a JFR recording", "print", cut)
    fails(1, "not a JFR recording", "summary", cut)


def test_pipes(path):
    printed = subprocess.Popen([ct.PROGRAM, "print", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed.stdout.read(10)
    printed.stdout.close()
    complaints = printed.stderr.read()
    ct.ok(printed.wait(ct.PATIENCE) >= 0 and not complaints, "a reader that goes away is no reason to complain", complaints)
    piped = subprocess.run([ct.PROGRAM, "print", "--events", "CpuSample", "-"], stdin=open(path), capture_output=True, text=True)
    ct.ok(piped.stdout.count("candor.CpuSample {") == 30, "standard input", piped)
    full = subprocess.run([ct.PROGRAM, "print", path], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True)
    ct.ok(full.returncode == 1 and "No space left" in full.stderr, "events that cannot be printed fail", full)


ct.need(MAKER, ct.PROGRAM)
recording = make("example.jfr", example())
test_filters(recording)
test_values(recording)
test_summary(recording)
test_damage(recording)
test_pipes(recording)
ct.done()
