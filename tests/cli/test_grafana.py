#!/usr/bin/env python3
"""What Grafana and older clients ask a Pyroscope server beside series and flame graphs: heat maps, exemplars and the recordings that they
name, spans and traces, graphs of functions, pprof in both encodings, the older addresses, tenants. Every total is that of candor report.

tier: default
timeout: 600
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import goclients
import recordings
from recordings import COLD, HOT, MS
from servers import Server

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
START, STEP = 1_700_000_000, 60  # of recordings.make: 20 s after the beginning of a minute
FIRST = START // STEP * STEP
RANGE = {"start": FIRST * 1000, "end": (FIRST + 600) * 1000}
OF_SHOP = {"profileTypeID": CPU, "labelSelector": '{service_name="shop"}', **RANGE}
TRACE = "4bf92f3577b34da6a3ce929d0e0e473"  # and one digit
SPANS = {"a": ("00f067aa0ba902b1", "00f067aa0ba902b2"), "b": ("00f067aa0ba902b3", "00f067aa0ba902b4")}
ROOT = "00f067aa0ba902ff"
DECODERS = ct.JDKS.parent / "npm-pyroscope"
PACKAGES = ("@pyroscope/models@0.4.7", "zod@3")


def make(host, heavy):
    """Four minutes: a span with a sample each 10 s, a second span below it from the second minute on, and samples of no span."""
    lines = [("setting", "event", "cpu"), ("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    cpu = 0
    for i in range(24):
        first, second = SPANS[host]
        lines += [("at", 10_000 * i + 1), ("context", "/buy", TRACE + host, first, ROOT if host == "a" else ""),
                  ("sample", 1, heavy * MS, "complete", HOT)]
        if i >= 6:
            lines += [("context", "/pay", TRACE + host, second, ""), ("sample", 1, 3 * MS, "complete", COLD)]
        lines += [("context",), ("sample", 1, MS, "complete", COLD)]
        cpu += (heavy + (3 if i >= 6 else 0) + 1) * MS
    lines += [("at", 240_000), ("book", "cpu", "", cpu, 0), ("book", "complete", "", cpu, 66), ("book", "residual", "", 0, 0)]
    return recordings.make(f"grafana-{host}.jfr", lines)


def total_of(path, *options):
    return sum(row["self"] for row in recordings.report_json(path, "--top", "0", *options)["methods"])


def by_hand(server, service="querier.v1.QuerierService"):
    def call(method, **message):
        status, _, content = server.request("POST", f"/{service}/{method}", json.dumps(message).encode(),
                                            {"Content-Type": "application/json"})
        return json.loads(content) if status == 200 else {"status": status, **json.loads(content)}
    return call


def by_stubs(server, program, encoding):
    def call(method, **message):
        answer = subprocess.run([program, server.url, encoding, method, json.dumps(message)], capture_output=True, text=True,
                                timeout=ct.PATIENCE, check=False).stdout
        return {"code": answer.split()[1], "message": answer} if answer.startswith("error ") else json.loads(answer)
    return call


def points(answer):
    return {int(p["timestamp"]): p for one in answer.get("series", []) for p in one["points"]}


def check_heatmap(call, paths, what):
    series = points(call("SelectSeries", step=STEP, **OF_SHOP))
    answer = call("SelectHeatmap", step=STEP, queryType="HEATMAP_QUERY_TYPE_INDIVIDUAL", exemplarType="EXEMPLAR_TYPE_INDIVIDUAL", **OF_SHOP)
    slots = {int(slot["timestamp"]): slot for slot in answer["series"][0]["slots"]}
    ct.ok(sorted(slots) == sorted(series) and len(answer["series"]) == 1 and not answer["series"][0].get("labels"),
          f"{what}: a heat map has the steps of the series", (sorted(slots), sorted(series)))
    ct.ok(all(len(slot["yMin"]) == len(slot["counts"]) == 20 and sum(slot["counts"]) == len(paths) for slot in slots.values()),
          f"{what}: each step counts each recording once, in one of twenty buckets", slots)
    sums = {at: sum(int(x["value"]) for x in slot["exemplars"]) for at, slot in slots.items()}
    ct.ok(sums == {at: p["value"] for at, p in series.items()}, f"{what}: what the recordings have adds up to the series", (sums, series))
    low = min(int(x["value"]) for slot in slots.values() for x in slot["exemplars"])
    ct.ok(all(slot["yMin"][0] == low and slot["yMin"] == sorted(slot["yMin"]) for slot in slots.values()), f"{what}: from the least on")
    hour = call("SelectHeatmap", step=3600, exemplarType="EXEMPLAR_TYPE_INDIVIDUAL", **OF_SHOP)["series"][0]["slots"]
    ct.ok(len(hour) == 1 and sorted(int(x["value"]) for x in hour[0]["exemplars"]) == sorted(map(total_of, paths.values())),
          f"{what}: a step that has whole recordings", hour)
    split = call("SelectHeatmap", step=STEP, groupBy=["host"], limit=1, **OF_SHOP)["series"]
    ct.ok([one["labels"] for one in split] == [[{"name": "host", "value": "b"}]] and
          all(sum(slot["counts"]) == 1 and not slot.get("exemplars") for slot in split[0]["slots"]),
          f"{what}: by a label, the largest only; no exemplars are asked for", split)
    spans = call("SelectHeatmap", step=STEP, queryType="HEATMAP_QUERY_TYPE_SPAN", exemplarType="EXEMPLAR_TYPE_SPAN", **OF_SHOP)
    found = collections.Counter()
    for slot in spans["series"][0]["slots"]:
        for x in slot["exemplars"]:
            found[x["spanId"], x["traceId"]] += 1
    ct.ok(set(found) <= {(span, TRACE + host) for host, two in SPANS.items() for span in two} and len(found) >= 2,
          f"{what}: of spans, with their traces", found)
    counts = [sum(slot["counts"]) for slot in spans["series"][0]["slots"]]
    ct.ok(max(counts) == 4 and counts[0] == 2, f"{what}: two spans in the first minute, four later", counts)
    for name, more in (("no step", {"step": 0}), ("a negative limit", {"step": 60, "limit": -1}), ("no time", {"step": 60, "end": 0})):
        answer = call("SelectHeatmap", **{**OF_SHOP, **more})
        ct.ok(answer.get("code") == "invalid_argument", f"{what}, heat map, {name}: invalid_argument", answer)


def check_exemplars(call, server, paths, what):
    answer = points(call("SelectSeries", step=STEP, exemplarType="EXEMPLAR_TYPE_INDIVIDUAL", **OF_SHOP))
    ct.ok(all(len(p["exemplars"]) == 1 for p in answer.values()), f"{what}: a point has the recording that has most", answer)
    one = next(iter(answer.values()))["exemplars"][0]
    labels = {pair["name"]: pair["value"] for pair in one["labels"]}
    ct.ok(labels == {"host": "b", "service_name": "shop"}, f"{what}: with its labels", one)
    listed = {f"{r['id']:x}": r["labels"]["host"] for r in server.get("/v1/recordings")["recordings"]}
    ct.ok(listed.get(one["profileId"].rsplit("-", 1)[1].lstrip("0")) == "b", f"{what}: and its number", (one, listed))
    alone = call("SelectMergeStacktraces", profileIdSelector=[one["profileId"]], **OF_SHOP)["flamegraph"]
    ct.ok(int(alone["total"]) == total_of(paths["b"]), f"{what}: its flame graph is of that recording alone", alone)
    pprof = call("SelectMergeProfile", profileIdSelector=[one["profileId"]], **OF_SHOP)
    ct.ok(sum(int(s["value"][-1]) for s in pprof["sample"]) == total_of(paths["b"]) and "demo.Work.hot" in pprof["stringTable"],
          f"{what}: so is its pprof", pprof)
    for other in ("x", "01234567-0123-0123-0123-0123456789ab"):
        none = call("SelectMergeStacktraces", profileIdSelector=[other], **OF_SHOP)["flamegraph"]
        ct.ok(int(none.get("total", 0)) == 0, f"{what}: of an id that is not one of ours, nothing", none)


def check_spans(call, paths, what):
    first, second = SPANS["a"]
    wanted = {(first,): total_of(paths["a"], "--label", f"span_id={first}"), (second,): 18 * 3 * MS, ("0" * 16,): 0,
              (first, second, SPANS["b"][1]): 24 * 5 * MS + 2 * 18 * 3 * MS, (ROOT,): 24 * 5 * MS, (second.upper(),): 18 * 3 * MS}
    ct.ok(wanted[(first,)] == 24 * 5 * MS, "candor report's sum of a span", wanted)
    for spans, total in wanted.items():
        graph = call("SelectMergeSpanProfile", spanSelector=list(spans), **OF_SHOP)["flamegraph"]
        ct.ok(int(graph.get("total", 0)) == total, f"{what}: spans {spans}", (graph, total))
    trace = call("SelectMergeStacktraces", traceIdSelector=[TRACE + "b"], **OF_SHOP)["flamegraph"]
    ct.ok(int(trace["total"]) == total_of(paths["b"], "--label", f"trace_id={TRACE}b"), f"{what}: a trace", trace)
    half = {**OF_SHOP, "end": (START + 60) * 1000}
    graph = call("SelectMergeSpanProfile", spanSelector=[first], **half)["flamegraph"]
    ct.ok(int(graph["total"]) == 6 * 5 * MS, f"{what}: within the time only", graph)
    both = call("SelectMergeStacktraces", traceIdSelector=[TRACE + "b"], spanSelector=[first], **OF_SHOP)
    ct.ok(both.get("code") == "invalid_argument", f"{what}: both selectors: invalid_argument", both)


def check_forms(call, paths, what):
    total = sum(map(total_of, paths.values()))
    dot = call("SelectMergeStacktraces", format="PROFILE_FORMAT_DOT", **OF_SHOP)["dot"]
    ct.ok(dot.startswith("digraph ") and f'label="{total} ns; 4 of 4 functions"' in dot and "demo.Work.hot" in dot and
          dot.count(" -> ") == 3, f"{what}: a graph of functions", dot)
    few = call("SelectMergeStacktraces", format="PROFILE_FORMAT_DOT", maxNodes=2, **OF_SHOP)["dot"]
    ct.ok("2 of 4 functions" in few and few.count(" -> ") == 1, f"{what}: the two that have most", few)
    pprof = call("SelectMergeStacktraces", format="PROFILE_FORMAT_PPROF", **OF_SHOP)["pprof"]["profile"]
    ct.ok(sum(int(s["value"][-1]) for s in pprof["sample"]) == total and pprof["stringTable"][0] == "", f"{what}: pprof", pprof)
    tree = call("SelectMergeStacktraces", format="PROFILE_FORMAT_TREE", **OF_SHOP)
    ct.ok(tree.get("code") == "unimplemented", f"{what}: Pyroscope's own tree: unimplemented", tree)


def check_legacy(server, paths):
    def get(path, **parameters):
        status, _, content = server.request("GET", f"/pyroscope/{path}", **parameters)
        return {"status": status, **json.loads(content)} if status != 200 else \
            content.decode() if parameters.get("format") == "dot" else json.loads(content)
    totals = {host: total_of(path) for host, path in paths.items()}
    times = {"from": FIRST, "until": (FIRST + 600) * 1000}
    query = CPU + '{service_name="shop"}'
    found = get("render", query=query, groupBy="host", **times)
    graph, line = found["flamebearer"], found["timeline"]
    ct.ok(graph["numTicks"] == sum(totals.values()) == sum(line["samples"]) and graph["levels"][0] == [0, graph["numTicks"], 0, 0] and
          graph["names"][0] == "total", "render: the sum, as a flame graph and over time", found)
    ct.ok({host: sum(one["samples"]) for host, one in found["groups"].items()} == totals and line["startTime"] == FIRST and
          line["durationDelta"] * len(line["samples"]) == 600, "render: by a label", found["groups"])
    ct.ok(found["metadata"] == {"format": "single", "spyName": "", "sampleRate": 10**9, "units": "samples", "name": "cpu"} and
          found["version"] == 1, "render: the units as older clients have them", found["metadata"])
    ct.ok(get("render", query=query, format="dot", **times).startswith("digraph "), "render: DOT")
    sides = {f"{side}{name}": value for side, host in (("left", "a"), ("right", "b"))
             for name, value in (("Query", CPU + f'{{host="{host}"}}'), ("From", FIRST), ("Until", FIRST + 600))}
    diff = get("render-diff", **sides)
    ct.ok((diff["leftTicks"], diff["rightTicks"]) == (totals["a"], totals["b"]) and diff["metadata"]["format"] == "double" and
          all(len(level) % 7 == 0 for level in diff["flamebearer"]["levels"]), "render-diff", diff)
    ct.ok(get("label-values", label="host", **times) == ["a", "b"] and get("label-values", label="__name__", **times) == [CPU] and
          {"host", "service_name"} <= set(get("label-names", **times)), "labels")
    for what, path, parameters in (("no query", "render", {}), ("no time", "render", {"query": query, "from": "yesterday"}),
                                   ("no type", "render", {"query": "cpu"}), ("a bad selector", "render", {"query": CPU + "{a"}),
                                   ("nodes", "render", {"query": query, "max-nodes": "x"}), ("no label", "label-values", {}),
                                   ("a format", "render", {"query": query, "format": "svg"}),
                                   ("two types", "render-diff", {**sides, "leftQuery": "wall:wall:nanoseconds:wall:nanoseconds{}"})):
        answer = get(path, **parameters)
        ct.ok(isinstance(answer, dict) and answer.get("status") == 400 and answer.get("code") == "invalid_argument", f"{what}: 400", answer)


def decoders():
    """The folder with Grafana's own decoders, fetched once from npm; None after a skip that says why they are missing."""
    if not (DECODERS / "node_modules" / "@pyroscope" / "models").exists() or not (DECODERS / "node_modules" / "zod").exists():
        if not shutil.which("npm"):
            ct.skip("Grafana's decoders", "npm is not installed")
            return None
        DECODERS.mkdir(parents=True, exist_ok=True)
        done = ct.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", DECODERS, *PACKAGES)
        if done.status:
            ct.skip("Grafana's decoders", f"npm cannot install them: {done.err.strip().splitlines()[-1:]}")
            return None
    return DECODERS


