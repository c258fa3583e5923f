#!/usr/bin/env python3
"""OpenTelemetry's Java agent with candor-opentelemetry-agent.jar as its extension, on an HTTP server that knows nothing of tracing: samples
of a request have the trace and the span that the Java agent exported for it, also on another thread to which work was handed.

tier: default
timeout: 1800

The client chooses the ids of the traces, and from them the request: so there is one right trace for each sample, as in test_context.py. The
spans are those that the Java agent's own exporter printed. Needs Maven Central, once.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile
from recordings import report_json

BRIDGE = ct.ROOT / "java" / "opentelemetry"
CLIENTS, REQUESTS = 3, 25
PATHS = ("cart", "pay")
METHODS = {"cart": "cart", "pay": "pay", "helper": "pay"}
SPAN = re.compile(r"LoggingSpanExporter - '([^']*)' : ([0-9a-f]{32}) ([0-9a-f]{16}) (\w+)")
FLAGS = ["-Xmx256m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Served.*", "-Dotel.traces.exporter=logging",
         "-Dotel.metrics.exporter=none", "-Dotel.logs.exporter=none", "-Dotel.service.name=served"]


def jars():
    """The Java agent and its extension; None if they cannot be fetched."""
    if not shutil.which("mvn"):
        ct.skip("OpenTelemetry's Java agent", "no mvn")
        return None
    fetched = ct.run(BRIDGE / "fetch", "--agent")
    if fetched.status:
        ct.skip("OpenTelemetry's Java agent", "cannot be fetched: " + fetched.err.strip().splitlines()[-1][:200])
        return None
    built = ct.run("env", f"JAVAC={ct.compiler().javac}", BRIDGE / "build", ct.BUILD)
    ct.ok(built.status == 0, "candor-opentelemetry-agent.jar is made", built)
    return fetched.out.strip(), built.out.split()[1]


def program():
    target = ct.WORK / "served"
    target.mkdir()
    subprocess.run([ct.compiler().javac, "-nowarn", "-source", "8", "-target", "8", "-Xlint:-options", "-d", target,
                    pathlib.Path(__file__).with_name("Served.java")], check=True)
    return target


def request(port, client, number):
    """One request. Its trace's id says the client, the number and the path."""
    path = number % len(PATHS)
    trace = f"{client + 1:016x}{number << 4 | path:016x}"
    headers = {"traceparent": f"00-{trace}-{number + 1:016x}-01"}
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/{PATHS[path]}", headers=headers)
    with urllib.request.urlopen(asked, timeout=ct.PATIENCE) as answer:
        return answer.read() == b"ok"


def load(port):
    answers = [[] for _ in range(CLIENTS)]

    def ask(client):
        answers[client] = [request(port, client, number) for number in range(REQUESTS)]
    clients = [threading.Thread(target=ask, args=(client,)) for client in range(CLIENTS)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    return sum(map(sum, answers))


def method_of(event):
    for frame in (event["stackTrace"] or {}).get("frames", ()) if event["outcome"] == "complete" else ():
        found = re.fullmatch(r"Served\.(cart|pay|helper|nobody)", ct.frame_of(frame)[0])
        if found:
            return found[1]
    return None


def judge(what, path, exported):
    """exported: {(trace, span): (name, kind)}."""
    seen, wrong = collections.Counter(), []
    for event in jfrfile.events(path, {"candor.CpuSample"}):
        method, context = method_of(event), jfrfile.labels(event["context"])
        if method in (None, "nobody"):
            wrong += [f"nobody {context}"] if method and context else []
            seen["nobody"] += method == "nobody"
            continue
        if context is None:
            seen[method, "none"] += 1
            continue
        trace, span = context.get("trace_id", ""), context.get("span_id")
        name, kind = exported.get((trace, span), (None, None))
        right = trace and PATHS[int(trace, 16) & 15] == METHODS[method] and kind == "SERVER" and name == f"GET /{METHODS[method]}"
        right = right and context.get("root_span_id") == span and context.get("endpoint", "").startswith("GET")
        wrong += [] if right else [f"{method} {context} {name} {kind}"]
        seen[method, "right"] += bool(right)
    ct.note(f"{what}: {dict(seen)}")
    ct.ok(not wrong, f"{what}: each sample has the trace and the span that were exported for its request", "\n".join(wrong[:10]))
    for method in METHODS:
        right, none = seen[method, "right"], seen[method, "none"]
        ct.ok(right >= 20 and not none, f"{what}: {right} of {right + none} in {method} have theirs", seen)
    ct.ok(seen["nobody"] >= 5, f"{what}: and work for nobody has none", seen)


def check(jdk, classes, javaagent, extension):
    what, path = str(jdk), ct.WORK / f"served-{jdk.version}.jfr"
    flags = [*FLAGS, f"-javaagent:{javaagent}", f"-Dotel.javaagent.extensions={extension}"]
    with ct.Jvm(jdk, "-cp", classes, "Served", agent=ct.agent_options(file=path, interval="1ms"), flags=flags) as jvm:
        port = int(jvm.expect("port").split()[1])
        good = load(port)
        ct.ok(good == CLIENTS * REQUESTS, f"{what}: {good} of {CLIENTS * REQUESTS} requests are answered", jvm.transcript())
        jvm.say("x" * 20)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
        exported = {(found[2], found[3]): (found[1], found[4]) for found in map(SPAN.search, [*jvm.err, *jvm.out]) if found}
    traces = {trace for trace, _ in exported}
    ct.ok(len(traces) == CLIENTS * REQUESTS, f"{what}: the Java agent exports {len(traces)} traces", jvm.transcript())
    judge(what, path, exported)
    by = {row["value"]: row["samples"] for row in report_json(path, "--group-by", "trace_id", "--top", "0")["label"]["values"]}
    ct.ok(set(by) - {None} <= traces, f"{what}: the report has these traces, and no others", len(by))


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-context.jar")
    found = jars()
    if found:
        classes = program()
        for jdk in ct.some(ct.jdks(), 8, 21, 25):
            check(jdk, classes, *found)
    ct.done()


main()
