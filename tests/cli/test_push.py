#!/usr/bin/env python3
"""Uploads of Pyroscope's agents: the Go agent with all its profiles to /ingest, and push.v1 over Connect, made by hand and by the stubs
of the interface definitions. Each sum on the server equals the sum that was sent, by type, and everything that is not kept is named.

tier: default
timeout: 600
"""
import base64
import collections
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import goclients
import pb
import pprofs
from servers import Server
from witness import Witness

NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW + 3600}
PATH = "/push.v1.PusherService/Push"
JSON, PROTO = {"Content-Type": "application/json"}, {"Content-Type": "application/proto", "Connect-Protocol-Version": "1"}
CONTENTION = (("contentions", "count"), ("delay", "nanoseconds"))
CPU = (("samples", "count"), ("cpu", "nanoseconds"))


def types_of(server, service):
    found = {one["name"]: one["types"] for one in server.get("/v1/services", **TIME)["services"]}
    return found.get(service, {})


def series(labels, *profiles):
    """An entry of a PushRequest in protobuf's JSON."""
    return {"labels": [{"name": name, "value": value} for name, value in labels.items()],
            "samples": [{"rawProfile": base64.b64encode(one).decode(), "ID": "x"} for one in profiles]}


def as_proto(message):
    return pb.message(*((1, pb.message(*((1, pb.message((1, one["name"].encode()), (2, one["value"].encode()))) for one in entry["labels"]),
                                       *((2, pb.message((1, base64.b64decode(one["rawProfile"])), (2, b"x"))) for one in entry["samples"])))
                        for entry in message["series"]))


def post(server, body, headers, packed):
    coding = {"Content-Encoding": "gzip"} if packed else {}
    return server.request("POST", PATH, gzip.compress(body) if packed else body, {**headers, **coding})


def by_json(server, message, packed=False):
    return post(server, json.dumps(message).encode(), JSON, packed)


def by_proto(server, message, packed=False):
    return post(server, as_proto(message), PROTO, packed)


# ---- push.v1 ----

def check_push(server, what, send):
    """send(message) -> whether it was accepted."""
    service, start = f"push.{what.replace(' ', '-')}", NOW - 120
    mutex = pprofs.make(CONTENTION, [("a", (3, 500)), ("b", (1, 7))], start=start)
    block = pprofs.make(CONTENTION, [("a", (2, 90))], start=start)
    message = {"series": [
        series({"__name__": "process_cpu", "service_name": service, "__delta__": "false", "namespace": "eu/1", "dotted.key": "v"},
               gzip.compress(pprofs.make(CPU, [("a", (2, 20_000_000)), ("b", (1, 10_000_000))], start=start)),
               pprofs.make(CPU, [("a", (1, 10_000_000))], start=start + 10)),
        series({"__name__": "mutex", "service_name": service}, mutex), series({"__name__": "block", "service_name": service}, block),
        series({"__name__": "process_cpu", "service_name": service}, pprofs.make((("samples", "count"),), [("a", (6,))], start=start)),
        series({"__name__": "fgprof", "service_name": service}, pprofs.make((("time", "nanoseconds"),), [("a", (11,))], start=start))]}
    ct.ok(send(message), f"{what}: it is taken")
    wanted = {"cpu:ns": 40_000_000, "cpu:samples": 6, "mutex_count:count": 4, "mutex_duration:ns": 507,
              "block_count:count": 2, "block_duration:ns": 90, "fgprof_time:ns": 11}
    ct.ok(types_of(server, service) == wanted, f"{what}: each value has its type, and its sum", (types_of(server, service), wanted))
    labelled = f'service="{service}",namespace="eu/1",dotted.key="v"'
    ct.ok(server.total(labelled, type="cpu:ns", **TIME) == 40_000_000, f"{what}: and its labels")
    ids = {"mutex:contentions:count:contentions:count": 4, "block:delay:nanoseconds:contentions:count": 90}
    for one, weight in ids.items():
        asked = {"profileTypeID": one, "labelSelector": f'{{service_name="{service}"}}', "start": (NOW - 3600) * 1000, "end": NOW * 1000}
        graph = json.loads(server.request("POST", "/querier.v1.QuerierService/SelectMergeStacktraces", json.dumps(asked).encode(), JSON)[2])
        ct.ok(int(graph["flamegraph"].get("total", 0)) == weight, f"{what}: {one} is found by Pyroscope's name", graph)
    ct.ok(send(message) and types_of(server, service) == wanted, f"{what}: what is sent again counts once")


