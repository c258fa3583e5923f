#!/usr/bin/env python3
"""candor load with a real Cassandra: the node counts as many operations, with a login and with TLS; it stands still for a second, and the
response times are what arithmetic says. Its double (tests/lib/cqlserver.py) is stricter and quicker; this test shows that it is no fiction.

tier: full
timeout: 600
sanitize: no
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import cassandra
import standstill

RECORDS, OPERATIONS = 300, 1500
SIZES = f"recordcount={RECORDS},operationcount={OPERATIONS},fieldlength=20"


def load(url, *arguments, operations=OPERATIONS, what):
    """The counts by operation of a run in which each operation is answered."""
    result = ct.candor("load", "--json", "-q", "--properties", SIZES, *arguments, url)
    figures = json.loads(result.out or "{}")
    ct.ok(result.status == 0 and figures["outcomes"]["answered"] == operations, f"Cassandra, {what}: each operation is answered", result)
    return {one["name"]: one["service"]["count"] for one in figures.get("requests", [])}


def counted(node):
    load(node.url, "--workload", "a", "--phase", "load", operations=RECORDS, what="the load phase")
    first = load(node.url, "--workload", "a", what="workload a")
    second = load(node.url.replace("cql:", "cqls:"), "--workload", "b", "--in-flight", "16", "-c", "2", "--insecure", what="b by TLS")
    wanted = {"read": first["read"] + second["read"], "write": RECORDS + first["update"] + second["update"]}
    ct.ok(node.counts() == wanted, "Cassandra counts the same", (node.counts(), wanted))


def refused(node):
    for url, word in ((node.url.replace(":cassandra@", ":wrong-pw@"), "login"), (node.url.replace("cql:", "cqls:"), "certificate")):
        result = ct.candor("load", "-q", "--workload", "a", url)
        ct.ok(result.status == 1 and result.err.count("\n") == 1 and word in result.err and "wrong-pw" not in result.err,
              f"Cassandra, a wrong {word} is refused at once", result)


ct.need(ct.PROGRAM)
if node := cassandra.cassandra():
    counted(node)
    for workload in "ef":
        load(node.url, "--workload", workload, "--in-flight", "4", "-c", "3", what=f"workload {workload}")
    refused(node)
    standstill.arithmetic("Cassandra", lambda: [node.pid], "--workload", "b", "--properties", "recordcount=300,fieldlength=20", node.url,
                          own_pauses=node.collected)
ct.done()
