#!/usr/bin/env python3
"""Recordings for other back ends: OTLP and Pyroscope receive the same totals, by kind, as candor report shows for the same recording.

tier: default
timeout: 900

A relay stores each request for the tests' own reader of protocol buffers, and passes it on to a candor server. Both must have the
sums of the recording, to the nanosecond and the byte. Samples within a span must be linked to the trace and span in their labels.
"""
import collections
import gzip
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile
import otlps
import pb
import pprofs
from daemons import Daemon, config, jvm, wait_for
from recordings import report_json
from relay import Relay
from servers import Server

JAR = ct.BUILD / "candor-context.jar"
EVER = {"from": "-2h", "to": str(int(time.time()) + 86400)}
# For each kind: value and unit in OTLP; series, value and unit in Pyroscope; and the types of a candor server.
OTLP = {"cpu": ("cpu", "nanoseconds"), "wall": ("wall", "nanoseconds"), "alloc": ("alloc_space", "bytes"), "lock": ("lock", "nanoseconds")}
PYROSCOPE = {"cpu": ("process_cpu", "cpu", "nanoseconds"), "wall": ("wall", "wall", "nanoseconds"),
             "alloc": ("memory", "alloc_space", "bytes"), "lock": ("mutex", "delay", "nanoseconds")}
TYPES = {"otlp": {"cpu": "cpu:ns", "wall": "wall:ns", "alloc": "alloc_space:bytes", "lock": "lock:ns"},
         "pyroscope": {"cpu": "cpu:ns", "wall": "wall:ns", "alloc": "alloc_space:bytes", "lock": "mutex_duration:ns"}}


