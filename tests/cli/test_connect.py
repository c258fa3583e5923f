#!/usr/bin/env python3
"""Pyroscope's query API: the requests of Grafana's data source and of its Profiles Drilldown, in both encodings, made by hand and by the
stubs of the interface definitions over Connect. Every sum equals the server's own, and errors are those of Connect.

tier: default
timeout: 600
"""
import gzip
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import goclients
from recordings import MS
from servers import Server

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
STEP = 60
NOW = int(time.time()) // STEP * STEP
RANGE = {"start": (NOW - 3600) * 1000, "end": NOW * 1000}
HOSTS = ("a", "b")
MINUTES = 10


def fill(server):
    """Ten minutes of two hosts, then one recording of another service that counts samples. The weights in ns by (host, minute)."""
    sent = {}
    for minute in range(MINUTES):
        host, begun = HOSTS[minute % 2], NOW - 600 + STEP * minute
        body = f"a.Main.run;a.Hot.m{minute % 3} {10 + minute}\na.Main.run 5\n"
        status, _, content = server.request("POST", "/ingest", body.encode(), name=f"shop{{host={host},zone=z}}", format="folded",
                                            **{"from": begun, "until": begun + STEP})
        if status != 200:
            raise RuntimeError(content)
        sent[host, minute] = (15 + minute) * 10 * MS
    server.send(b"total;b.Count.only 7\n", service="cart", **{"from": str(NOW - 300), "until": str(NOW - 240)})
    return sent


def by_hand(server):
    def call(method, headers=None, **message):
        status, _, content = server.request("POST", f"/querier.v1.QuerierService/{method}", json.dumps(message).encode(),
                                            {"Content-Type": "application/json", **(headers or {})})
        return json.loads(content) if status == 200 else {"status": status, **json.loads(content)}
    return call


def by_stubs(server, program, encoding):
    def call(method, **message):
        answer = subprocess.run([program, server.url, encoding, method, json.dumps(message)], capture_output=True, text=True,
                                timeout=ct.PATIENCE, check=False).stdout
        if answer.startswith("error "):
            return {"code": answer.split()[1], "message": answer}
        return json.loads(answer)
    return call


def nodes(graph, of_two=False):
    """{path: (total, self)} for the levels of a flame graph (of two: on either side), as Grafana's decoder reads them."""
    width, found, above = 7 if of_two else 4, {}, None
    for level in graph["levels"]:
        values, row, ends = [int(v) for v in level.get("values", [])], [], [0, 0]
        for i in range(0, len(values), width):
            sides = [values[i + 3 * side:i + 3 * side + 3] for side in range(2 if of_two else 1)]
            begins = [end + side[0] for end, side in zip(ends, sides)]
            ends = [begin + side[1] for begin, side in zip(begins, sides)]
            name = graph["names"][values[i + width - 1]]
            parent = () if above is None else next(path for path, low, high in above
                                                   if all(l <= b and e <= h for l, b, e, h in zip(low, begins, ends, high)))
            row.append((parent + (name,), begins, list(ends)))
            found[parent + (name,)] = tuple((side[1], side[2]) for side in sides)
        above = row
    return found


def check_labels(call, what):
    types = call("ProfileTypes", **RANGE).get("profileTypes", [])
    ct.ok([one["ID"] for one in types] == [CPU, "process_cpu:samples:count:cpu:nanoseconds"] and types[0]["sampleUnit"] == "nanoseconds",
          f"{what}: the profile types", types)
    ct.ok(call("ProfileTypes", start=1000, end=4000).get("profileTypes", []) == [], f"{what}: none where there is nothing")
    names = call("LabelNames", matchers=['{service_name="shop"}'], **RANGE).get("names", [])
    of_type = ["__name__", "__period_type__", "__period_unit__", "__profile_type__", "__type__", "__unit__"]
    ct.ok(names == [*of_type, "host", "service_name", "zone"], f"{what}: the names of labels", names)
    ct.ok(call("LabelValues", name="host", **RANGE).get("names") == list(HOSTS) and
          call("LabelValues", name="service_name", matchers=[f'{{__profile_type__="{CPU}"}}'], **RANGE).get("names") == ["shop"] and
          call("LabelValues", name="service_name", matchers=['{zone="nowhere"}'], **RANGE).get("names", []) == [], f"{what}: their values")
    either = call("LabelValues", name="service_name", matchers=['{service_name="cart"}', '{host="a"}'], **RANGE).get("names", [])
    ct.ok(either == ["cart", "shop"], f"{what}: what one of several selectors matches", either)
    series = call("Series", labelNames=["service_name", "__profile_type__"], matchers=[], **RANGE).get("labelsSet", [])
    found = sorted(tuple(pair["value"] for pair in one["labels"]) for one in series)
    ct.ok(found == sorted([(CPU, "shop"), ("process_cpu:samples:count:cpu:nanoseconds", "cart")]), f"{what}: the series", series)