def check_decoders(server, paths):
    """Grafana's own TypeScript package takes and decodes the older addresses' answers, to the sums of candor report."""
    folder = decoders()
    if not folder:
        return
    selfs = {host: collections.Counter() for host in paths}
    for host, path in paths.items():
        for row in recordings.report_json(path, "--top", "0")["methods"]:
            selfs[host][row["name"]] += row["self"]
    sides = {f"{side}{name}": value for side, host in (("left", "a"), ("right", "b"))
             for name, value in (("Query", CPU + f'{{host="{host}"}}'), ("From", FIRST), ("Until", FIRST + 600))}
    one = {"query": CPU + '{service_name="shop"}', "from": FIRST, "until": FIRST + 600}
    for path, parameters, wanted in (("render", one, [selfs["a"] + selfs["b"]]), ("render-diff", sides, [selfs["a"], selfs["b"]])):
        content = server.request("GET", f"/pyroscope/{path}", **parameters)[2]
        done = subprocess.run(["node", HERE / "decode_flamebearer.js", folder], input=content, capture_output=True, timeout=ct.PATIENCE,
                              check=False)
        ct.ok(not done.returncode, f"{path}: Grafana's schema takes it", done.stderr.decode()[-1000:])
        if done.returncode:
            continue
        decoded = json.loads(done.stdout)["decoded"]
        found = [{name: value for name, value in side["selfs"].items() if value} for side in decoded]
        ct.ok(found == [+side for side in wanted] and [side["total"] for side in decoded] == [side.total() for side in wanted],
              f"{path}: decoded, each method has its sum", (found, wanted))