def check_push_errors(server):
    good = pprofs.make(CPU, [("a", (1, 5))], start=NOW - 60)
    before = server.metrics()["candor_server_recordings_stored_total"]
    for name, message, wanted in (
            ("no profile", {"series": [series({"__name__": "process_cpu", "service_name": "e"}, b"no profile")]}, "1 of 1"),
            ("an empty one", {"series": [series({"__name__": "process_cpu", "service_name": "e"}, b"")]}, "1 of 1"),
            ("no name", {"series": [series({"service_name": "e"}, good, good)]}, "2 of 2"),
            ("a label twice", {"series": [{"labels": [{"name": "a", "value": "1"}] * 2 + [{"name": "__name__", "value": "x"}],
                                           "samples": series({}, good)["samples"]}]}, "more than once")):
        for encoding, send in (("JSON", by_json), ("proto", by_proto)):
            status, headers, content = send(server, message)
            error = json.loads(content)
            ct.ok((status, error["code"], headers["Content-Type"]) == (400, "invalid_argument", "application/json") and
                  wanted in error["message"], f"{encoding}, {name}: invalid_argument, which is not tried again", content)
    ct.ok(server.metrics()["candor_server_recordings_stored_total"] == before, "and nothing of it is stored")
    half = {"series": [series({"__name__": "process_cpu", "service_name": "half"}, good, b"no profile")]}
    status, _, content = by_proto(server, half)
    ct.ok(status == 400 and b"1 of 2 profiles refused" in content and types_of(server, "half") == {"cpu:ns": 5},
          "of two the good one is stored, the other is named", content)
    for name, body, headers, wanted in (
            ("damaged", b"\x0a\x05ab", PROTO, 400), ("cut in a series", as_proto(half)[:-1], PROTO, 400), ("no JSON", b"[1", JSON, 400),
            ("bad base64", b'{"series": [{"samples": [{"rawProfile": "a"}]}]}', JSON, 400),
            ("a list for a message", b'{"series": [[]]}', JSON, 400),
            ("not packed", b"abc", {**PROTO, "Content-Encoding": "gzip"}, 400),
            ("damaged packing", gzip.compress(as_proto(half))[:-9], {**PROTO, "Content-Encoding": "gzip"}, 400),
            ("of another type", b"", {"Content-Type": "text/plain"}, 415),
            ("of another version", b"", {**PROTO, "Connect-Protocol-Version": "2"}, 400)):
        status, _, content = server.request("POST", PATH, body, headers)
        ct.ok(status == wanted and (status == 415 or json.loads(content)["code"] == "invalid_argument"), f"{name}: {wanted}", content)
    for encoding, send in (("JSON", by_json), ("proto", by_proto)):
        status, headers, content = send(server, {"series": []})
        ct.ok((status, content.strip()) in ((200, b"{}"), (200, b"")) and headers["Content-Type"] == f"application/{encoding.lower()}",
              f"{encoding}: nothing is fine", (headers["Content-Type"], content))
    anonymous = {"series": [series({"__name__": "process_cpu"}, pprofs.make(CPU, [("a", (1, 9), {"endpoint": "/x", "span_id": "ab"})]))]}
    status, headers, content = by_json(server, anonymous)
    ct.ok(status == 200 and types_of(server, "unknown_service") == {"cpu:ns": 9}, "without a service it is unknown_service", content)
    ct.ok(headers["X-Candor-Left-Out"] == "labels of 1 samples (span_id)", "labels that are not kept are named", str(headers))


