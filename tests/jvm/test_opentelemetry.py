#!/usr/bin/env python3
"""OpenTelemetry's contexts: with two jars on the class path, each sample within a span has that span, on every thread.

tier: default
timeout: 1800

The methods of Spans show in which span they run. As in test_context.py there is one right answer for each sample: 99 of 100 samples
within a span must have it, and none may have another; in tier all of a million samples. Needs Maven Central for the SDK, once.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile

BRIDGE = ct.ROOT / "java" / "opentelemetry"
INNER = 1 << 62
TRACED = {"cart", "inner", "handed", "future", "light"}
BETWEEN = ("candor.", "java.lang.VirtualThread.", "jdk.internal.vm.Continuation.")  # opened or closed, mounted or not
LONG = ct.TIER == "all"
FLAGS = ["-Xmx128m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Spans.*"]  # as in test_context.py


def jars():
    """The jars of the bridge and of the SDK; None if they cannot be fetched."""
    if not shutil.which("mvn"):
        ct.skip("OpenTelemetry's SDK", "no mvn")
        return None
    fetched = ct.run(BRIDGE / "fetch")
    if fetched.status:
        ct.skip("OpenTelemetry's SDK", "cannot be fetched: " + fetched.err.strip().splitlines()[-1][:200])
        return None
    built = ct.run("env", f"JAVAC={ct.compiler().javac}", BRIDGE / "build", ct.BUILD)
    ct.ok(built.status == 0, "the jars are made", built)
    return [ct.BUILD / "candor-context.jar", built.out.split()[0], *sorted(map(str, pathlib.Path(fetched.out.strip()).glob("*.jar")))]


def program(path):
    target = ct.WORK / "spans"
    target.mkdir()
    subprocess.run([ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", path, "-d", target,
                    pathlib.Path(__file__).with_name("Spans.java")], check=True)
    return f"{target}:{path}"


def method_of(event):
    if event["outcome"] != "complete":
        return None
    for frame in event["stackTrace"]["frames"]:
        name = ct.frame_of(frame)[0]
        found = re.fullmatch(r"Spans\.(cart|inner|handed|future|light|quiet|detached|nobody)", name)
        if found or name.startswith(BETWEEN):
            return found and found[1]
    return None


def is_right(method, context):
    if method in ("detached", "nobody"):
        return context is None
    if context is None or "trace_id" not in context:
        return False
    trace = context["trace_id"]
    number = int(trace[16:], 16)
    ids = (trace[:16] == trace[16:] == context["root_span_id"] and
           int(context["span_id"], 16) == (number | INNER if method == "inner" else number))
    if method == "quiet":
        return ids and number & 15 == 2 and "endpoint" not in context
    return ids and number & 15 == 1 and context.get("endpoint") == "GET /cart"


def judge(jdk, path):
    seen, wrong = collections.Counter(), []
    for event in jfrfile.events(path, {"candor.CpuSample"}):
        method, context = method_of(event), jfrfile.labels(event["context"])
        if method:
            kind = "right" if is_right(method, context) else "none" if context is None else "wrong"
            seen[method, kind] += 1
            if kind == "wrong":
                wrong.append(f"{method} {context}")
    ct.note(f"{jdk}: {dict(seen)}")
    ct.ok(not wrong, f"{jdk}: no sample has another's span", "\n".join(wrong[:20]))
    for method in sorted(TRACED - ({"light"} if jdk.version < 21 else set()) | {"quiet", "detached", "nobody"}):
        right, none = seen[method, "right"], seen[method, "none"]
        ct.ok(right >= 20 and right >= 0.99 * (right + none), f"{jdk}: {right} of {right + none} in {method} have theirs")


def check(jdk, classes):
    path = ct.WORK / f"spans-{jdk.version}.jfr"
    agent = ct.agent_options(file=path, interval="100us" if LONG else "500us")
    with ct.Jvm(jdk, "-cp", classes, "Spans", str(8000 if LONG else 800), agent=agent, flags=FLAGS) as jvm:
        jvm.expect("done")
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    judge(jdk, path)


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-context.jar")
    found = jars()
    if found:
        classes = program(":".join(map(str, found)))
        for jdk in ct.some(ct.jdks(), 8, 21, 25):
            check(jdk, classes)
    ct.done()


main()