def check_drilldown(server, paths):
    """What Profiles Drilldown and the data source send, in their own spelling: JSON without Connect's header."""
    def ask(path, body, kind="json", **headers):
        status, kinds, content = server.request("POST", f"/{path}", body.encode(), {"Content-Type": f"application/{kind}", **headers})
        return status, json.loads(content) if "json" in kinds["Content-Type"] else content

    utf8 = {"Accept": "application/json; allow-utf8-labelnames=true"}
    querier, times = "querier.v1.QuerierService/", f'"start":{RANGE["start"]},"end":{RANGE["end"]}'
    status, start = ask(querier + "Series", '{' + times + ',"labelNames":["service_name","__profile_type__"],"matchers":[]}')
    ct.ok(status == 200 and [{p["name"]: p["value"] for p in one["labels"]} for one in start["labelsSet"]] ==
          [{"service_name": "shop", "__profile_type__": CPU}], "the start page", start)
    status, names = ask(querier + "LabelNames", '{' + times + ',"matchers":["{__profile_type__=\\"%s\\",}"]}' % CPU, **utf8)
    ct.ok(status == 200 and {"host", "service_name"} <= set(names["names"]), "labels of a type; a selector that ends with a comma", names)
    status, details = ask(querier + "SelectMergeProfile", '{%s,"profile_typeID":"%s","label_selector":"{service_name=\\"shop\\",}",'
                          '"maxNodes":500,"stackTraceSelector":{"call_site":[{"name":"java.lang.Thread.run"},{"name":"demo.Work.run"}]}}'
                          % (times, CPU))
    ct.ok(status == 200 and sum(int(one["value"][-1]) for one in details["sample"]) == sum(map(total_of, paths.values())) and
          {int(line["line"]) for one in details["location"] for line in one["line"]} == {840, 12, 23, 31} and
          all(one["id"] for one in details["function"]), "lines of a function, as JSON, in two spellings of names", details)
    status, stats = ask("querier.v1.QuerierService/GetProfileStats", "{}")
    ct.ok(status == 200 and stats["dataIngested"] is True, "whether there is data", stats)
    health = bytes((0x08, 0xe8, 0x07, 0x10, 0xa0, 0x1f))  # start 1000, end 4000
    status, kinds, content = server.request("POST", f"/{querier}ProfileTypes", health, {"Content-Type": "application/proto"})
    ct.ok((status, kinds["Content-Type"], content) == (200, "application/proto", b""), "the data source's check of its health", content)
    for service in ("settings.v1.RecordingRulesService/ListRecordingRules", "adhocprofiles.v1.AdHocProfileService/List",
                    "vcs.v1.VCSService/GetFile", "settings.v1.SettingsService/Set", querier + "Tomorrow"):
        status, answer = ask(service, "{}")
        ct.ok((status, answer["code"]) == (501, "unimplemented"), f"{service}: unimplemented", answer)