def samples(n):
    """A profile of n samples, each of 1 ns."""
    return pprofs.make(CPU, [("a", (1, 1))] * n, start=NOW - 60)


def padded(size):
    """A profile of this many bytes, with a text that nobody refers to."""
    plain = pprofs.make(CPU, [("a", (1, 1))], start=NOW - 60)
    rest = size - len(plain)
    noise = os.urandom(rest)  # zeros would be packed so well that they would look like an attack
    return plain + next(one for one in (pb.message((6, noise[:n])) for n in range(rest - 9, rest)) if len(one) == rest)


def check_profile_limits(server, name, bytes_most, samples_most):
    """Profiles as large as the limits are taken, and those with one byte or one sample more are refused with Pyroscope's words."""
    for field, most, make in (("max_profile_size_byte", bytes_most, padded), ("max_profile_stacktrace_samples", samples_most, samples)):
        for more in (0, 1):
            service, profile = f"{name}-{field}-{more}", gzip.compress(make(most + more))
            status, _, content = by_proto(server, {"series": [series({"__name__": "process_cpu", "service_name": service}, profile)]})
            said = f"({field}, actual: {most + 1}, limit: {most})"
            ct.ok((status, bool(types_of(server, service))) == ((400, False) if more else (200, True)), f"{service}: {status}", content)
            ct.ok(not more or (json.loads(content)["code"] == "invalid_argument" and said in json.loads(content)["message"]),
                  f"{service}: in Pyroscope's words", content)
            body, headers = form(profile=profile)
            status, _, content = server.request("POST", "/ingest", body, headers, name=f"form-{service}")
            ct.ok(status == (413 if more else 200) and (not more or said in json.loads(content)["error"]), f"/ingest, {service}", content)
            status, _, content = server.request("POST", "/v1/recordings", profile, service=f"own-{service}")
            ct.ok(status == 200, f"/v1/recordings has no such limit, {service}", content)
    ct.ok(server.metrics()['candor_server_recordings_refused_total{reason="too_large"}'] == 4 and server.balances(), "each is counted",
          server.metrics())


def check_query_length(server):
    """A query for as long as the limit is answered, and one for a second more is refused."""
    for seconds in (7200, 7201):
        asked = {"profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "labelSelector": "{}", "start": (NOW - seconds) * 1000,
                 "end": NOW * 1000}
        calls = [server.request("POST", "/querier.v1.QuerierService/SelectMergeStacktraces", json.dumps(asked).encode(), JSON),
                 server.request("GET", "/v1/services", **{"from": NOW - seconds, "to": NOW})]
        said = b"(max_query_length, actual: 7201s, limit: 7200s)"
        ct.ok(all(status == (200 if seconds == 7200 else 400) and (said in content) == (seconds > 7200) for status, _, content in calls),
              f"queries for {seconds} s", calls)


def check_label_limits(server):
    """Labels at their limits are kept, and those beyond are left out and named."""
    profile = pprofs.make(CPU, [("a", (1, 1))], start=NOW - 60)
    for name, value, kept in (("n" * 1024, "v", True), ("n" * 1025, "v", False), ("n", "v" * 2048, True), ("n", "v" * 2049, False)):
        service = f"label-{len(name)}-{len(value)}"
        status, headers, content = by_proto(server, {"series": [series({"__name__": "process_cpu", "service_name": service, name: value},
                                                                       profile)]})
        labels = server.get("/v1/recordings", select=f'service="{service}"', **TIME)["recordings"][0]["labels"]
        ct.ok(status == 200 and labels == {"service": service, **({name: value} if kept else {})}, f"{service}: kept is {kept}", labels)
        ct.ok((headers["X-Candor-Left-Out"] or "").startswith("label n") != kept, f"{service}: named if not", str(headers))
    for count in (30, 31):
        labels = {"__name__": "process_cpu", "service_name": f"labels-{count}", **{f"l{n:02}": "v" for n in range(count - 1)}}
        _, headers, _ = by_proto(server, {"series": [series(labels, profile)]})
        ct.ok((headers["X-Candor-Left-Out"] or "") == ("" if count == 30 else "label l29"), f"{count} labels", str(headers))