def check_series(call, sent, what):
    answer = call("SelectSeries", profileTypeID=CPU, labelSelector='{service_name="shop",}', groupBy=["host", "zone"], step=STEP, **RANGE)
    found = {tuple(pair["value"] for pair in one["labels"]): [(int(p["timestamp"]) // 1000, p["value"]) for p in one["points"]]
             for one in answer.get("series", [])}
    wanted = {(host, "z"): [(NOW - 600 + STEP * minute + STEP, weight) for (one, minute), weight in sent.items() if one == host]
              for host in HOSTS}
    ct.ok(found == wanted, f"{what}: series by two labels; a point has the minute before it", (found, wanted))
    ct.ok([one["labels"][0]["value"] for one in answer["series"]] == ["b", "a"], f"{what}: the larger first")
    top = call("SelectSeries", profileTypeID=CPU, labelSelector="{}", groupBy=["host"], step=STEP, limit=1, **RANGE).get("series", [])
    ct.ok([one["labels"][0]["value"] for one in top] == ["b"], f"{what}: the one that has most", top)
    moved = call("SelectSeries", profileTypeID=CPU, labelSelector="{}", step=STEP, start=RANGE["start"] + 7000, end=RANGE["end"])["series"]
    ct.ok([int(p["timestamp"]) // 1000 % STEP for p in moved[0]["points"]] == [0] * MINUTES and not moved[0].get("labels"),
          f"{what}: without labels one series, whose points stay where they are when the range moves", moved)


def check_profiles(call, server, sent, what):
    total = server.total('service="shop"', type="cpu:ns", **{"from": NOW - 3600, "to": NOW})
    ct.ok(total == sum(sent.values()), f"{what}: the server's own sum")
    graph = call("SelectMergeStacktraces", profile_typeID=CPU, label_selector='{service_name="shop"}', **RANGE)["flamegraph"]
    found = nodes(graph)
    ct.ok(int(graph["total"]) == total == found["total",][0][0] and found["total", "a.Main.run"][0] == (total, MINUTES * 50 * MS) and
          sum(self for ((_, self),) in found.values()) == total, f"{what}: a flame graph with that sum", found)
    early = {"start": RANGE["start"], "end": (NOW - 300) * 1000}
    part = call("SelectMergeStacktraces", profileTypeID=CPU, labelSelector='{host="b"}', **early)["flamegraph"]
    ct.ok(int(part["total"]) == sum(weight for (host, minute), weight in sent.items() if host == "b" and minute < 5),
          f"{what}: of a part of it")
    site = call("SelectMergeStacktraces", profileTypeID=CPU, labelSelector="{}",
                stackTraceSelector={"call_site": [{"name": "a.Main.run"}, {"name": "a.Hot.m0"}]}, **RANGE)["flamegraph"]
    ct.ok(int(site["total"]) == found["total", "a.Main.run", "a.Hot.m0"][0][0], f"{what}: of a call site", site)
    top = call("SelectMergeStacktraces", profileTypeID=CPU, labelSelector="{}", maxNodes=2,
               stackTraceSelector={"call_site": [{"name": "a.Main.run"}]}, **RANGE)["flamegraph"]
    ct.ok(int(top["total"]) == total and len(nodes(top)) < len(found), f"{what}: of a call site, too, with few nodes", top)
    sides = [{"profileTypeID": CPU, "labelSelector": f'{{host="{host}"}}', **RANGE} for host in HOSTS]
    both = call("Diff", left=sides[0], right=sides[1])["flamegraph"]
    sums = [sum(weight for (host, _), weight in sent.items() if host == one) for one in HOSTS]
    ct.ok([int(both["leftTicks"]), int(both["rightTicks"])] == sums and int(both["total"]) == sum(sums), f"{what}: two sides", both)
    of_two = nodes(both, of_two=True)
    for side in range(2):
        alone = nodes(call("SelectMergeStacktraces", **sides[side])["flamegraph"])
        ct.ok({path: two[side] for path, two in of_two.items() if two[side][0]} == {path: one[0] for path, one in alone.items()},
              f"{what}: each side is what it is alone", of_two)
    few = call("SelectMergeStacktraces", profileTypeID=CPU, labelSelector="{}", maxNodes=2, **RANGE)["flamegraph"]
    ct.ok(int(few["total"]) == total and sum(self for ((_, self),) in nodes(few).values()) == total and len(nodes(few)) < len(found),
          f"{what}: fewer nodes, the same sum", few)
    other = "block:delay:nanoseconds:contentions:count"
    none = call("SelectMergeStacktraces", profileTypeID=other, labelSelector="{}", **RANGE)["flamegraph"]
    ct.ok(none["names"] == ["total"] and int(none.get("total", 0)) == 0, f"{what}: of a type that is not here, nothing", none)


def check_errors(call, what):
    cases = (("no times", "SelectSeries", {"profileTypeID": CPU, "step": 60}, "invalid_argument"),
             ("no type", "SelectMergeStacktraces", {"profileTypeID": "cpu", **RANGE}, "invalid_argument"),
             ("a bad selector", "SelectMergeStacktraces", {"profileTypeID": CPU, "labelSelector": "{a=b}", **RANGE}, "invalid_argument"),
             ("no step", "SelectSeries", {"profileTypeID": CPU, **RANGE}, "invalid_argument"),
             ("a negative limit", "SelectSeries", {"profileTypeID": CPU, "step": 60, "limit": -1, **RANGE}, "invalid_argument"),
             ("a label twice", "SelectSeries", {"profileTypeID": CPU, "step": 60, "groupBy": ["a", "a"], **RANGE}, "invalid_argument"),
             ("many labels", "SelectSeries", {"profileTypeID": CPU, "step": 60, "groupBy": [f"l{i}" for i in range(40)], **RANGE},
              "invalid_argument"),
             ("many nodes", "SelectMergeStacktraces", {"profileTypeID": CPU, "maxNodes": 1 << 32 | 1, **RANGE}, "invalid_argument"),
             ("too many points", "SelectSeries", {"profileTypeID": CPU, "step": 1, "start": 1000, "end": RANGE["end"]}, "invalid_argument"),
             ("many ids", "SelectMergeStacktraces", {"profileTypeID": CPU, "profileIdSelector": ["x"] * 300, **RANGE},
              "invalid_argument"),
             ("averages", "SelectSeries", {"profileTypeID": CPU, "step": 60, "aggregation": 1, **RANGE}, "unimplemented"))
    for name, method, message, code in cases:
        answer = call(method, **message)
        ct.ok(answer.get("code") == code and answer["message"], f"{what}, {name}: {code}", answer)


def check_protocol(server):
    path = "/querier.v1.QuerierService/ProfileTypes"
    proto = {"Content-Type": "application/proto", "Connect-Protocol-Version": "1"}
    status, headers, content = server.request("POST", path, b"", proto)
    ct.ok(status == 200 and headers["Content-Type"] == "application/proto" and b"process_cpu" in content,
          "an empty message is one", content)
    packed = server.request("POST", path, gzip.compress(b""), {**proto, "Content-Encoding": "gzip"})
    ct.ok((packed[0], packed[2]) == (200, content), "packed it is the same", packed)
    for what, method, address, body, sent, wanted in (
            ("another version", "POST", path, b"", {**proto, "Connect-Protocol-Version": "2"}, (400, "invalid_argument")),
            ("a damaged message", "POST", path, b"\x08", proto, (400, "invalid_argument")),
            ("no JSON", "POST", path, b"[]", {"Content-Type": "application/json"}, (400, "invalid_argument")),
            ("a call that there is not", "POST", path + "x", b"", proto, (501, "unimplemented")),
            ("not packed, but said to be", "POST", path, b"\x08\1\x10\2", {**proto, "Content-Encoding": "gzip"}, (400, "invalid_argument")),
            ("packed and cut off", "POST", path, gzip.compress(b"\x08\1\x10\2")[:-9], {**proto, "Content-Encoding": "gzip"},
             (400, "invalid_argument")),
            ("a long message, packed", "POST", path, gzip.compress(bytes(2 << 20)), {**proto, "Content-Encoding": "gzip"},
             (429, "resource_exhausted")),
            ("a long message", "POST", path, bytes(2 << 20), proto, (429, "resource_exhausted"))):
        status, headers, content = server.request(method, address, body, sent)
        ct.ok((status, json.loads(content)["code"]) == wanted and headers["Content-Type"] == "application/json",
              f"{what}: {wanted}", content)
    ct.ok(server.request("POST", path, b"", {"Content-Type": "text/plain"})[0] == 415, "of another type: 415")
    for address, wanted in (("/settings.v1.SettingsService/Get", {}), ("/capabilities.v1.FeatureFlagsService/GetFeatureFlags", {}),
                            ("/version.v1.Version/Version", {"QuerierAPI": "1"}), ("/querier.v1.QuerierService/AnalyzeQuery", {})):
        status, _, content = server.request("POST", address, b"{}", {"Content-Type": "application/json; charset=utf-8"})
        ct.ok(status == 200 and json.loads(content) == wanted, f"what Grafana asks beside that: {address}", content)
    stats = json.loads(server.request("POST", "/querier.v1.QuerierService/GetProfileStats", b"{}", {"Content-Type": "application/json"})[2])
    ct.ok(stats["dataIngested"] and int(stats["oldestProfileTime"]) <= (NOW - 600) * 1000 < NOW * 1000 <= int(stats["newestProfileTime"]),
          "what there is", stats)


def check_pprof(server, program, sent):
    message = {"profileTypeID": CPU, "labelSelector": '{service_name="shop"}', **RANGE}
    answer = by_stubs(server, program, "proto")("SelectMergeProfile", **message)
    ct.ok(sum(int(sample["value"][-1]) for sample in answer.get("sample", [])) == sum(sent.values()), "a pprof profile with that sum",
          answer)


def check_tokens():
    tokens = ct.WORK / "connect-token-file"
    made = {scope: ct.candor("server", "--token-file", tokens, "--new-token", f"{scope}:{scope}").out.strip()
            for scope in ("read", "write")}
    server = Server("connect-tokens", "--token-file", tokens)
    for token, wanted in ((None, (401, "unauthenticated")), (made["write"], (403, "permission_denied")), (made["read"], (200, None))):
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        status, _, content = server.request("POST", "/querier.v1.QuerierService/ProfileTypes", b"{}", headers)
        ct.ok((status, json.loads(content).get("code")) == wanted, f"{'a' if token else 'no'} token: {wanted}", content)
    server.end()


def main():
    server = Server("connect")
    sent = fill(server)
    check_protocol(server)
    callers = [("JSON by hand", by_hand(server))]
    program = goclients.build("connect")
    if program:
        callers += [(f"Go's stubs, {encoding}", by_stubs(server, program, encoding)) for encoding in ("proto", "json")]
        check_pprof(server, program, sent)
    for what, call in callers:
        check_labels(call, what)
        check_series(call, sent, what)
        check_profiles(call, server, sent, what)
        check_errors(call, what)
    check_tokens()
    server.end()
    ct.done()


main()
