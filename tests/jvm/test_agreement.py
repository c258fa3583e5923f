#!/usr/bin/env python3
"""The JDK's own tools read a recording and find the same numbers as candor report.

tier: default
timeout: 600

jfr summary counts events, jfr print lists them, jfr view hot-methods ranks them; all of these tools are from JDK 25. The number of
jdk.ExecutionSample events is rounded without bias: the number times the interval equals the weight of the samples within 5 standard errors;
each sample contributes a variance below 1/4.
"""
import json
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

INTERVAL_NS = 2_000_000


def summary(tool, path):
    result = ct.run(tool.jfr, "summary", path)
    counts = {}
    for line in result.out.splitlines():
        match = re.match(r"\s*(\w+(?:\.\w+)+)\s+(\d+)\s+(\d+)\s*$", line)
        if match:
            counts[match[1]] = int(match[2])
    return result, counts


def hot_methods(tool, path):
    """[(method, samples, percent)] as the JDK ranks them."""
    result = ct.run(tool.jfr, "view", "--width", "160", "hot-methods", path)
    rows = []
    for line in result.out.splitlines():
        match = re.match(r"\s*(\S.*?)\s{2,}([\d,]+)\s+([\d.]+)\s?%", line)
        if match:
            rows.append((match[1].split("(")[0], int(match[2].replace(",", "")), float(match[3])))
    return result, rows


def check(tool, jdk):
    path = ct.WORK / f"agreement-{jdk.version}.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path, interval="2ms")) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.7)
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    recording, report = ct.Recording(path), ct.report(path)
    result, counts = summary(tool, path)
    ct.ok(result.status == 0 and counts, f"{jdk}: jfr summary reads it", result)
    books = report["books"]
    taken = books["complete"] + books["truncated"] + sum(books["failed"].values())
    ct.ok(taken == counts.get("candor.CpuSample") == len(recording.samples) > 300,
          f"{jdk}: {taken} samples by candor report, {counts.get('candor.CpuSample')} by jfr summary, "
          f"{len(recording.samples)} by our own strict reader")
    differ = {name: (count, counts.get(name)) for name, count in recording.counts.items() if counts.get(name) != count}
    ct.ok(not differ, f"{jdk}: all {len(recording.counts)} event types are counted alike", differ)
    check_report_counts(jdk, report, recording)
    check_rounding(jdk, recording)
    check_print(tool, jdk, path, recording)
    check_view(tool, jdk, path, recording)


def check_report_counts(jdk, report, recording):
    ct.ok(report.get("samples") == len(recording.samples), f"{jdk}: report's samples: {report.get('samples')}")
    ct.ok(report.get("execution_samples") == len(recording.executions),
          f"{jdk}: report's execution_samples: {report.get('execution_samples')}, counted {len(recording.executions)}")


def check_rounding(jdk, recording):
    weight = sum(sample.weight for sample in recording.samples)
    expected = weight / INTERVAL_NS
    bound = ct.STANDARD_ERRORS * math.sqrt(len(recording.samples) / 4)
    ct.ok(abs(len(recording.executions) - expected) <= bound,
          f"{jdk}: {len(recording.executions)} execution samples for {expected:.1f} intervals, bound {bound:.0f}")


def check_print(tool, jdk, path, recording):
    result = ct.run(tool.jfr, "print", "--json", "--stack-depth", "3", "--events", "candor.CpuSample", path)
    try:
        events = json.loads(result.out)["recording"]["events"]
    except (ValueError, KeyError) as problem:
        ct.ok(False, f"{jdk}: jfr print reads it", f"{problem}\n{result}")
        return
    values = [event["values"] for event in events]
    theirs = sorted((nanoseconds(value["weight"]), top_of(value["stackTrace"])) for value in values)
    ours = sorted((sample.weight, sample.frames[0][0] if sample.frames else "") for sample in recording.samples)
    ct.ok(theirs == ours, f"{jdk}: jfr print lists {len(theirs)} samples with the same weights and leaves",
          [pair for pair in zip(theirs, ours) if pair[0] != pair[1]][:5])


def top_of(stack):
    if not stack or not stack["frames"]:
        return ""
    method = stack["frames"][0]["method"]
    return f"{method['type']['name']}.{method['name']}".replace("/", ".")


def nanoseconds(text):
    """A duration as jfr prints it: ISO 8601 ("PT0.001S"), or a plain number if the field is not declared as a time span."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(r"PT(?:(\d+)M)?([\d.]+)S", text)
    return round((int(match[1] or 0) * 60 + float(match[2])) * 1e9)


def check_view(tool, jdk, path, recording):
    result, rows = hot_methods(tool, path)
    if not ct.ok(result.status == 0 and rows, f"{jdk}: jfr view hot-methods ranks methods", result):
        return
    counted = {}
    for event in recording.executions:
        frames = (event["stackTrace"] or {"frames": []})["frames"]
        if frames:
            name = ct.frame_of(frames[0])[0]
            counted[name] = counted.get(name, 0) + 1
    for name in ("TwoMethods.heavy", "TwoMethods.light"):
        theirs = next((samples for method, samples, _ in rows if method.endswith(name)), None)
        ct.ok(theirs == counted.get(name),
              f"{jdk}: hot-methods gives {name} {theirs} samples, counted {counted.get(name)}", result)
    ct.ok(rows[0][0].endswith("TwoMethods.heavy"), f"{jdk}: hot-methods puts the heavier method first", rows[:3])


def main():
    ct.need()
    tool = ct.jdk(25)
    if not tool:
        ct.skip("the JDK's tools", "no JDK 25")
    else:
        for jdk in ct.jdks():
            check(tool, jdk)
    ct.done()


main()
