#!/usr/bin/env python3
"""The cost of a request to each endpoint: the requests are counted by the spans of a tracer, and are as many as were made. The cost and its
interval are those that the hosts' own figures give. A host without the tracer counts for the weight of an endpoint, and not for its cost.

tier: default
timeout: 240
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import MS, RUN
from servers import DAY, Server

SECONDS, HOSTS = 120, 8
CART, PAY, IDLE = "GET /cart", "POST /pay", "GET /idle"
LONG, CUT = "GET /" + 100 * "\u00e9", "GET /" + 97 * "\u00e9"  # the program cuts names at 200 bytes, and no character in two
# ms of CPU time for a request
COST = {("1", CART): 10, ("1", PAY): 30, ("2", CART): 10, ("2", PAY): 45, ("1", LONG): 20, ("2", LONG): 20}
NORMAL, STUDENT = 1.959964, 2.364624  # 97.5 %: of the normal distribution, and of Student's with HOSTS - 1 degrees of freedom
chance = random.Random(39)
sent = {}  # (version, host, endpoint) -> requests
used = {}  # the same -> ns of CPU time


def named(endpoint):
    return CUT if endpoint == LONG else endpoint


def recording(name, version, host, later, counted):
    """A recording with the CPU time of each endpoint, twice as much of the wall clock, and the requests; other CPU time has no endpoint."""
    lines = [("setting", "event", "cpu"), ("setting", "jfr", "on"), ("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    own, all_samples, spans, span = chance.uniform(0.8, 1.2), 0, [], 2
    for place, endpoint in enumerate((CART, PAY, LONG, IDLE, None)):
        requests = chance.randint(100, 300) // int(version) if endpoint else 0
        cost = COST.get((version, endpoint), 0) * own * chance.uniform(0.99, 1.01)
        samples = round(requests * cost / 10) if endpoint else 50
        sent[version, host, endpoint], used[version, host, endpoint] = requests, samples * 10 * MS
        lines += [("at", place * 20000), ("context", named(endpoint)) if endpoint else ("context",)]
        for _ in range(samples):
            lines += [("sample", 1, 10 * MS, "complete", f"{RUN};demo.Work.pay:11"),
                      ("wall", 1, 20 * MS, "complete", "STATE_PARKED", "method", RUN)]
        for i in range(requests):
            spans += [(span, span, i * SECONDS * 1000 // requests, endpoint), (span + 1, span, i * SECONDS * 1000 // requests, "query")]
            span += 2
        all_samples += samples
    lines += [("at", SECONDS * 1000), ("book", "cpu", "", all_samples * 10 * MS, 0),
              ("book", "complete", "", all_samples * 10 * MS, all_samples)]
    content, begun = recordings.later(recordings.make(f"{name}.jfr", lines), later)
    return content + (recordings.spans(f"{name}.spans", spans, begun, SECONDS) if counted else b"")


def fill(server):
    refused = []
    for host in [*range(HOSTS), "bare"]:
        for version, later in (("1", 0), ("2", 600)):
            body = recording(f"v{version}-{host}", version, f"h{host}", later, host != "bare")
            status, answer = server.send(body, service="shop", host=f"h{host}", version=version)
            refused += [answer] if status != 200 else []
    ct.ok(not refused, "all recordings are taken", refused)


def total(of, version, endpoint, counted=True):
    return sum(n for (v, host, e), n in of.items() if v == version and e == endpoint and (host != "hbare" or not counted))


def groups_of(server, **parameters):
    answer = server.get("/v1/endpoints", **parameters)
    return {group["labels"]["endpoint"]: {one["type"]: one for one in group["types"]} for group in answer["groups"]}


def interval(parts, draws):
    """The limits of a ratio, as parts of it, by the hosts' deviations from it, and by the draw of the samples."""
    squares = sum(part ** 2 for part in parts) * HOSTS / (HOSTS - 1)
    reach = max(NORMAL * math.sqrt(draws), STUDENT * math.sqrt(squares))
    return math.exp(-reach), math.exp(reach)


def parts_of(of, version, endpoint):
    hosts = [of[version, f"h{host}", endpoint] for host in range(HOSTS)]
    return [one / sum(hosts) for one in hosts]


def deviations(version, endpoint):
    return [a - b for a, b in zip(parts_of(used, version, endpoint), parts_of(sent, version, endpoint))]


def holds(estimate, value, parts, draws):
    low, high = interval(parts, draws)
    return all(abs(estimate[key] / one - 1) < 1e-4 for key, one in (("value", value), ("low", value * low), ("high", value * high)))