def check_links(server, paths):
    """From a tracing system to a profile, and back."""
    first = SPANS["a"][0]
    times = {"from": FIRST, "to": FIRST + 600}
    found = server.get("/v1/flamegraph", span_id=first, trace_id=TRACE + "a", select='service="shop"', **times)
    link = f"https://traces.example/{TRACE}a?low=11803532876627986234&span={first}"
    ct.ok(found["server"]["total"] == total_of(paths["a"], "--label", f"span_id={first}") and found["server"]["trace_link"] == link and
          found["server"]["span_id"] == first, "/v1/flamegraph of a span, with the address of its trace", found["server"])
    methods = server.get("/v1/methods", trace_id=TRACE + "b", **times)
    ct.ok({row["name"]: row["self"] for row in methods["report"]["methods"] if row["self"]} ==
          {"demo.Work.hot": 24 * 7 * MS, "demo.Work.cold": 18 * 3 * MS}, "/v1/methods of a trace", methods["server"])
    status, headers, page = server.request("GET", "/v1/flamegraph", format="html", span_id=first, **times)
    ct.ok(status == 200 and headers["Content-Type"].startswith("text/html") and f"span {first}".encode() in page, "its page")
    spans = {one["span_id"]: one["trace_link"] for one in server.get("/v1/spans", **times)["spans"]}
    ct.ok(spans.get(first) == link and len(spans) == 4, "/v1/spans: each span has the address of its trace", spans)
    shown = ct.candor("trace", server.url, TRACE + "a", "--from", str(FIRST), "--until", str(FIRST + 600))
    ct.ok(shown.status == 0 and f"Link      {link.rsplit('=', 1)[0]}=\n" in shown.out, "candor trace of a server has it", shown)
    shown = ct.candor("trace", server.url, TRACE + "a", "--trace-link", "https://other.example/{trace}")
    ct.ok(shown.status == 2 and "candor server" in shown.err, "its own option is for files", shown)
    ct.ok("trace_link" not in server.get("/v1/flamegraph", span_id=first, **times)["server"], "without a trace, no address")
    for what, parameters in (("an id", {"span_id": "x"}), ("a long one", {"span_id": "0" * 17}), ("of a trace", {"trace_id": "0" * 33})):
        answer = server.get("/v1/profile", **parameters)
        ct.ok(answer.get("status") == 400 and "hexadecimal" in answer["error"], f"{what}: 400", answer)
    shown = ct.candor("trace", "--trace-link", "https://traces.example/{trace64}/{span}", paths["a"], TRACE + "a")
    ct.ok(shown.status == 0 and f"Link      https://traces.example/{(TRACE + 'a')[16:]}/\n" in shown.out, "candor trace has it",
          shown.out[:300])
    spans = json.loads(ct.candor("trace", "--json", "--trace-link", "https://traces.example/{trace}/{span}", paths["a"], TRACE + "a").out)
    ct.ok([one["link"] for one in spans["spans"]] == [f"https://traces.example/{TRACE}a/{span}" for span in SPANS["a"]] and
          spans["link"] == f"https://traces.example/{TRACE}a/", "and in JSON each span has its own", spans["spans"])
    wrong = ct.candor("trace", "--trace-link", "ftp://x/{trace}", paths["a"], TRACE + "a")
    ct.ok(wrong.status == 2 and "https://" in wrong.err, "another address: usage", wrong)


