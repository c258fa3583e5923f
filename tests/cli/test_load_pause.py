#!/usr/bin/env python3
"""Real servers stand still for a second under 1,000 requests per second: the longest response time and p99 are what arithmetic says
(tests/lib/standstill.py). A closed loop beside them shows the second in its maximum alone.

tier: default
timeout: 600
alone: yes
sanitize: no
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import standstill
import stores

RECORDS = "recordcount=100,fieldlength=20,operationcount=0"


def closed(name, pids, *arguments):
    figures, (least, _) = standstill.paused(pids, "--mode", "throughput", *arguments)
    ct.ok(figures["service"]["p99_ns"] < 0.5e9 and figures["service"]["max_ns"] > (least - 0.01) * 1e9,
          f"{name}: a closed loop has the second in its maximum, but not in its p99", figures["service"])


def fill(store):
    ct.ok(ct.candor("load", "-q", "--workload", "b", "--phase", "load", "--properties", RECORDS, store.url).status == 0, "a table")


ct.need(ct.PROGRAM)
WORKLOAD = ("--workload", "b", "--properties", RECORDS)
if server := stores.redis():
    fill(server)
    standstill.arithmetic("redis", lambda: [server.pid], *WORKLOAD, server.url)
    closed("redis", lambda: [server.pid], *WORKLOAD, server.url)
if server := stores.memcached():
    fill(server)
    standstill.arithmetic("memcached", lambda: [server.pid], *WORKLOAD, server.url)
if server := stores.postgres():
    fill(server)
    standstill.arithmetic("postgresql", server.backends, *WORKLOAD, server.url)
server = stores.Cql()
fill(server)
standstill.arithmetic("cql", lambda: [server.pid], *WORKLOAD, server.url)
if server := stores.nginx():
    standstill.arithmetic("nginx", lambda: [server.pid], server.url)
if server := stores.grpc():
    standstill.arithmetic("gRPC", lambda: [server.pid], server.url)
ct.done()
