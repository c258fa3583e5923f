#!/usr/bin/env python3
"""OTLP's profiles over HTTP: messages made by hand in every encoding that senders use, and async-profiler's own. Each sum on the server
equals the sum that was sent, by resource and type, and what is refused is counted and named.

tier: default
timeout: 300
"""
import gzip
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import otlps
import pb
from servers import Server
from witness import Witness

NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW + 3600}
PATH = "/v1development/profiles"
PROTO, JSON, GZIP = {"Content-Type": "application/x-protobuf"}, {"Content-Type": "application/json"}, {"Content-Encoding": "gzip"}
START = (NOW - 100) * 10**9


def types_of(server, service):
    found = {one["name"]: one["types"] for one in server.get("/v1/services", **TIME)["services"]}
    return found.get(service, {})


def example(maker, service):
    """Two processes of a host, as OpenTelemetry's profiler sends them, with the expected sums."""
    times = [START + i * 10**9 for i in range(7)]
    cpu = maker.profile("samples", "count", [("a", [], times[:5], {"thread.name": "t"}), ("b", [], times[5:])], START,
                        ("cpu", "nanoseconds", 50_000_000))
    off = maker.profile("off_cpu", "nanoseconds", [("c", [700, 11], times[:2])], START)
    maker.resource({"service.name": service, "host.name": "h1", "process.pid": 7, "service.version": "1.2"}, cpu, off)
    maker.resource({"service.name": service, "host.name": "h2", "k8s.pod.name": "p/1"},
                   maker.profile("samples", "count", [("only.here", [3], [], {"endpoint": "/x"}, (b"\x0a\xf1" * 8, b"\1" * 8))], START,
                                 ("cpu", "nanoseconds", 50_000_000)))
    maker.resource({"process.executable.name": service}, maker.profile("events", "count", [("d", [4], [])], START))
    return maker.message()


def check_example(server, what, service, body, headers):
    status, answered, content = server.request("POST", PATH, body, headers)
    ct.ok(status == 200 and answered["Content-Type"] == headers["Content-Type"] and content.strip() in (b"", b"{}"),
          f"{what}: it is taken whole", (status, content))
    wanted = {"cpu:ns": 500_000_000, "off_cpu:ns": 711}
    ct.ok(types_of(server, service) == wanted, f"{what}: each value has its type, and its sum", (types_of(server, service), wanted))
    ct.ok(types_of(server, f"unknown_service:{service}") == {"events:count": 4}, f"{what}: what has no name is unknown_service")
    of = f'service="{service}"'
    hosts = [server.total(f'{of},{more}', type="cpu:ns", **TIME)
             for more in ('host="h1",process.pid="7",version="1.2"', 'host="h2",k8s.pod.name="p/1"')]
    ct.ok(hosts == [350_000_000, 150_000_000], f"{what}: by resource", hosts)
    series = server.get("/v1/series", select=f'{of},host="h1"', type="cpu:ns", step=1, **{"from": NOW - 101, "to": NOW})["series"]
    seconds = series[0]["points"]
    ct.ok(seconds == [[NOW - 100 + i, 50_000_000] for i in range(7)], f"{what}: at the times of its samples", seconds)
    methods = {row["name"] for row in server.get("/v1/methods", select=f'{of},host="h2"', type="cpu:ns", **TIME)["report"]["methods"]}
    ct.ok(methods == {"only.here"}, f"{what}: with its methods", methods)
    listed = server.get("/v1/recordings", select=f'{of},host="h2"', **TIME)["recordings"]
    own = server.request("GET", f"/v1/recordings/{listed[0]['id']}")[2]
    ct.ok(len(listed) == 1 and b"only.here" in own and b"off_cpu" not in own, f"{what}: its recording has no names of others", own)
    before = server.metrics()["candor_server_recordings_stored_total"]
    again = server.request("POST", PATH, body, headers)[0]
    ct.ok(again == 200 and server.metrics()["candor_server_recordings_stored_total"] == before, f"{what}: sent again it counts once")
    ct.ok("labels of 1 samples (trace_id, span_id)" in answered["X-Candor-Left-Out"], f"{what}: labels that are not kept are named",
          answered["X-Candor-Left-Out"])