def costs(server, version):
    groups = groups_of(server, select=f'service="shop",version="{version}"')
    for endpoint in (CART, PAY, LONG):
        of, requests = groups[named(endpoint)], total(sent, version, endpoint)
        cpu, wall, counted = (of[type_] for type_ in ("cpu:ns", "wall:ns", "requests:count"))
        ct.ok(counted["weight"] == counted["samples"] == requests and "per_request" not in counted and
              counted["weight_low"] == counted["weight_share"] == counted["weight_high"],
              f"{version}, {endpoint[:9]}: all requests, exactly", (counted, requests))
        exact = total(used, version, endpoint) / requests
        ct.ok(cpu["weight"] == total(used, version, endpoint, False) and abs(cpu["per_request"]["value"] / exact - 1) < 1e-5 and
              cpu["per_request"]["hosts"] == HOSTS, f"{version}, {endpoint[:9]}: of the hosts that count requests", (cpu, exact))
        draws = 10 * MS / total(used, version, endpoint)
        ct.ok(holds(cpu["per_request"], exact, deviations(version, endpoint), draws) and
              abs(exact / COST[version, endpoint] / MS - 1) < 0.25, f"{version}, {endpoint[:9]}: the planted cost, with its interval", cpu)
        ct.ok(all(abs(wall["per_request"][key] / cpu["per_request"][key] - 2) < 1e-4 for key in ("value", "low", "high")),
              f"{version}, {endpoint[:9]}: and of the wall clock", wall)
    ct.ok(set(groups[IDLE]) == {"requests:count"} and groups[IDLE]["requests:count"]["weight"] == total(sent, version, IDLE),
          f"{version}: requests without any sample", groups[IDLE])
    rest = groups[""]
    ct.ok("per_request" not in rest["cpu:ns"] and "requests:count" not in rest, f"{version}: work without an endpoint", rest)
    only = groups_of(server, select=f'service="shop",version="{version}"', type="cpu:ns")
    ct.ok({name: of["cpu:ns"] for name, of in only.items()} == {name: of["cpu:ns"] for name, of in groups.items() if "cpu:ns" in of},
          f"{version}: the same if only one type is asked for", only)


def split(server):
    """By host, each host's cost is that of sampling alone, and a host without the tracer has none."""
    answer = server.get("/v1/endpoints", select='service="shop",version="1",endpoint="POST /pay"', by="host")
    rows = {group["labels"]["host"]: {one["type"]: one for one in group["types"]} for group in answer["groups"]}
    wrong = [host for host, of in rows.items() if host != "hbare" and
             abs(of["cpu:ns"]["per_request"]["value"] * sent["1", host, PAY] / used["1", host, PAY] - 1) > 1e-5]
    ct.ok(not wrong and len(rows) == HOSTS + 1 and "per_request" not in rows["hbare"]["cpu:ns"], "each host", rows)


def counted(server):
    """The requests by endpoint add up to the key metric, and are a type of their own for series and alerts."""
    by_time = server.get("/v1/series", select='service="shop",version="1"', type="requests:count", by="endpoint", step=86400)["series"]
    wanted = {named(endpoint): total(sent, "1", endpoint) for endpoint in (CART, PAY, LONG, IDLE)}
    ct.ok({one["value"]: one["points"][0][1] for one in by_time} == wanted, "a series of each endpoint", (by_time, wanted))
    metric = server.get("/v1/metrics", metric="requests", step="all", select='service="shop",version="1"')["metrics"][0]["series"]
    rate = metric[0]["points"][0][1]
    ct.ok(abs(rate * SECONDS / sum(wanted.values()) - 1) < 0.01, "the key metric", (rate, wanted))


def changed(server):
    for endpoint, ratio in ((PAY, 1.5), (CART, 1)):
        answer = server.get("/v1/changes", select=f'service="shop",endpoint="{endpoint}"', all=1)
        of = answer["requests"]
        ct.ok(of["source"] == "spans" and of["before"]["hosts"] == of["after"]["hosts"] == HOSTS, f"{endpoint}: who counts", of)
        exact = [total(used, version, endpoint) / total(sent, version, endpoint) / 1e9 for version in "12"]
        draws = sum(10 * MS / total(used, version, endpoint) for version in "12")
        paired = [after - before for before, after in zip(deviations("1", endpoint), deviations("2", endpoint))]
        ct.ok(all(abs(of[side]["value"] / one - 1) < 1e-5 for side, one in zip(("before", "after"), exact)) and
              holds(of["ratio"], exact[1] / exact[0], paired, draws) and abs(exact[1] / exact[0] / ratio - 1) < 0.2,
              f"{endpoint}: before, after and the planted change", (of, exact))


def other_labels(server):
    """Requests have no label of samples but the endpoint, so they are not those of the samples with another label, or without it."""
    for more in ({"by": "sample.tier"}, {"select": 'service="shop",sample.tier=""'}):
        groups = server.get("/v1/endpoints", **more)["groups"]
        ct.ok(len(groups) > 3 and not any("per_request" in one for group in groups for one in group["types"]), f"no cost with {more}",
              groups)
    of = server.get("/v1/changes", select=f'service="shop",endpoint="{PAY}",sample.tier=""', all=1)["requests"]
    ct.ok(of["source"] is None, "and none in changes", of)


def shown(server):
    times = ("--from", DAY["from"], "--until", DAY["to"])
    text = ct.candor("fleet", "endpoints", *times, "--select", 'service="shop",version="1"', server.url)
    ct.note(text.out)
    rows = [row for row in text.out.splitlines() if "POST /pay" in row]
    ct.ok("A REQUEST" in text.out.splitlines()[0] and [row.count("[") for row in rows] == [2, 1, 2], "the command shows it", text)
    bare = ct.candor("fleet", "endpoints", *times, "--select", 'host="hbare"', server.url)
    ct.ok(bare.status == 0 and "A REQUEST" not in bare.out, "and no column if nothing is counted", bare)


def main():
    server = Server("cost")
    fill(server)
    for version in "12":
        costs(server, version)
    split(server)
    counted(server)
    changed(server)
    other_labels(server)
    shown(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
