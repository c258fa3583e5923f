#!/usr/bin/env python3
"""Contexts that another library publishes (OTEP 4947 and 4719): samples have the trace, the span and the attributes of its records,
running and asleep, whichever way the library reaches its thread-local variable. Pointers that lead nowhere do no harm, and records of an
unknown form are not read.

tier: default
timeout: 900

The methods of ForeignContexts show which context they have, so each sample has one right answer. 99 of 100 samples must have it, and none
may have another.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile

LIBRARIES = ct.BUILD / "tests" / "jvm"
MODELS = ("gnu2", "gnu", "initial-exec")
LEAST = 40
FLAGS = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,ForeignContexts.*"]


def ids(number):
    return {"trace_id": f"{number:016x}" * 2, "span_id": f"{number + 0x1000:016x}"}


def truth(method, thread):
    if method == "cart":
        return {**ids(0x1000 + thread), "root_span_id": "00000000000000aa", "endpoint": "/cart", "tier": "gold"}
    return {**ids(0x3000 + thread), "endpoint": "/pay"} if method in ("pay", "rest") else None


def method_of(event):
    for frame in (event["stackTrace"] or {}).get("frames", ()) if event["outcome"] == "complete" else ():
        name = ct.frame_of(frame)[0]
        found = re.fullmatch(r"ForeignContexts\.(cart|pay|broken|nobody|rest)", name)
        if found or (name.startswith("ForeignContexts.") and name != "ForeignContexts.spin"):
            return found and found[1]
    return None


def record(jdk, model, version, path):
    with ct.Jvm(jdk, "ForeignContexts", LIBRARIES / f"libotel_writer_{model}.so", version, agent=ct.agent_options(), flags=FLAGS) as jvm:
        jvm.expect("ready")
        jvm.start(path, event="cpu,wall", interval="1ms")
        ct.wait_until(lambda: int(jvm.control("status")[1]["samples"]) > 12 * LEAST)
        jvm.stop()
        jvm.say("")
        jvm.expect("done")
        ct.ok(jvm.finish() == 0, f"{jdk}, {model}, {version}: the program ends normally", jvm.transcript())


def samples(path):
    """(method, number of the thread, labels or None) of each sample. A thread that sleeps shows its context after its first sample of the
    event cpu, because it is then known where its variables are (docs/internals/known-limits.md)."""
    events = [event for event in jfrfile.events(path, {"candor.CpuSample", "candor.WallSample"}) if name_of(event).startswith("worker-")]
    first = {}
    for event in events:
        if event["@type"] == "candor.CpuSample":
            first[name_of(event)] = min(event["startTime"], first.get(name_of(event), event["startTime"]))
    for event in events:
        name, method = name_of(event), method_of(event)
        if method and (method != "rest" or event["startTime"] > first[name]):
            yield method, int(name[-1]), jfrfile.labels(event["context"])


def name_of(event):
    return (event.get("eventThread") or {}).get("javaName") or ""


def check(jdk, model, version):
    what, path = f"{jdk}, {model}, {version}", ct.WORK / f"foreign-{jdk.version}-{model}.jfr"
    record(jdk, model, version, path)
    seen, wrong = collections.Counter(), []
    for method, thread, labels in samples(path):
        kind = "right" if labels == truth(method, thread) else "none" if labels is None else "wrong"
        seen[method, kind] += 1
        wrong += [f"{method} {thread} {labels}"] if kind == "wrong" else []
    ct.note(f"{what}: {dict(seen)}")
    ct.ok(not wrong, f"{what}: no sample has another context", "\n".join(wrong[:10]))
    for method in ("cart", "pay", "rest", "broken", "nobody"):
        right, none = seen[method, "right"], seen[method, "none"]
        ct.ok(right >= LEAST / 4 and right >= 0.99 * (right + none), f"{what}: {right} of {right + none} in {method} have theirs")


def check_unknown_form(jdk):
    path = ct.WORK / f"unknown-{jdk.version}.jfr"
    record(jdk, "gnu2", "tlsdesc_v2", path)
    labels = [labels for method, _, labels in samples(path)]
    ct.ok(len(labels) > LEAST and not any(labels), f"{jdk}: records of another form are not read", [one for one in labels if one][:5])


def main():
    ct.need(ct.AGENT, ct.PROGRAM)
    for number, (jdk, model) in enumerate(ct.spread(ct.jdks(), MODELS)):
        check(jdk, model, ("tlsdesc_v1_dev", "tls_v1")[number % 2])
    check_unknown_form(ct.jdks()[-1])
    ct.done()


main()
