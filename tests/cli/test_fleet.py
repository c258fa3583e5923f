#!/usr/bin/env python3
"""candor fleet: a server's answers as tables, compared with the data that were sent.

tier: default
timeout: 120
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import HOT, MS
from servers import DAY, Server

TIMES = ("--from", DAY["from"], "--until", DAY["to"])


def make(name, samples):
    lines = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    lines += [("sample", 1, 10 * MS, "complete", f"{HOT};demo.Work.m{i % 5}:{i % 100}") for i in range(samples)]
    return recordings.make(name, lines).read_bytes()


def table(result):
    """The rows of a table, each as a dictionary by column title."""
    lines = [re.split("  +", line) for line in result.out.splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]] if lines else []


def services(server):
    shown = ct.candor("fleet", "services", server.url, *TIMES)
    rows = table(ct.candor("fleet", "services", server.url, *TIMES, "--select", 'service="shop"'))
    ct.ok(shown.status == 0 and not shown.err and [row["SERVICE"] for row in table(shown)] == ["cart", "shop", "Läden"],
          "services: the busiest first", shown)
    ct.ok([(row["SERVICE"], row["HOSTS"], row["VERSIONS"], row["RECORDINGS"]) for row in rows] == [("shop", "2", "1", "2")],
          "services: of a selector", rows)
    answer = json.loads(ct.candor("fleet", "services", server.url, *TIMES, "--json").out)
    weights = {one["name"]: one["types"]["cpu:ns"] for one in answer["services"]}
    ct.ok(weights == {"shop": 500 * MS, "cart": 900 * MS, "Läden": 10 * MS}, "services: JSON is the server's answer", weights)
    ct.ok("900 ms" in shown.out and "500 ms" in shown.out, "services: the same sums in the table", shown.out)
    nothing = ct.candor("fleet", "services", server.url, "--from", "-1m")
    ct.ok(nothing.status == 0 and "no recordings" in nothing.err and len(nothing.out.splitlines()) == 1, "services: none", nothing)


def usage(server):
    for words, *wanted in ((["sevrices", server.url], "'sevrices'", "'services'"), (["services"], "address"),
                           (["services", "x.jfr"], "'x.jfr'", "http://"),
                           (["services", server.url, "more"], "usage: candor fleet services"),
                           (["services", server.url, "--from", "noon"], "'noon'", "2026")):
        result = ct.candor("fleet", *words)
        ct.ok(result.status == 2 and len(result.err.splitlines()) == 1 and all(word in result.err for word in wanted) and not result.out,
              f"candor fleet {words}: one line that helps", result)
    gone = ct.candor("fleet", "services", "http://127.0.0.1:1")
    ct.ok(gone.status == 1 and "is 'candor server' running there?" in gone.err, "no server", gone)


def main():
    server = Server("fleet")
    for name, samples, labels in (("a", 30, {"service": "shop", "host": "a", "version": "1"}),
                                  ("b", 20, {"service": "shop", "host": "b", "version": "1"}), ("c", 90, {"service": "cart", "host": "a"}),
                                  ("d", 1, {"service": "Läden"})):
        status, answer = server.send(make(f"fleet-{name}.jfr", samples), **labels)
        ct.ok(status == 200, f"{name} is taken", answer)
    services(server)
    usage(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