def deep(depth, name):
    """A profile of one sample whose stack has so many frames, all but the innermost with the same name."""
    texts = ["", "samples", "count", "cpu", "nanoseconds", name, "leaf"]
    places = [pb.message((4, pb.message((1, i), (4, pb.message((1, i))))), (5, pb.message((1, i), (2, 7 - i)))) for i in (1, 2)]
    sample = pb.message((1, 1), *((1, 2) for _ in range(depth - 1)), (2, 1), (2, 5))
    return (pb.message((1, pb.message((1, 1), (2, 2))), (1, pb.message((1, 3), (2, 4))), (2, sample)) + b"".join(places) +
            pb.message((9, (NOW - 60) * 10**9), *((6, text.encode()) for text in texts)))


def sent(server, service, profile, **labels):
    one = series({"__name__": "process_cpu", "service_name": service, **labels}, profile)
    status, headers, content = by_proto(server, {"series": [one]})
    return status, headers["X-Candor-Left-Out"] or "", content


def check_shapes(server, name, frames, symbol):
    """Stacks and names as long as the limits are whole, and those with one more are cut and counted."""
    for more in (0, 1):
        service = f"{name}-deep-{more}"
        status, left_out, _ = sent(server, service, deep(frames + more, "f"))
        said = f"frames at the root of 1 samples (max_profile_stacktrace_depth, limit: {frames})" if more else ""
        outcomes = server.get("/v1/methods", select=f'service="{service}"', type="cpu:ns", **TIME)["report"]
        ct.ok((status, left_out) == (200, said) and types_of(server, service) == {"cpu:ns": 5}, f"{service}: {said}", (left_out, outcomes))
        service = f"{name}-name-{more}"
        status, left_out, _ = sent(server, service, pprofs.make(CPU, [("x" * (symbol + more), (1, 5))], start=NOW - 60))
        said = f"the ends of 1 names (max_profile_symbol_value_length, limit: {symbol})" if more else ""
        methods = server.get("/v1/methods", select=f'service="{service}"', type="cpu:ns", **TIME)["report"]["methods"]
        ct.ok((status, left_out) == (200, said) and [len(one["name"]) for one in methods] == [symbol], f"{service}: {said}", left_out)
    service, wide = f"{name}-wide", "\u00e9" * symbol  # two bytes each
    sent(server, service, pprofs.make(CPU, [("x" * (symbol % 2 + 1) + wide, (1, 5))], start=NOW - 60))
    methods = server.get("/v1/methods", select=f'service="{service}"', type="cpu:ns", **TIME)["report"]["methods"]
    ct.ok(len(methods) == 1 and len(methods[0]["name"].encode()) == symbol - 1, "no character is cut in two", methods[:1])