def program():
    target = ct.WORK / "requests"
    target.mkdir()
    source = pathlib.Path(__file__).with_name("Requests.java")
    subprocess.run([ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", JAR, "-d", target, source], check=True)
    return f"{target}:{JAR}"


def resource_of(body):
    """The attributes of the only resource of a message."""
    [resource] = [value for number, value in pb.fields(body) if number == 1]
    found = {}
    for number, attribute in pb.fields(dict(pb.fields(resource))[1]):
        pair = dict(pb.fields(attribute))
        [(kind, value)] = pb.fields(pair[2])
        found[pair[1].decode()] = value.decode() if kind == 1 else value
    return found


def links_of(body):
    """{(trace, span): weight of CPU time}, by the links of a message's samples."""
    strings, links, found = [], [], collections.Counter()
    for number, part in pb.fields(body):
        if number == 2:
            strings = [value.decode() for inner, value in pb.fields(part) if inner == 5]
            links = [dict(pb.fields(value)) for inner, value in pb.fields(part) if inner == 4]
    scope = next(dict(pb.fields(value))[2] for number, value in pb.fields(body) if number == 1)
    for number, profile in pb.fields(scope):
        if number != 2 or strings[dict(pb.fields(dict(pb.fields(profile))[1]))[1]] != "cpu":
            continue
        for inner, sample in pb.fields(profile):
            of = dict(pb.fields(sample)) if inner == 2 else {}
            if 3 in of:
                link = links[of[3]]
                found[link.get(1, b"").hex(), link.get(2, b"").hex()] += sum(pb.packed(of[4]))
    return found


def linked_in(path):
    found = collections.Counter()
    for event in jfrfile.events(path, {"candor.CpuSample"}):
        labels = jfrfile.labels(event.get("context")) or {}
        if "trace_id" in labels:
            found[labels["trace_id"], labels.get("span_id", "")] += event["weight"]
    return found


def series_of(body):
    """[(labels, pprof)] of a PushRequest."""
    found = []
    for _, series in pb.fields(body):
        labels, raw = {}, None
        for number, value in pb.fields(series):
            if number == 1:
                pair = dict(pb.fields(value))
                labels[pair[1].decode()] = pair[2].decode()
            else:
                raw = dict(pb.fields(value))[1]
        found.append((labels, gzip.decompress(raw)))
    return found


def check_labels(what, labels, names, service):
    service_name, version, host = names
    ct.ok(labels.get(service_name) == service and labels.get(version) == "7" and labels.get(host), f"{what}: service, version and host",
          labels)


def record(jdk, classes, protocol, server, relay):
    what, path = f"{jdk}, {protocol}", ct.WORK / f"{protocol}.jfr"
    before = len(relay.taken)
    relay.fail.append(503)
    shown = ct.candor("record", "--no-report", "-e", "cpu,wall,alloc,lock" if jdk.version >= 11 else "cpu,wall,lock", "-i", "1ms", "--to",
                      f"{protocol}+{relay.url}", "-o", path, "--", jdk.java, "-Xmx128m", f"-Dservice.name={protocol}-shop",
                      "-Ddd.version=7", "-cp", classes, "Requests", "platform", "3", "900")
    ct.ok(shown.status == 0 and f"sent to:     {protocol}+" in shown.out, f"{what}: recorded and sent, after a refusal", shown)
    ct.ok(len(relay.taken) == before + 1 and not relay.fail, f"{what}: in one request", relay.requests)
    _, headers, body = relay.taken[-1]
    ct.ok("key" not in str(headers).lower(), f"{what}: with no header that only a candor server knows", headers)
    kinds = [kind for kind in OTLP if report_json(path, "--kind", kind).get("sampled")]
    ct.ok({"cpu", "wall"} <= set(kinds), f"{what}: there are samples of {kinds}")
    if protocol == "otlp":
        body = gzip.decompress(body)
        got = {key[:2]: total for key, total in otlps.sums(body).items()}
        check_labels(what, resource_of(body), ("service.name", "service.version", "host.name"), "otlp-shop")
        ct.ok(resource_of(body).get("process.pid"), f"{what}: the process", resource_of(body))
        linked = linked_in(path)
        ct.ok(linked and links_of(body) == linked, f"{what}: {len(linked)} spans are linked, each with its time",
              [links_of(body).most_common(3), linked.most_common(3)])
        wanted = OTLP
    else:
        series = series_of(body)
        got = {}
        for labels, profile in series:
            check_labels(f"{what}, {labels['__name__']}", labels, ("service_name", "version", "host"), "pyroscope-shop")
            for value, total in pprofs.sums(profile).items():
                got[labels["__name__"], *value.split(":")] = total
        wanted = PYROSCOPE
    for kind in kinds:
        total = report_json(path, "--kind", kind)["sampled"]
        ct.ok(got.get(wanted[kind]) == total, f"{what}: {kind}, {total}, is what was sent", got)
        stored = server.total(f'service="{protocol}-shop"', type=TYPES[protocol][kind], **EVER)
        ct.ok(stored == total, f"{what}: and what a server has of it: {stored}")


def daemon(jdk, server, relay):
    """Sends pieces of a recording, through the spool."""
    first = len(relay.taken)
    with jvm(jdk, "emit", "-Dservice.name=pieces") as one:
        config("emit", to=f"otlp+{relay.url}", chunk="1s", look="1s", min_age="0")
        relay.fail += [503, 500]
        process = Daemon("emit")
        ct.ok(process.wait_log("profiling pid="), f"{jdk}: profiled", process)
        one.round(seconds=2)
        ct.ok(wait_for(lambda: len(relay.taken) > first), f"{jdk}: sent after two refusals", process)
        one.round(seconds=1)
        ct.ok(process.end() == 0 and process.is_empty(), f"{jdk}: all of it is sent", process)
        status = process.status()
        [member] = [entry for entry in status["jvms"] if entry["pid"] == one.pid]
    got = collections.Counter()
    for _, _, body in relay.taken[first:]:
        for key, total in otlps.sums(gzip.decompress(body)).items():
            got[key[:2]] += total
    ct.ok(got["cpu", "nanoseconds"] == member["weight_ns"] > 0, f"{jdk}: the CPU time of all pieces, once: {member['weight_ns']}", got)
    ct.ok(status["failures"] == 2 and status["sent"]["recordings"] == len(relay.taken) - first + status["empty"],
          f"{jdk}: failures and pieces are counted", status)
    ct.ok(server.total('service="pieces"', type="wall:ns", **EVER) == got["wall", "nanoseconds"] > 0, f"{jdk}: the server has them", got)


def refused():
    """Invalid addresses, and a back end that does not exist."""
    for arguments, word in ((["--to", "ftp://x"], "not an address to send to"), (["--to", "otlp+x"], "not an address"),
                            (["--ca-file", "x"], "--to")):
        shown = ct.candor("record", *arguments, "1")
        ct.ok(shown.status == 2 and word in shown.err, f"usage: {' '.join(arguments)}", shown)
    shown = ct.candor("daemon", "--server", "otlp+http://x")
    ct.ok(shown.status == 2 and "'to'" in shown.err, "a daemon's server is a candor server", shown)


ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server", JAR)
refused()
available = ct.jdks()
if available:
    requests = program()
    to = Server("emit")
    with Relay(to.port) as passing:
        record(available[-1], requests, "otlp", to, passing)
        record(available[-1], requests, "pyroscope", to, passing)
        daemon(available[-1], to, passing)
    ct.ok(to.end() == 0, "the server ends normally")
ct.done()