def as_json(service):
    """The same message in protobuf's JSON."""
    strings = ["", "samples", "count", "cpu", "nanoseconds", "off_cpu", "a", "b", "c", "d", "only.here", "thread.name",
               "events", "endpoint"]

    def of(value, unit):
        return {"typeStrindex": strings.index(value), "unitStrindex": strings.index(unit)}

    def profile(value, unit, samples, period=None):
        out = {"sampleType": of(value, unit), "timeUnixNano": str(START), "samples": samples}
        return {**out, "periodType": of("cpu", "nanoseconds"), "period": period} if period else out

    def resource(attributes, *profiles):
        pairs = [{"key": name, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
                 for name, value in attributes.items()]
        return {"resource": {"attributes": pairs}, "scopeProfiles": [{"scope": {}, "profiles": list(profiles)}]}
    times = [str(START + i * 10**9) for i in range(7)]
    functions = ["a", "b", "c", "d", "only.here"]
    return {
        "resourceProfiles": [
            resource({"service.name": service, "host.name": "h1", "process.pid": 7, "service.version": "1.2"},
                     profile("samples", "count", [{"stackIndex": 1, "timestampsUnixNano": times[:5], "attributeIndices": [1]},
                                                  {"stackIndex": 2, "timestampsUnixNano": times[5:]}], 50_000_000),
                     profile("off_cpu", "nanoseconds", [{"stack_index": 3, "values": ["700", 11], "timestamps_unix_nano": times[:2]}])),
            resource({"service.name": service, "host.name": "h2", "k8s.pod.name": "p/1"},
                     profile("samples", "count", [{"stackIndex": 5, "values": [3], "attributeIndices": [2],
                                                   "linkIndex": 1}], 50_000_000)),
            resource({"process.executable.name": service}, profile("events", "count", [{"stackIndex": 4, "values": [4]}]))],
        "dictionary": {
            "stringTable": strings, "linkTable": [{}, {"traceId": "0aF1" * 8, "spanId": "01" * 8}],
            "functionTable": [{}, *({"nameStrindex": strings.index(name)} for name in functions)],
            "locationTable": [{}, *({"lines": [{"functionIndex": i + 1, "line": "5"}]} for i in range(5))],
            "stackTable": [{}, *({"locationIndices": [i + 1]} for i in range(5))],
            "attributeTable": [{}, {"keyStrindex": strings.index("thread.name"), "value": {"stringValue": "t"}},
                               {"keyStrindex": strings.index("endpoint"), "value": {"stringValue": "/x"}}]}}


def check_values(server):
    """Several values of one resource and time, as converters of other formats write them."""
    maker, period = otlps.Maker(), ("cpu", "nanoseconds", 1000)
    maker.resource({"service.name": "values"}, maker.profile("samples", "count", [("a", [2], [])], START, period),
                   maker.profile("cpu", "nanoseconds", [("a", [1999], [])], START, period),
                   maker.profile("alloc", "count", [("a", [5], [])], START), maker.profile("alloc", "bytes", [("a", [70], [])], START),
                   maker.profile("alloc", "bytes", [("b", [7], [])], START), maker.profile("", "", [("b", [3], [])], START))
    status, _, content = server.request("POST", PATH, maker.message(), PROTO)
    ct.ok(status == 200 and types_of(server, "values") == {"samples:samples": 2, "cpu:ns": 1999, "alloc:count": 5, "alloc:bytes": 77,
                                                           "cpu:units": 3},
          "values with one name and two units, counts beside times, and a value without a name", (content, types_of(server, "values")))


def check_names(server):
    """A program's name that is cut within a character; and samples of the wall clock, which must not become CPU time although they have
    an interval."""
    maker = otlps.Maker()
    maker.resource({"process.executable.name": "x" + "é" * 300}, maker.profile("long", "count", [("a", [6], [])], START))
    maker.resource({"service.name": "walls"}, maker.profile("samples", "count", [("a", [5], [])], START, ("wall", "nanoseconds", 1000)))
    status, _, content = server.request("POST", PATH, maker.message(), PROTO)
    ct.ok(status == 200 and types_of(server, "unknown_service") == {"long:count": 6}, "a name that does not fit: it is unknown_service",
          content)
    ct.ok(types_of(server, "walls") == {"samples:samples": 5}, "samples of the wall clock are no CPU time", types_of(server, "walls"))


def check_errors(server):
    good = otlps.Maker()
    good.resource({"service.name": "half"}, good.profile("samples", "count", [("a", [5], [])], START))
    good.resource({"service.name": "half"}, good.profile("samples", "count", [("a", [5], [])], (NOW + 10 * 86400) * 10**9),
                  good.profile("off_cpu", "nanoseconds", [("a", [5], [])], (NOW + 10 * 86400) * 10**9))
    body = good.message()
    status, _, content = server.request("POST", PATH, body, PROTO)
    partial = dict(pb.fields(dict(pb.fields(content))[1]))
    ct.ok(status == 200 and partial[1] == 2 and b"from the future" in partial[2] and types_of(server, "half") == {"samples:samples": 5},
          "of three profiles two are refused: their number, and why", (content, types_of(server, "half")))
    only = otlps.Maker()
    only.resource({"service.name": "none"}, only.profile("samples", "count", [("a", [5], [])], (NOW + 10 * 86400) * 10**9))
    status, headers, content = server.request("POST", PATH, only.message(), PROTO)
    error = dict(pb.fields(content))
    ct.ok(status == 400 and error[1] == 3 and b"1 of 1 profiles refused" in error[2] and headers["Content-Type"] == PROTO["Content-Type"],
          "if it is all, it is an error", content)
    old = pb.message((1, pb.message((2, pb.message((2, pb.message((1, b""), (3, b"\x08\x01"))))))))
    for name, sent, more, wanted in (
            ("damaged", body[:-3], PROTO, 400), ("an old version", old, PROTO, 400), ("no JSON", b"{", JSON, 400),
            ("a bad number", b'{"resourceProfiles": [{"scopeProfiles": [{"profiles": [{"timeUnixNano": "1x"}]}]}]}', JSON, 400),
            ("a bad id", b'{"resourceProfiles": [{"scopeProfiles": [{"profiles": [{"profileId": "xy"}]}]}]}', JSON, 400),
            ("not packed", body, {**PROTO, **GZIP}, 400), ("of another type", body, {"Content-Type": "application/proto"}, 415)):
        status, headers, content = server.request("POST", PATH, sent, more)
        text = json.loads(content)["message"] if more == JSON else content
        ct.ok(status == wanted and text, f"{name}: {wanted}", content)
    ct.ok(server.request("POST", PATH, b"", PROTO)[0] == 200 and server.request("POST", PATH, b"{}", JSON)[2].strip() == b"{}",
          "nothing is fine")
    many = otlps.Maker()
    name = "x" * 1_000_000
    for i in range(26):
        many.resource({"service.name": "many"}, many.profile("samples", "count", [(name, [1], [])], START + i))
    status, _, content = server.request("POST", PATH, many.message(), PROTO)
    ct.ok(status == 200 and b"share too much" in content, "parts that come to many times the message are refused", content[:200])


def check_limits():
    server = Server("otlp-limits", "--max-body", "1000")
    status, headers, content = server.request("POST", PATH, bytes(2000), PROTO)
    ct.ok(status == 413 and b"--max-body" in content and headers["Content-Type"] == PROTO["Content-Type"], "beyond --max-body: 413",
          content)
    ct.ok(server.balances(), "it is counted", server.metrics())
    server.end()


def check_async_profiler(server, jdk):
    fetched = ct.run(HERE.parents[1] / "bench/fetch_peers.sh", "4.6", timeout=200)
    if fetched.status or not jdk:
        ct.skip("async-profiler's OTLP", "async-profiler cannot be fetched" if fetched.status else "JDK 21 is not cached; run script/jdks")
        return
    for event, options, of, scale in (("itimer", "interval=2ms", "cpu:ns", None), ("itimer", "interval=2ms,total", "cpu:ns", 1),
                                      ("wall", "interval=5ms,threads", "wall:ns", None), ("alloc", "alloc=16k,total", None, 1)):
        witness, service = Witness(server), f"ap.{event}.{len(options)}"
        agent = f"-agentpath:{fetched.out.strip()}/libasyncProfiler.so=start,event={event},{options},otlp,file={witness.url}"
        with ct.Jvm(jdk, "Mixed", flags=[agent], env={**os.environ, "OTEL_SERVICE_NAME": service}) as jvm:
            jvm.round(seconds=0.3)
            jvm.finish()
        witness.close()
        sent = sum((otlps.sums(body) for body in witness.taken), start=otlps.collections.Counter())
        ct.note(f"{event},{options}: {dict(sent)}")
        weight = sum(total * (scale or period) for (_, _, period), total in sent.items())
        found = types_of(server, service)
        ct.ok(weight and list(found.values()) == [weight] and (not of or list(found) == [of]),
              f"async-profiler, {event},{options}: {found} is what it sent", (dict(sent), witness.refused))


def main():
    server = Server("otlp")
    for what, maker in (("packed", otlps.Maker()), ("one by one", otlps.Maker(single=True)), ("by index", otlps.Maker(indexed=True)),
                        ("dictionary first", otlps.Maker(dictionary_first=True)),
                        ("all of these", otlps.Maker(single=True, indexed=True, dictionary_first=True))):
        service = what.replace(" ", "-")
        check_example(server, what, service, example(maker, service), PROTO)
    check_example(server, "packed with gzip", "gzip", gzip.compress(example(otlps.Maker(), "gzip")), {**PROTO, **GZIP})
    check_example(server, "JSON", "json", json.dumps(as_json("json")).encode(), JSON)
    check_example(server, "JSON with gzip", "json-gzip", gzip.compress(json.dumps(as_json("json-gzip")).encode()), {**JSON, **GZIP})
    check_values(server)
    check_names(server)
    check_errors(server)
    check_async_profiler(server, ct.jdk(21))
    m = server.metrics()
    received = m["candor_server_recordings_received_total"]
    ct.ok(server.balances() and m['candor_server_recordings_received_by_total{protocol="otlp"}'] == received,
          "received = stored + duplicates + refused", m)
    ct.ok(server.end() == 0, "the server ends normally")
    check_limits()
    ct.done()


main()