def check_fewer_labels(server):
    profile = pprofs.make(CPU, [("a", (1, 1))], start=NOW - 60)
    for service, more, kept in (("fits", {"abcdefgh": "12345"}, True), ("name", {"abcdefghi": "1"}, False),
                                ("value", {"abcd": "123456789012"}, False), ("many", {"abcd": "1", "b": "2"}, False)):
        status, left_out, _ = sent(server, service, profile, **more)
        ct.ok(status == 200 and (left_out == "") == kept, f"labels, {service}: left out if it does not fit", left_out)
        name = service + "{" + ",".join("=".join(one) for one in more.items()) + "}"
        status, _, content = server.request("POST", "/ingest", b"a 1\n", name=name)
        words = {"fits": b"", "name": b"max_length_label_name", "value": b"max_length_label_value",
                 "many": b"max_label_names_per_series"}[service]
        ct.ok(status == (200 if kept else 400) and words in content, f"/ingest, {service}: refused, in Pyroscope's words", content)
        status, _, content = server.request("POST", "/v1/recordings", profile, service=f"own-{service}", **more)
        ct.ok(status == (200 if kept else 400) and words in content, f"/v1/recordings, {service}: the same", content)
    m = server.metrics()
    ct.ok(m['candor_server_recordings_refused_total{reason="labels"}'] == 6 and server.balances(), "each is counted", m)


def check_nodes(server, default, most):
    """A graph has as many functions as the option says, and none may ask for more than the other."""
    sent(server, "nodes", pprofs.make(CPU, [(f"f{i:03}", (1, 100 + i)) for i in range(50)], start=NOW - 60))
    asked = {"profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "labelSelector": '{service_name="nodes"}',
             "start": (NOW - 3600) * 1000, "end": NOW * 1000}

    def call(**more):
        status, _, content = server.request("POST", "/querier.v1.QuerierService/SelectMergeStacktraces",
                                            json.dumps({**asked, **more}).encode(), JSON)
        return status, json.loads(content)
    status, answer = call()
    ct.ok(status == 200 and len(answer["flamegraph"]["names"]) <= default + 2 < 50, f"{default} by default", answer)
    status, answer = call(maxNodes=most)
    ct.ok(status == 200 and len(answer["flamegraph"]["names"]) > default + 2, f"{most} if asked", answer)
    status, answer = call(maxNodes=most + 1)
    said = f"(max_flamegraph_nodes_max, actual: {most + 1}, limit: {most})"
    ct.ok(status == 400 and said in answer["message"], "more are refused", answer)


def check_limits():
    server = Server("push-defaults")
    check_profile_limits(server, "default", 4 << 20, 16000)
    check_label_limits(server)
    check_shapes(server, "default", 1000, 65535)
    server.end()
    server = Server("push-options", "--max-profile", "1K", "--max-profile-samples", "20", "--max-query-length", "2h")
    check_profile_limits(server, "option", 1024, 20)
    check_query_length(server)
    server.end()
    server = Server("push-nodes", "--flamegraph-nodes", "5", "--max-flamegraph-nodes", "30")
    check_nodes(server, 5, 30)
    server.end()
    server = Server("push-cut", "--max-stack-depth", "20", "--max-symbol-length", "65")
    check_shapes(server, "option", 20, 65)
    server.end()
    server = Server("push-labels", "--max-labels", "2", "--max-label-name", "8", "--max-label-value", "11")
    check_fewer_labels(server)
    server.end()
    server = Server("push-none", "--max-profile", "none", "--max-profile-samples", "none", "--max-query-length", "none")
    for profile in (samples(16001), padded((4 << 20) + 1)):
        ct.ok(by_proto(server, {"series": [series({"__name__": "process_cpu", "service_name": "n"}, profile)]})[0] == 200, "none is none")
    server.end()
    for option, value in (("max-profile", "0"), ("max-profile-samples", "0"), ("max-query-length", "10ms"), ("max-query-length", "0s"),
                          ("max-symbol-length", "63"), ("max-stack-depth", "1"), ("max-stack-depth", "4097"),
                          ("max-labels", "31"), ("max-labels", "none"),
                          ("max-label-name", "6"), ("max-label-name", "1025"), ("max-label-value", "2049"), ("flamegraph-nodes", "1048577"),
                          ("max-flamegraph-nodes", "none")):
        result = ct.candor("server", f"--{option}", value, "--data", ct.WORK / "none")
        ct.ok(result.status == 2 and option in result.err and result.err.count("\n") == 1, f"--{option} {value} is refused", result)
    server = Server("push-limits", "--max-body", "20000")
    large = {"series": [series({"__name__": "process_cpu", "service_name": "l"}, bytes(40000))]}
    status, _, content = by_proto(server, large)
    ct.ok(status == 400 and b"--max-body" in content, "a message beyond --max-body names it", content)
    status, _, content = by_proto(server, large, packed=True)
    ct.ok(status == 400 and b"--max-body" in content, "so does one that unpacks to a profile beyond it", content)
    ct.ok(server.balances(), "each is counted", server.metrics())
    server.end()
    tokens = ct.WORK / "push-token-file"
    made = {scope: ct.candor("server", "--token-file", tokens, "--new-token", f"{scope}:{scope}").out.strip()
            for scope in ("read", "write")}
    server = Server("push-tokens", "--token-file", tokens)
    for token, wanted in ((None, (401, "unauthenticated")), (made["read"], (403, "permission_denied")), (made["write"], (200, None))):
        headers = {**JSON, **({"Authorization": f"Bearer {token}"} if token else {})}
        status, _, content = server.request("POST", PATH, b"{}", headers)
        ct.ok((status, json.loads(content).get("code")) == wanted, f"{'a' if token else 'no'} token: {wanted}", content)
    server.end()


