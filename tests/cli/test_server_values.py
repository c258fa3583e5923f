#!/usr/bin/env python3
"""Every value of a pprof profile is on the server, by its own type, with its own sum; the rate of an upload converts only counts of CPU
samples to times.

tier: default
timeout: 120
"""
import gzip
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from pb import message
from servers import Server

HEAP = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))
ROWS = ((1, (7, 7000, 3, 3000)), (2, (5, 500, 0, 0)))  # a location with the values of its sample
NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW}


def profile(types, rows, default=None):
    """pprof: the functions f1, f2 at locations 1, 2."""
    strings = ["", "f1", "f2"]

    def text(word):
        if word not in strings:
            strings.append(word)
        return strings.index(word)

    out = message(*((1, message((1, text(name)), (2, text(unit)))) for name, unit in types))
    out += message(*((2, message((1, place), *((2, value) for value in values))) for place, values in rows))
    out += message(*((4, message((1, i), (4, message((1, i))))) for i in (1, 2)), *((5, message((1, i), (2, i))) for i in (1, 2)))
    if default:
        out += message((14, text(default)))
    return gzip.compress(out + message(*((6, word.encode()) for word in strings)))


def push(server, name, body, **parameters):
    status, _, content = server.request("POST", "/ingest", body, name=name, format="pprof",
                                        **{"from": NOW - 60, "until": NOW - 50, **parameters})
    return ct.ok(status == 200, f"{name} is taken", content)


def types_of(server, service):
    found = {one["name"]: one["types"] for one in server.get("/v1/services", **TIME)["services"]}
    return found.get(service)


def call(server, method, **parameters):
    status, _, content = server.request("POST", f"/querier.v1.QuerierService/{method}", json.dumps(parameters).encode(),
                                        {"Content-Type": "application/json"})
    return json.loads(content) if status == 200 else {"status": status, "error": content}


def check_colon(server):
    """A type's name may contain the character that separates the parts of Pyroscope's names."""
    push(server, "switches", profile((("sched:sched_switch", "events"),), ((1, (30,)), (2, (12,)))))
    times = {"start": (NOW - 3600) * 1000, "end": NOW * 1000}
    ids = [one["ID"] for one in call(server, "ProfileTypes", **times)["profileTypes"] if "switch" in one["ID"]]
    ct.ok(len(ids) == 1 and ids[0].count(":") == 4, "a colon in a type's name separates nothing", ids)
    graph = call(server, "SelectMergeStacktraces", profileTypeID=ids[0], labelSelector="{}", **times)
    ct.ok(int(graph["flamegraph"]["total"]) == 42, "and the type is found by its id", graph)


def main():
    server = Server("values")
    check_colon(server)
    push(server, "heap", profile(HEAP, ROWS, default="inuse_space"))
    sums = {f"{name}:{unit}": sum(values[i] for _, values in ROWS) for i, (name, unit) in enumerate(HEAP)}
    ct.ok(types_of(server, "heap") == sums, "each value is a type with its sum", (types_of(server, "heap"), sums))
    for of, weight in sums.items():
        ct.ok(server.total('service="heap"', type=of, **TIME) == weight, f"{of}: and so says the flame graph")
    listed = server.get("/v1/recordings", select='service="heap"', **TIME)["recordings"][0]["contents"]
    ct.ok(listed[0]["type"] == "inuse_space:bytes" and len(listed) == 4, "the file's own choice is the first", listed)
    push(server, "counts", profile((("samples", "count"),), ((1, (4,)),)), sampleRate="100")
    ct.ok(types_of(server, "counts") == {"cpu:ns": 40_000_000}, "samples at a rate are CPU time", types_of(server, "counts"))
    push(server, "cpu", profile((("samples", "count"), ("cpu", "nanoseconds")), ((1, (4, 41_000_000)), (2, (1, 9_000_000)))))
    ct.ok(types_of(server, "cpu") == {"cpu:ns": 50_000_000}, "samples beside CPU time are its counts, and no type", types_of(server, "cpu"))
    push(server, "twice", profile((("a", "count"), ("b", "count"), ("b", "count")), ((1, (1, 2, 3)),)), sampleRate="100")
    ct.ok(types_of(server, "twice") == {"b:count": 3, "a:count": 1}, "other counts are what they are", types_of(server, "twice"))
    many = profile([(f"v{i}", "count") for i in range(40)], ((1, range(1, 41)),))
    status, _, content = server.request("POST", "/ingest", many, name="many", format="pprof")
    ct.ok(status == 400 and b"more than 16 values" in content, "more values than a recording may measure are refused", content)
    server.end()
    ct.done()


main()
