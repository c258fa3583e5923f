#!/usr/bin/env python3
"""OpenTracing: with a CandorTracer around Jaeger's tracer, or around the one for tests, each sample within a span has that span, on every
thread; spans and scopes are events in a recording with --jfr, and Mission Control groups them by trace. Without the agent, without JDK
Flight Recorder, and around a tracer without ids the program works as before.

tier: default
timeout: 1800

The methods of Traced show in which span they run, and it prints the tracer's own ids: so there is one right answer for each sample and each
event. 99 of 100 samples within a span must have it, and none may have another. Needs Maven Central, once.
"""
import collections
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import jfrfile

REQUESTS = 100
METHODS = ("cart", "query", "handed", "later", "pay", "detached", "nobody")
BETWEEN = ("candor.", "io.jaegertracing.", "io.opentracing.")  # a scope is being opened or closed
FLAGS = ["-Xmx128m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Traced.*"]
SCOPES = {"cart": 2, "query": 1, "later": 1, "pay": 1}  # in a request; that of cart is opened in two threads
OPERATIONS = {"cart": "GET /cart", "query": "query", "later": "later", "pay": "POST /pay"}


def fetched(name):
    result = ct.run(HERE / "fetch_jars.sh", name)
    return pathlib.Path(result.out.strip()) if result.status == 0 else None


def jars():
    """The class path: our jars and those of the tracers; None if they cannot be fetched."""
    folders = [fetched("jaeger"), fetched("opentracing")] if shutil.which("mvn") else [None]
    if None in folders:
        ct.skip("tracers of OpenTracing", "cannot be fetched by mvn")
        return None
    api = next(folders[1].glob("opentracing-api-*.jar"))
    built = ct.run("env", f"JAVAC={ct.compiler().javac}", ct.ROOT / "java/opentracing/build", api, ct.BUILD)
    ct.ok(built.status == 0, "candor-opentracing.jar is made", built)
    others = {path.name: path for folder in folders for path in folder.glob("*.jar")}
    return ":".join(map(str, [ct.BUILD / "candor-context.jar", ct.BUILD / "candor-opentracing.jar", *others.values()]))