# ---- /ingest ----

def form(**parts):
    body = b"".join(b'--b\r\nContent-Disposition: form-data; name="%s"; filename="x"\r\n\r\n%s\r\n' % (name.encode(), content)
                    for name, content in parts.items())
    return body + b"--b--\r\n", {"Content-Type": "multipart/form-data; boundary=b"}


def check_ingest(server):
    def ingest(name, *parts, **parameters):
        body, headers = form(**dict(parts))
        status, _, content = server.request("POST", "/ingest", body, headers, name=name, **parameters)
        return status, json.loads(content)

    contention = pprofs.make(CONTENTION, [("a", (3, 500))])
    ct.ok(ingest("plain", ("profile", contention), sampleRate="0")[0] == 200, "sampleRate=0 is no rate, and no error")
    ct.ok(types_of(server, "plain") == {"mutex_count:count": 3, "mutex_duration:ns": 500}, "contention without a name is of mutexes",
          types_of(server, "plain"))
    config = {"contentions": {"display-name": "block_count", "units": "lock_samples"}, "delay": {"display-name": "block_duration"}}
    ingest("named", ("profile", contention), ("sample_type_config", json.dumps(config).encode()), sampleRate="0")
    ct.ok(types_of(server, "named") == {"block_count:count": 3, "block_duration:ns": 500}, "sample_type_config names it",
          types_of(server, "named"))
    heap = pprofs.make((("alloc_space", "bytes"), ("inuse_space", "bytes")), [("a", (70, 30))])
    config = {"alloc_space": {"cumulative": True}, "inuse_space": {"cumulative": False}}
    status, answer = ingest("heap", ("profile", heap), ("prev_profile", heap), ("sample_type_config", json.dumps(config).encode()))
    ct.ok(status == 200 and types_of(server, "heap") == {"inuse_space:bytes": 30} and
          "alloc_space, which is a sum since the program's start" in answer["left_out"] and "the field prev_profile" in answer["left_out"],
          "a sum since the program's start is left out, and named", answer)
    status, answer = ingest("heap", ("profile", pprofs.make((("alloc_space", "bytes"),), [("a", (71,))])),
                            ("sample_type_config", json.dumps(config).encode()))
    ct.ok(status == 400 and "alloc_space" in answer["error"], "if that is all, the profile is refused", answer)
    for name, content in (("no JSON", b"{"), ("a list", b"[]"), ("a text", b'{"a": "b"}')):
        ct.ok(ingest("bad", ("profile", heap), ("sample_type_config", content))[0] == 400, f"sample_type_config, {name}: 400")
    ct.ok(ingest("large", ("profile", heap), ("sample_type_config", bytes(1 << 21)))[0] == 413, "one that is too large: 413")
    ingest("session{__session_id__=1f,region=eu}", ("profile", heap))
    listed = server.get("/v1/recordings", select='service="session"', **TIME)["recordings"][0]["labels"]
    ct.ok(listed == {"region": "eu", "service": "session"}, "__session_id__ is no label", listed)


