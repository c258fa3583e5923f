#!/usr/bin/env python3
"""candor load --agents: two generators follow one schedule, here and by ssh; each request is sent once, and no histogram loses one.

tier: default
timeout: 120
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import stores

SSH = """#!/bin/sh
# Instead of ssh: the last word is the command for the shell of the host.
for word; do :; done
echo "$@" >>"$SSH_CALLS"
case "$*" in
*'-- hangs '* | *'-- garbage '*)
    "$CANDOR" load --agent 0/1 --mock delay=1ms -r 1 </dev/null 2>/dev/null
    while read -r line; do
        case $line in
        clock) echo 1000000000 ;;
        *) case "$*" in *'-- hangs '*) exec sleep 120 ;; *) printf 'x\\nresult 0 1\\nend\\n'; exit ;; esac ;;
        esac
    done ;;
esac
exec sh -c "$word"
"""
RATE, SECONDS = 500, 3


def with_ssh():
    """An environment in which ssh runs the command here, and candor is on the path."""
    folder = ct.WORK / "bin"
    folder.mkdir()
    (folder / "ssh").write_text(SSH)
    (folder / "ssh").chmod(0o755)
    (folder / "candor").symlink_to(ct.PROGRAM)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SSH_CALLS": str(ct.WORK / "calls"), "CANDOR": str(ct.PROGRAM)}


def load(*arguments, **keywords):
    return ct.candor("load", "--json", "-q", "-d", f"{SECONDS}s", "--drain", "10s", *arguments, **keywords)


def whole(result, log, what):
    f = json.loads(result.out or "{}")
    if not ct.ok(result.status == 0 and f, f"{what}: a result", result):
        return {}
    rows = {row["tag"]: row["count"] for row in json.loads(ct.candor("hist", "--json", log).out)["tags"]}
    sent = sum(count for tag, count in rows.items() if tag.endswith("-rt"))
    ct.ok(f["outcomes"]["answered"] == f["response"]["count"] == sent == RATE * SECONDS, f"{what}: each request once, also in the log",
          (f["outcomes"], rows))
    starts = [float(line.split(",")[1]) for line in log.read_text().splitlines() if line.startswith("Tag=")]
    ct.ok(len(starts) > 2 * SECONDS and starts == sorted(starts), f"{what}: the log is in the order of time", starts)
    ct.ok(result.err.count(f" {RATE * SECONDS // 2} requests, clock ") == 2, f"{what}: half of them by each", result.err)
    return f


def records(server):
    return int(re.match(r":(\d+)", server.call("ZCARD", "_indices:usertable"))[1])


def on_a_store(environment):
    server = stores.redis()
    if not server:
        return
    workload = ("--workload", "a", "--properties", "recordcount=100,fieldlength=20")
    loaded = load("--agents", "one,two", "--phase", "load", *workload, server.url, env=environment)
    ct.ok(loaded.status == 0 and server.counts()["insert"] == records(server) == 100, "both fill the table, each record once",
          (loaded, server.counts()))
    log = ct.WORK / "store.hlog"
    result = load("--agents", "one,two", "-r", RATE, "-o", log, *workload, server.url, env=environment)
    f = whole(result, log, "Redis, by ssh")
    calls = (ct.WORK / "calls").read_text()
    ct.ok("BatchMode=yes -- one exec candor load" in calls and "-- two exec" in calls, "ssh is called for each host", calls)
    alone = json.loads(load("-r", RATE, *workload, server.url).out)
    ct.ok({r["name"]: r["response"]["count"] for r in f.get("requests", [])} == {r["name"]: r["response"]["count"] for r in
                                                                                alone["requests"]},
          "together they do what one generator does", (f.get("requests"), alone["requests"]))
    inserting = load("--agents", "local,local", "-r", RATE, "--workload", "d", *workload[2:], server.url)
    f = json.loads(inserting.out or "{}")
    inserted = sum(one["response"]["count"] for one in f.get("requests", []) if one["name"] == "insert")
    ct.ok(f["outcomes"]["answered"] == RATE * SECONDS and inserted > 0, "both insert, and read what they have inserted", inserting)
    ct.ok(records(server) == 100 + inserted, "no record is inserted twice", (inserted, records(server)))


def course(environment):
    """A line for each interval of both, while they run, and the page of both."""
    page = ct.WORK / "both.html"
    result = ct.candor("load", "--json", "-w", "1s", "-d", f"{SECONDS}s", "--drain", "10s", "--agents", "local,one", "-r", RATE,
                       "--report", page, "--mock", "delay=2ms", env=environment)
    rows = [(float(at), float(rate.replace(",", "")), end) for at, rate, end in
            re.findall(r"^ *([\d.]+) s +([\d,.]+)/s  p50 (.*)$", result.err, re.M)]
    # A tick that comes late covers two intervals.
    ct.ok(len(rows) > 1 and rows == sorted(rows) and sum("(warm-up)" in end for _, _, end in rows) <= 1, "lines in the order of time",
          result.err)
    # A moment is exact to 0.1 s.
    done = sum(rate * (at - before) for (at, rate, _), (before, _, _) in zip(rows, [(0, 0, "")] + rows))
    ct.ok(abs(done - RATE * (SECONDS + 1)) < 0.2 * RATE * SECONDS, "with the requests of both", (done, rows))
    ct.ok(page.read_text().count("<polyline") >= 2 if page.exists() else False, "a page with their course", result)


def searching(environment):
    """Each rate is tried by both together."""
    result = ct.candor("load", "--json", "-q", "-d", "500ms", "-c", "1", "-r", "10", "--agents", "local,one", "--mock", "delay=100ms",
                       "--find-rate", "p99<400ms", env=environment)
    found = json.loads(result.out or "{}")
    sent = [int(n) for n in re.findall(r"^agent \w+: (\d+) requests, clock ", result.err, re.M)]
    pairs = list(zip(sent[::2], sent[1::2], (trial["per_second"] / 2 for trial in found.get("trials", []))))
    ct.ok(result.status == 0 and len(sent) == 2 * len(found["trials"]) and all(abs(a + b - due) <= 1 and abs(a - b) <= 1
                                                                              for a, b, due in pairs), "each rate is tried by both", result)


def programs():
    written = ct.WORK / "it's"
    result = ct.candor("load", "--json", "-q", "-d", "500ms", "--drain", "60s", "-r", "20", "--agents", "local,local", "--command", "--",
                       "sh", "-c", 'echo x >>"$1"', "sh", written)
    ct.ok(result.status == 0 and json.loads(result.out)["outcomes"]["answered"] == 10 and written.read_text() == "x\n" * 10,
          "a program that both run", result)


def failures(environment):
    result = load("--agents", "local,gone", "--mock", "delay=1ms", "-r", "10", env={**environment, "PATH": "/usr/bin:/bin"})
    ct.ok(result.status == 1 and not result.out and "gone" in result.err, "an agent that does not answer: no result", result)
    result = load("--agents", "local,local", "-c", "2", "-r", "10", "http://127.0.0.1:1/")
    ct.ok(result.status == 1 and not result.out, "a server that does not answer", result)
    for arguments in (("--agents", "local", "--virtual-time"), ("--agent", "2/2"), ("--agent", "x"), ("--agents", ",")):
        ct.ok(load(*arguments, "--mock", "delay=1ms", "-r", "10").status == 2, f"refused: {arguments}")


def lost(environment):
    """An agent that does not do its part: no result, an end in time, and an earlier log stays as it was."""
    log = ct.WORK / "earlier.hlog"
    for host, words in (("garbage", "ended without its result"), ("hangs", "has not ended")):
        log.write_text("earlier")
        result = ct.candor("load", "--json", "-q", "-d", "1s", "-r", "10", "-o", log, "--mock", "delay=1ms", "--agents", f"local,{host}",
                           env=environment)
        ct.ok(result.status == 1 and not result.out and f"agent {host} {words}" in result.err, f"{host}: no result", result)
        ct.ok(log.read_text() == "earlier", f"{host}: the earlier log stays")


def interrupted(environment):
    """An interrupt ends the agents, and shows what they have until then."""
    began = time.monotonic()
    client = ct.spawn([ct.PROGRAM, "load", "--json", "-q", "-d", "60s", "-r", "100", "--agents", "local,one", "--mock", "delay=1ms"],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    time.sleep(3)
    client.send_signal(signal.SIGINT)
    out, err = client.communicate(timeout=ct.PATIENCE)
    f = json.loads(out or "{}")
    ct.ok(f and f["interrupted"] and f["outcomes"]["answered"] > 50 and time.monotonic() - began < 30,
          "an interrupt: a result of the time until then", (out, err))


ct.need(ct.PROGRAM)
there = with_ssh()
united = ct.WORK / "mock.hlog"
whole(load("--agents", "local,local", "-r", RATE, "-o", united, "--requests", "insert=1,read=3", "-H", "X: it's",
           "--mock", "delay=2ms"), united, "the mock")
on_a_store(there)
course(there)
searching(there)
programs()
failures(there)
lost(there)
interrupted(there)
ct.done()
