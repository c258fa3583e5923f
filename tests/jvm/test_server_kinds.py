#!/usr/bin/env python3
"""Everything that a recording measures is on the server, by its type: each sum equals that of `candor report`, to the unit, and a
server's report for a kind shows the type for that kind.

tier: default
timeout: 120
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

HOUR = {"from": "-1h", "to": "now"}
TYPES = {"cpu": "cpu:ns", "wall": "wall:ns", "alloc": "alloc_space:bytes", "lock": "lock:ns", "holder": "holder:ns"}


def record(jdk):
    path = ct.WORK / "all.jfr"
    with ct.Jvm(jdk, "Problems", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        jvm.start(path, event="cpu,wall,lock" + (",alloc" if jdk.version > 8 else ""), interval="2ms")
        jvm.round("convoy", fixed=0, threads=4, calls=300)
        jvm.stop()
    return path


def weight_of(source, kind):
    """The result of `candor report --kind` for a file or a server; None if it finds nothing."""
    result = ct.candor("report", "--json", "--kind", kind, source)
    return sum(row["self"] for row in json.loads(result.out)["methods"]) if result.status == 0 else None


def main():
    jdk = ct.some(ct.jdks(), 21)[0]
    path = record(jdk)
    server = Server("kinds")
    status, answer = server.send(path.read_bytes(), service="shop")
    ct.ok(status == 200, f"{jdk}: a recording of several events is taken", answer)
    of_file = {kind: weight_of(path, kind) for kind in TYPES}
    types = server.get("/v1/services", **HOUR)["services"][0]["types"]
    ct.ok(all(of_file[kind] for kind in ("cpu", "wall", "lock", "holder")), f"{jdk}: the recording has them", of_file)
    ct.ok(types == {TYPES[kind]: weight for kind, weight in of_file.items() if weight}, f"{jdk}: each type has its sum",
          (types, of_file))
    for kind, weight in of_file.items():
        ct.ok(server.total(type=TYPES[kind], **HOUR) == (weight or 0), f"{jdk}, {kind}: and so has the flame graph")
        of_server = weight_of(server.url, kind)
        ct.ok(of_server == (weight or of_server), f"{jdk}, {kind}: candor report of the server says the same", (of_server, weight))
    contents = server.get("/v1/recordings", type="lock:ns", **HOUR)["recordings"][0]["contents"]
    ct.ok(contents[0]["type"] == "cpu:ns" and {one["type"]: one["weight"] for one in contents} == types, "the list of recordings", contents)
    ct.ok(not server.get("/v1/recordings", type="inuse_space:bytes", **HOUR)["recordings"], "what none measures is of none")
    refused = ct.candor("report", "--kind", "live", server.url)
    has = "a server has cpu, wall, alloc, lock, holder, nativemem"
    ct.ok(refused.status == 2 and has in refused.err, "live needs a recording", refused)
    server.end()
    ct.done()


main()