def check_gone(paths):
    """Without the recordings as they were sent, spans cannot be found; the answer says so."""
    server = Server("grafana-gone", "--max-recordings", "1")
    for host, path in paths.items():
        server.send(path.read_bytes(), service="shop", host=host)
    found = ct.wait_until(lambda: not any(r["raw"] for r in server.get("/v1/recordings")["recordings"]))
    ct.ok(found, "the recordings are deleted, their samples stay", server.get("/v1/recordings"))
    body = json.dumps({"spanSelector": [SPANS["a"][0]], **OF_SHOP}).encode()
    status, headers, content = server.request("POST", "/querier.v1.QuerierService/SelectMergeSpanProfile", body,
                                              {"Content-Type": "application/json"})
    ct.ok(status == 200 and headers["X-Candor-Complete"] == "false" and "2 whose recording was deleted" in headers["X-Candor-Missing"],
          "spans of recordings that were deleted: counted as missing", (status, headers.items(), content))
    server.end()


def check_tenant():
    tokens = ct.WORK / "grafana-token-file"
    made = ct.candor("server", "--token-file", tokens, "--new-token", "grafana:read").out.strip()
    server = Server("grafana-tenant", "--token-file", tokens)
    tenant, other = {"X-Scope-OrgID": made}, {"X-Scope-OrgID": "anonymous"}
    for what, headers, wanted in (("a token as tenant", tenant, 200), ("a tenant that is no token", other, 401),
                                  ("both: the token counts", {**other, "Authorization": f"Bearer {made}"}, 200),
                                  ("both, without a good token", {**tenant, "Authorization": "Bearer x"}, 401)):
        status, _, content = server.request("POST", "/querier.v1.QuerierService/ProfileTypes", b"{}",
                                            {"Content-Type": "application/json", **headers})
        ct.ok(status == wanted, f"{what}: {wanted}", content)
    server.end()


def main():
    server = Server("grafana", "--trace-link", "https://traces.example/{trace}?low={trace10}&span={span}")
    paths = {"a": make("a", 5), "b": make("b", 7)}
    for host, path in paths.items():
        status, answer = server.send(path.read_bytes(), service="shop", host=host)
        ct.ok(status == 200, f"{host} is taken", answer)
    callers = [("JSON by hand", by_hand(server))]
    program = goclients.build("connect")
    if program:
        callers += [(f"Go's stubs, {encoding}", by_stubs(server, program, encoding)) for encoding in ("proto", "json")]
    for what, call in callers:
        check_heatmap(call, paths, what)
        check_exemplars(call, server, paths, what)
        check_spans(call, paths, what)
        check_forms(call, paths, what)
    check_legacy(server, paths)
    check_decoders(server, paths)
    check_drilldown(server, paths)
    check_links(server, paths)
    check_gone(paths)
    check_tenant()
    server.end()
    ct.done()


main()