def program(path):
    target = ct.WORK / "traced"
    target.mkdir()
    subprocess.run([ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", path, "-d", target, HERE / "Traced.java"],
                   check=True)
    return f"{target}:{path}"


def run(jdk, classes, tracer, requests, *flags, while_ready=lambda jvm: None, **keywords):
    """The lines that the program prints: {method: {(trace, span): (root, parent)}}."""
    spans = collections.defaultdict(dict)
    with ct.Jvm(jdk, "-cp", classes, "Traced", tracer, flags=[*FLAGS, *flags], **keywords) as jvm:
        jvm.expect("ready")
        after = while_ready(jvm)
        jvm.say("." * requests)
        jvm.expect("done")
        if after:
            after()
        ct.ok(jvm.finish() == 0, f"{jdk}, {tracer}: the program ends normally", jvm.transcript())
        for line in jvm.out:
            if line.startswith("span "):
                _, method, trace, span, root, parent = line.split()
                spans[method][trace, span] = root, None if parent == "none" else parent
    return spans


def method_of(event):
    for frame in (event["stackTrace"] or {}).get("frames", ()) if event["outcome"] == "complete" else ():
        name = ct.frame_of(frame)[0]
        found = re.fullmatch(r"Traced\.(%s)" % "|".join(METHODS), name)
        if found or name.startswith(BETWEEN):
            return found and found[1]
    return None


def is_right(method, context, spans):
    if method in ("detached", "nobody"):
        return context is None
    ids = (context or {}).get("trace_id"), (context or {}).get("span_id")
    known = spans["cart" if method == "handed" else method].get(ids)
    endpoint = "POST /pay" if method == "pay" else "GET /cart"
    return known is not None and context.get("root_span_id") == known[0] and context.get("endpoint") == endpoint


def judge_samples(what, path, spans):
    seen, wrong = collections.Counter(), []
    for event in jfrfile.events(path, {"candor.CpuSample"}):
        method, context = method_of(event), jfrfile.labels(event["context"])
        if method:
            kind = "right" if is_right(method, context, spans) else "none" if context is None else "wrong"
            seen[method, kind] += 1
            wrong += [f"{method} {context}"] if kind == "wrong" else []
    ct.note(f"{what}: {dict(seen)}")
    ct.ok(not wrong, f"{what}: no sample has another's span", "\n".join(wrong[:20]))
    for method in METHODS:
        right, none = seen[method, "right"], seen[method, "none"]
        ct.ok(right >= 20 and right >= 0.99 * (right + none), f"{what}: {right} of {right + none} in {method} have theirs")


def judge_events(what, path, spans):
    """One event for each span, once, with the tracer's ids and the outermost span of the process; as many scopes as were opened."""
    told, roots = collections.Counter(), {}
    for event in jfrfile.events(path, {"candor.opentracing.Span"}):
        told[event["traceId"], event["spanId"], event["parentId"], event["operation"]] += 1
        roots[event["traceId"], event["spanId"]] = event["rootId"]
    truth = collections.Counter({(*ids, parent, OPERATIONS[method]): 1 for method in spans for ids, (_, parent) in spans[method].items()})
    ct.ok(told == truth, f"{what}: each of {sum(truth.values())} spans is an event", list(((told - truth) + (truth - told)).items())[:10])
    ct.ok(roots == {ids: root for method in spans for ids, (root, _) in spans[method].items()}, f"{what}: each with its outermost span",
          list(roots.items())[:10])
    scopes = collections.Counter((event["traceId"], event["spanId"]) for event in jfrfile.events(path, {"candor.opentracing.Scope"}))
    opened = collections.Counter({ids: SCOPES[method] for method in spans for ids in spans[method]})
    ct.ok(scopes == opened, f"{what}: each of {sum(opened.values())} scopes is an event", (len(scopes), len(opened)))


def judge_groups(what, jdk, path, spans, parser):
    """A trace has its four spans, and five scopes."""
    result = ct.run(jdk.java, "-cp", f"{parser}/*", HERE / "ReadJmcTraces.java", path)
    found = {tuple(line.split()[1:3]): int(line.split()[3]) for line in result.out.splitlines() if line.startswith("group ")}
    events = ("Span", 4), ("Scope", 5)
    truth = {(f"candor.opentracing.{kind}", trace): n for trace, _ in spans["cart"] for kind, n in events}
    ct.ok(result.status == 0 and found == truth, f"{what}: Mission Control groups them by {REQUESTS} traces", result)


def recorder(jdk, path):
    """Records with the JDK's recorder while the program works. That recorder begins after the agent."""
    def begin(jvm):
        options = ["-e", "cpu", "-i", "500us", "--jfr", "on", "-d", "900s", "--no-report", "-o", path]
        client = ct.spawn([ct.PROGRAM, "record", *options, jvm.pid], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ct.wait_until(lambda: client.poll() is not None or jdk_records(jdk, jvm))

        def end():
            client.send_signal(signal.SIGINT)
            _, err = client.communicate(timeout=ct.PATIENCE)
            ct.ok(client.returncode == 0, "the client ends normally", err)
        return end
    return begin


def jdk_records(jdk, jvm):
    return re.search(r"candor-.*\(running\)", ct.run(jdk.jcmd, jvm.pid, "JFR.check").out)


def check(jdk, tracer, classes, parser):
    what, path = f"{jdk}, {tracer}", ct.WORK / f"traced-{jdk.version}.jfr"
    flags = ["-XX:+EnableDynamicAgentLoading"] if jdk.version >= 21 else []
    spans = run(jdk, classes, tracer, REQUESTS, *flags, while_ready=recorder(jdk, path))
    ct.ok(all(len(spans[method]) == REQUESTS for method in SCOPES), f"{what}: {REQUESTS} requests", {m: len(spans[m]) for m in spans})
    judge_samples(what, path, spans)
    judge_events(what, path, spans)
    if parser and jdk.version >= 17:
        judge_groups(what, jdk, path, spans, parser)


def check_without(jdk, classes):
    """No agent; no JDK Flight Recorder; no ids."""
    run(jdk, classes, "jaeger", 2)
    if jdk.version > 8:
        spans = run(jdk, classes, "mock", 2, "--limit-modules", "java.base,java.logging")
        ct.ok(len(spans["cart"]) == 2, f"{jdk}: works without the JDK's recorder", spans)
    path = ct.WORK / f"noop-{jdk.version}.jfr"
    run(jdk, classes, "noop", REQUESTS, agent=ct.agent_options(file=path, interval="500us"))
    labels = [jfrfile.labels(event["context"]) for event in jfrfile.events(path, {"candor.CpuSample"}) if method_of(event) == "cart"]
    ct.ok(len(labels) >= 20 and not any("trace_id" in (context or {}) for context in labels), f"{jdk}: a tracer without ids gives no trace",
          labels[:5])


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-context.jar")
    path = jars()
    if path:
        classes, parser = program(path), fetched("flightrecorder")
        jdks = ct.some(ct.jdks(), 8, 17, 25)
        for number, jdk in enumerate(jdks):
            check(jdk, ("jaeger", "mock")[number % 2], classes, parser)
        check_without(jdks[-1], classes)
    ct.done()


main()