def check_agent(server, program):
    witness = Witness(server)
    result = subprocess.run([program, "agent", witness.url], capture_output=True, text=True, timeout=ct.PATIENCE, check=False)
    witness.close()
    ct.ok(result.returncode == 0 and not witness.refused, "Pyroscope's agent for Go: all its uploads are taken", (result, witness.refused))
    sent = collections.Counter()
    for fields in witness.forms:
        config = json.loads(fields.get("sample_type_config", b"{}"))
        own = pprofs.sums(fields["profile"])
        for one, total in own.items():
            name, unit = one.split(":")
            if (name, unit) == ("samples", "count") and "cpu:nanoseconds" in own:
                continue
            name = config.get(name, {}).get("display-name", name) if name in ("contentions", "delay") else name
            sent[f"{name}:{'ns' if unit == 'nanoseconds' else unit}"] += total
    sent = {one: total for one, total in sent.items() if total}
    found = {one: total for one, total in types_of(server, "go.ring").items() if total}
    for one in sorted({*sent, "cpu:ns", "mutex_count:count", "mutex_duration:ns", "block_count:count", "block_duration:ns",
                       "alloc_space:bytes", "inuse_space:bytes"}):
        ct.ok(found.get(one) == sent.get(one), f"{one}: {sent.get(one)}", found.get(one))
    ct.ok(found.keys() == sent.keys() and len(found) >= 10, f"there is nothing else: {len(witness.forms)} uploads", (found, sent))


def check_again(name, service):
    """The names of its values are part of the recording, as it was sent."""
    server = Server(name)
    known = types_of(server, service)
    server.end()
    shutil.rmtree(server.data / "segments")
    for part in server.data.glob("catalogue.db*"):
        part.unlink()
    server = Server(name)
    found = {one: server.total(f'service="{service}"', type=one, **TIME) for one in known}
    ct.ok(len(known) > 5 and found == known, "a store that is made again from its recordings has the same types and sums", (found, known))
    server.end()


def main():
    server = Server("push")
    check_push(server, "JSON", lambda message: by_json(server, message)[0] == 200)
    check_push(server, "proto", lambda message: by_proto(server, message)[0] == 200)
    check_push(server, "JSON with gzip", lambda message: by_json(server, message, packed=True)[0] == 200)
    check_push(server, "proto with gzip", lambda message: by_proto(server, message, packed=True)[0] == 200)
    check_push_errors(server)
    check_ingest(server)
    program = goclients.build("push")
    if program:
        for words in (("proto",), ("json",), ("proto", "gzip"), ("json", "gzip")):
            check_push(server, f"Go's stubs {' '.join(words)}", lambda message, words=words: subprocess.run(
                [program, "push", server.url, *words], input=json.dumps(message), capture_output=True, text=True, timeout=ct.PATIENCE,
                check=False).stdout.startswith("taken"))
        check_agent(server, program)
    m = server.metrics()
    received = m["candor_server_recordings_received_total"]
    by_protocol = [value for name, value in m.items() if "received_by_total" in name]
    ct.ok(server.balances() and sum(by_protocol) == received and sum(value > 0 for value in by_protocol) == 2,
          "received = stored + duplicates + refused, and the sum over the two protocols", (received, by_protocol))
    ct.ok(m["candor_server_recordings_left_out_total"] >= 2, "recordings of which something is left out are counted",
          m["candor_server_recordings_left_out_total"])
    ct.ok(server.end() == 0, "the server ends normally")
    check_again("push", "push.proto")
    check_limits()
    ct.done()


main()
