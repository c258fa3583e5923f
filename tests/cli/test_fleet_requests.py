#!/usr/bin/env python3
"""The cost of a request: counted by the spans of a tracer, by minute, and compared from version to version, each host with itself. The
costs that were planted are within their intervals, although the load has halved and hosts differ.

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
COST = {"1": 10, "2": 12}  # ms of CPU time for each request
chance = random.Random(39)
sent = {}  # (version, host) -> requests


def spans(name, requests, start_ns):
    """A chunk with so many requests. Each has a span within it, which is no request."""
    lines = [(i, i // 2 * 2, i // 2 * SECONDS * 1000 // requests, "GET /cart") for i in range(2 * requests)]
    return recordings.spans(name, lines, start_ns, SECONDS)


def recording(name, requests, cost, later, counted=True):
    """A recording with its books. A host's cost differs by some percent from that of the others."""
    samples = round(requests * cost / 10)
    lines = [("setting", "event", "cpu"), ("setting", "jfr", "on"), ("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    for i in range(samples):
        lines += [("at", i * SECONDS * 1000 // samples), ("sample", 1, 10 * MS, "complete", f"{RUN};demo.Work.pay:11")]
    lines += [("at", SECONDS * 1000), ("book", "cpu", "", samples * 10 * MS, 0), ("book", "complete", "", samples * 10 * MS, samples)]
    content, begun = recordings.later(recordings.make(f"{name}.jfr", lines), later)
    return content + (spans(f"{name}.spans", requests, begun) if counted else b"")


def fill(server):
    refused = []
    for host in range(HOSTS):
        load, own = chance.randint(800, 2400), chance.uniform(0.8, 1.25)
        for version, later in (("1", 0), ("2", 600)):
            requests = load // int(version)
            sent[version, f"h{host}"] = requests
            body = recording(f"v{version}-{host}", requests, COST[version] * own * chance.uniform(0.99, 1.01), later)
            answers = [server.send(body, service="shop", host=f"h{host}", version=version)]
            answers.append(server.send(recording("bare", 300, 10, later, False), service="bare", host=f"h{host}", version=version))
            refused += [answer for status, answer in answers if status != 200]
    ct.ok(not refused, "all recordings are taken", refused)


def metric(server):
    answer = server.get("/v1/metrics", metric="requests", step="all", by="host", select='service="shop",version="1"')
    rates = {one["value"]: one["points"][0][1] for one in answer["metrics"][0]["series"]}
    wanted = {host: n / SECONDS for (version, host), n in sent.items() if version == "1"}
    close = all(abs(rates.get(host, 0) / rate - 1) < 0.01 for host, rate in wanted.items())
    ct.ok(close and len(rates) == HOSTS, "the rate of each host; spans within requests are none", (rates, wanted))
    bare = server.get("/v1/metrics", metric="requests", step="all", select='service="bare"')["metrics"][0]["series"]
    ct.ok(bare == [], "a recording without a tracer has no such metric", bare)


def holds(estimate, value):
    return 0 < estimate["low"] < value < estimate["high"] < 1.5 * estimate["low"]


def width(estimate):
    return math.log(estimate["high"] / estimate["low"])


def costs(server):
    answer = server.get("/v1/changes", select='service="shop"', all=1)
    requests, sides = answer["requests"], [answer["before"], answer["after"]]
    ct.ok(requests["source"] == "spans" and requests["before"]["hosts"] == requests["after"]["hosts"] == HOSTS, "who counts", requests)
    total = [sum(n for (version, _), n in sent.items() if version == one) for one in "12"]
    exact = [side["weight"] / 1e9 / n for side, n in zip(sides, total)]
    ct.ok(all(abs(requests[side]["value"] / one - 1) < 0.01 for side, one in zip(("before", "after"), exact)),
          "CPU time divided by requests", (requests, exact))
    ct.ok(all(abs(side["per_request"] / requests[name]["value"] - 1) < 1e-5 for name, side in zip(("before", "after"), sides)),
          "each side has it", sides)
    ct.ok(holds(requests["ratio"], 1.2) and width(requests["ratio"]) < 0.6 * width(requests["before"]),
          "the planted change, more precise than the hosts differ", requests)
    row = next(one for one in answer["changes"] if one["method"] == "demo.Work.pay" and one["figure"] == "self")
    ct.ok(abs(row["after_per_request"] - requests["after"]["value"]) < 1e-6, "each method has its part of it", row)


def elsewhere(server):
    told = server.get("/v1/changes", select='service="shop"', requests="20,10")
    ct.ok(told["requests"] == {"source": "client"} and abs(told["after"]["per_request"] * 10 - told["after"]["per_second"]) < 1e-6,
          "what the client says comes first", told["after"])
    for name, select in (("without spans", 'service="bare"'), ("of one endpoint", 'service="shop",endpoint="GET /cart"')):
        none = server.get("/v1/changes", select=select, all=1)
        ct.ok(none["requests"] == {"source": None} and "per_request" not in none["after"],
              f"{name}: the cost is not known", none["requests"])


def shown(server):
    text = ct.candor("fleet", "changes", "--from", DAY["from"], "--until", DAY["to"], "--select", 'service="shop"', "--all", server.url)
    ct.note(text.out)
    ct.ok(text.status == 0 and "A request  0.0" in text.out and f"the spans of {HOSTS} and {HOSTS} hosts" in text.out and
          "AFTER/REQUEST" in text.out, "the command shows it", text)


def main():
    server = Server("requests")
    fill(server)
    metric(server)
    costs(server)
    elsewhere(server)
    shown(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
