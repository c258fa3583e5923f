#!/usr/bin/env python3
"""candor print and summary compared with the JDK's own `jfr print --json` and `jfr summary`: the same events with the same values, in
recordings of the JDK's flight recorder, of async-profiler and of Candor.

tier: default
timeout: 900
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

DEPTH = "4096"
# The text of `jfr print` for "none" or "for ever"; ours is null.
NEVER = re.compile(r"-999999999-01-01T00:00(:00)?\+18:00|\+999999999-12-31T23:59:59\.999999999-18:00|PT-?2562047788015215H.*")
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d+)?Z")
SPAN = re.compile(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d*)(\.\d+)?S)?")


def span_ns(match):
    hours, minutes, seconds, part = match.groups()
    sign = -1 if "-" in match[0] else 1
    whole = (int(hours or 0) * 3600 + int(minutes or 0) * 60) * 10**9
    return whole + (int(seconds) if seconds not in (None, "", "-") else 0) * 10**9 + sign * int((part or ".").ljust(10, "0")[1:])


def plain(value):
    """Times and time spans in one form. Spans are rounded to 100 ns, because the JDK converts ticks to ns in floating point."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, str):
        if NEVER.fullmatch(value):
            return None
        time, span = TIME.fullmatch(value), SPAN.fullmatch(value)
        if time:
            return time[1] + (time[2] or ":00") + (time[3] or ".").ljust(10, "0")
        if span and value != "PT":
            return f"span {round(span_ns(span), -2)}"
    return value


def bag(events):
    return collections.Counter(json.dumps(plain(event), sort_keys=True) for event in events)


def check(newest, path, what):
    ours = ct.candor("print", "--json", path)
    theirs = subprocess.run([newest.jfr, "print", "--json", "--stack-depth", DEPTH, path], capture_output=True, text=True,
                            env={"TZ": "UTC", "JAVA_TOOL_OPTIONS": "-Dstdout.encoding=UTF-8"}, timeout=ct.PATIENCE)
    a = bag(json.loads(line) for line in ours.out.splitlines())
    b = bag(json.loads(theirs.stdout, parse_constant=lambda word: None)["recording"]["events"])
    first = [f"ours {text[:600]}" for text in sorted(a - b)[:3]] + [f"theirs {text[:600]}" for text in sorted(b - a)[:3]]
    ct.ok(a and a == b and not ours.err, f"{what}: {a.total()} events, value by value", "\n".join(first) + ours.err)
    text = ct.run(newest.jfr, "summary", path).out
    summary = json.loads(ct.candor("summary", "--json", "--all", path).out)
    rows = {name: (int(n), int(size)) for name, n, size in re.findall(r"^ (\w+(?:\.\w+)+) +(\d+) +(\d+) *$", text, re.MULTILINE)}
    found = {name: (one["count"], one["bytes"]) for name, one in summary["types"].items()}
    found["jdk.Checkpoint"] = (summary["constant_pools"]["count"], summary["constant_pools"]["bytes"])
    found["jdk.Metadata"] = (summary["metadata"]["count"], summary["metadata"]["bytes"])
    found.pop("candor.Padding", None)
    rows.pop("candor.Padding", None)
    different = {name: (found.get(name), rows.get(name)) for name in found.keys() | rows.keys()
                 if found.get(name, (0, 0)) != rows.get(name, (0, 0))}
    ct.ok(rows and not different, f"{what}: events and bytes of each type as in jfr summary", different)
    chunks, version = re.search(r"Chunks: (\d+)", text), re.search(r"Version: (\S+)", text)
    ct.ok((summary["chunks"], summary["version"]) == (int(chunks[1]), version[1]), f"{what}: chunks and version", text[:200])


def by_the_jdk(jdk):
    path = ct.WORK / f"jdk{jdk.version}.jfr"
    with ct.Jvm(jdk, "Mixed", flags=[f"-XX:StartFlightRecording=filename={path},settings=profile"]) as jvm:
        jvm.round(seconds=0.5)
        jvm.finish()
    return path


def by_async_profiler(jdk, library):
    path = ct.WORK / "async-profiler.jfr"
    agent = f"-agentpath:{library}=start,event=cpu,interval=1ms,alloc=64k,lock=1us,jfr,file={path}"
    with ct.Jvm(jdk, "Mixed", flags=[agent]) as jvm:
        jvm.round(seconds=0.5)
        jvm.finish()
    return path


def by_us(jdk):
    path = ct.WORK / "candor.jfr"
    with ct.Jvm(jdk, "Mixed", agent=ct.agent_options(file=path, interval="1ms")) as jvm:
        jvm.round(seconds=0.5)
        jvm.finish()
    return path


ct.need()
newest = ct.jdk(25)
if not newest:
    ct.skip("agreement with jfr", "JDK 25 is not cached; run script/jdks")
    ct.done()
for jdk in ct.jdks():
    check(newest, by_the_jdk(jdk), f"{jdk}'s recording")
if ct.SANITIZED:
    ct.skip("our own recording", "the agent is sanitized")
else:
    check(newest, by_us(newest), "ours")
library = ct.async_profiler()
if library:
    check(newest, by_async_profiler(newest, library), "async-profiler's")
ct.done()
