#!/usr/bin/env python3
"""Real servers stand still for a second under 1,000 requests per second: the longest response time and p99 are what arithmetic says. A
closed loop beside them shows the second in its maximum alone.

A request that is due t seconds after a server has stopped for P seconds is answered after P - t. In N seconds there are 1000 N requests,
and one in a hundred of them is due in the first N / 100 seconds of the pause: p99 is P - N / 100.

tier: default
timeout: 600
alone: yes
sanitize: no
"""
import json
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import stores

RATE, SECONDS, PAUSE, ROUNDS = 1000, 3, 1.0, 6
RECORDS = "recordcount=100,fieldlength=20,operationcount=0"


def paused(pids, *arguments):
    """A run in which the processes stand still for a second: its figures, and the bounds of the pause in s."""
    pause = []
    client = ct.spawn([ct.PROGRAM, "load", "--json", "-d", f"{SECONDS}s", "-c", "4", "--log-interval", "100ms", *arguments],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(5):
        client.stderr.readline()
    thread = threading.Thread(target=lambda: pause.append(stores.stopped(pids(), PAUSE)))
    thread.start()
    out, _ = client.communicate(timeout=ct.PATIENCE)
    thread.join()
    return json.loads(out), pause[0]


def arithmetic(name, pids, *arguments):
    """The figures are never below what arithmetic says. They are above it if the machine does something else when the server continues:
    one of several rounds must agree within 1 %."""
    errors = []
    for _ in range(ROUNDS):
        figures, (least, most) = paused(pids, "-r", str(RATE), "--drain", "10s", "--in-flight", "10", *arguments)
        longest, p99 = figures["response"]["max_ns"] / 1e9, figures["response"]["p99_ns"] / 1e9
        behind = SECONDS / 100
        if longest < least - 2 / RATE - 0.001 or p99 < (least - behind) * 0.99 or figures["outcomes"]["answered"] != RATE * SECONDS:
            ct.ok(False, f"{name}: no response time is missing", (least, most, longest, p99, figures["outcomes"]))
            return
        errors.append((round(longest / most - 1, 4), round(p99 / (most - behind) - 1, 4)))
        if max(map(abs, errors[-1])) < 0.01:
            break
    ct.ok(max(map(abs, errors[-1])) < 0.01, f"{name}: the longest response and p99 are P and P - {SECONDS / 100}, within 1 %", errors)


def closed(name, pids, *arguments):
    figures, (least, _) = paused(pids, "--mode", "throughput", *arguments)
    ct.ok(figures["service"]["p99_ns"] < 0.5e9 and figures["service"]["max_ns"] > (least - 0.01) * 1e9,
          f"{name}: a closed loop has the second in its maximum, but not in its p99", figures["service"])


def fill(store):
    ct.ok(ct.candor("load", "-q", "--workload", "b", "--phase", "load", "--properties", RECORDS, store.url).status == 0, "a table")


ct.need(ct.PROGRAM)
WORKLOAD = ("--workload", "b", "--properties", RECORDS)
if server := stores.redis():
    fill(server)
    arithmetic("redis", lambda: [server.pid], *WORKLOAD, server.url)
    closed("redis", lambda: [server.pid], *WORKLOAD, server.url)
if server := stores.memcached():
    fill(server)
    arithmetic("memcached", lambda: [server.pid], *WORKLOAD, server.url)
if server := stores.postgres():
    fill(server)
    arithmetic("postgresql", server.backends, *WORKLOAD, server.url)
server = stores.Cql()
fill(server)
arithmetic("cql", lambda: [server.pid], *WORKLOAD, server.url)
if server := stores.nginx():
    arithmetic("nginx", lambda: [server.pid], server.url)
if server := stores.grpc():
    arithmetic("gRPC", lambda: [server.pid], server.url)
ct.done()
