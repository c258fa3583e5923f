#!/usr/bin/env python3
"""candor fleet changes for CI and for people: --gate fails a version that grew, by what was planted; the commit that has the growth is the
first of its causes; and the same hours of yesterday and of a week ago are baselines.

tier: default
timeout: 240
"""
import http.server
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from servers import Server
from test_fleet_changes import NEW, OLD, make, select

BEGIN, HOSTS, DAY = 1_700_000_000, 5, 86400
WEEK = 7 * DAY
PERIODS = (("week", -WEEK, OLD), ("day", -DAY, OLD), ("now", 0, NEW))
PARTS = (("1", "c0", 0, OLD), ("1", "c0", 600, OLD), ("2", "c1", 1200, OLD), ("2", "c2", 1800, NEW))


def fill(server):
    refused = []
    for host in (f"h{i}" for i in range(HOSTS)):
        sent = [(make(f"{commit}-{later}-{host}", methods, later), {"service": "shop", "version": version, "commit": commit})
                for version, commit, later, methods in PARTS]
        sent += [(make(f"{name}-{host}", methods, later), {"service": "seasons"}) for name, later, methods in PERIODS]
        sent += [(make(f"calm-{version}-{host}", OLD), {"service": "calm", "version": version}) for version in "12"]
        refused += [path for path, labels in sent if server.send(path.read_bytes(), host=host, **labels)[0] != 200]
    for version in "12":
        path = make(f"one-{version}", OLD)
        refused += [path] if server.send(path.read_bytes(), service="one", host=f"o{version}", version=version)[0] != 200 else []
    ct.ok(not refused, "all recordings are taken", refused)


def fleet(server, service, *options):
    times = ("--from", str(BEGIN - 60), "--until", str(BEGIN + 3600))
    return ct.candor("fleet", "changes", *times, "--select", select(service), *options, server.url)


def gate(server):
    answer = json.loads(fleet(server, "shop", "--json").out)
    grown = [row for row in answer["changes"] if row["verdict"] in ("dearer", "new") and row["figure"] != "line"]
    worst = max(grown, key=lambda row: row["low"])
    bound = 100 * worst["low"]
    for options in ((), ("--json",), ("--all",)):
        failed = fleet(server, "shop", "--gate", f"{bound - 0.01:.4f}", *options)
        ct.ok(failed.status == 1 and f"most, by at least {bound:.2f}: {worst['method']}" in failed.err and "1 method grew" in failed.err,
              f"{options}: below the bound it fails", failed)
        passed = fleet(server, "shop", "--gate", f"{bound + 0.01:.4f}", *options)
        ct.ok(passed.status == 0 and not passed.err and passed.out == failed.out, f"{options}: above it passes, with the same answer",
              passed)
    ct.ok(fleet(server, "calm", "--gate", "0").status == 0, "without a change it passes, however small the gate is")
    none = fleet(server, "one", "--gate", "50")
    ct.ok(none.status == 1 and "nothing is compared: each side has one host" in none.err, "what cannot be compared does not pass", none)
    wrong = fleet(server, "shop", "--gate", "much")
    ct.ok(wrong.status == 2 and "--gate" in wrong.err, "not a number", wrong)
    other = ct.candor("fleet", "top", "--gate", "1", server.url)
    ct.ok(other.status == 2 and "--gate is not an option" in other.err, "another view", other)


class Stub(http.server.BaseHTTPRequestHandler):
    """Answers always the same."""
    answer = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *_):
        pass


def incomplete(server):
    """An answer that lacks samples, such as those of a damaged part, might lack the growth."""
    whole = json.loads(fleet(server, "calm", "--json").out)
    stub = http.server.HTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{stub.server_port}"
    for complete, status in ((True, 0), (False, 1)):
        Stub.answer = json.dumps({**whole, "complete": complete}).encode()
        got = ct.candor("fleet", "changes", "--gate", "50", url)
        ct.ok(got.status == status and ("not everything could be compared" in got.err) == (not complete), f"complete: {complete}", got)
    ct.ok(ct.candor("fleet", "changes", url).status == 0, "without --gate it is shown as it is")
    stub.shutdown()


def as_diff(server):
    """candor diff of the same two sides finds the same method, and its gate has the same words."""
    sides = [[ct.WORK / f"changes-{part}-h{i}.jfr" for i in range(HOSTS)] for part in ("c0-600", "c2-1800")]
    failed = ct.candor("diff", "--gate", "1", *(path for pair in zip(*sides) for path in pair))
    ct.ok(failed.status == 1 and "grew by more than 1 points; most, by at least" in failed.err and "demo.Slow.hot" in failed.err,
          "candor diff --gate", failed.err)


def commits(server):
    answer = json.loads(fleet(server, "shop", "--split", "commit", "--json").out)
    hot = next(row for row in answer["changes"] if (row["method"], row["figure"]) == ("demo.Slow.hot", "self"))
    values = {one["value"]: one for one in hot["values"]}
    ct.ok([one["value"] for one in hot["values"]][0] == "c2" and set(values) == {"c0", "c1", "c2"}, "the commit that grew comes first", hot)
    ct.ok(values["c2"]["change"] > 0.03 and abs(values["c1"]["change"]) < 0.02 and values["c0"]["change"] == 0, "how much each has", values)
    parts = sum(one["change"] for one in hot["values"])
    ct.ok(abs(parts - (hot["after"] - hot["before"])) < 1e-4, "together they are the difference of the shares", hot)
    reports = [recordings.report_json(ct.WORK / f"changes-c2-1800-h{i}.jfr", "--top", "1000") for i in range(HOSTS)]
    own = sum(next(row["self"] for row in one["methods"] if row["name"] == "demo.Slow.hot") for one in reports)
    ct.ok(abs(values["c2"]["after"] - own / sum(one["sampled"] for one in reports)) < 1e-5, "its share is that of its reports", values)
    text = fleet(server, "shop", "--split", "commit")
    causes = [line.split() for line in text.out.splitlines() if line.startswith("demo.Slow.hot")]
    ct.ok(text.status == 0 and [row[3:] for row in causes][:2] == [["the", "caller", "demo.Work.run"], ["commit", "c2"]],
          "the table lists the callers, and the commits", text.out)
    plain = fleet(server, "shop")
    ct.ok("the caller demo.Work.run" in plain.out and "commit" not in plain.out, "without --split only the callers", plain.out)


def seasons(server):
    for word, earlier in (("yesterday", DAY), ("last-week", WEEK)):
        answer = json.loads(fleet(server, "seasons", "--before", word, "--json").out)
        verdicts = {row["method"]: row["verdict"] for row in answer["changes"] if row["figure"] == "self"}
        sides = [answer[side] for side in ("before", "after")]
        ct.ok(answer["design"] == "paired" and sides[1]["from"] - sides[0]["from"] == earlier and
              verdicts.get("demo.Slow.hot") == "dearer" and verdicts.get("demo.Name.fresh") in ("new", "moved"),
              f"{word}: what grew since", (verdicts, answer["before"], answer["after"]))


def main():
    server = Server("gate")
    fill(server)
    gate(server)
    incomplete(server)
    as_diff(server)
    commits(server)
    seasons(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
