#!/usr/bin/env python3
"""Key metrics on the server: by minute, equal to what candor report says about the same recording; search; Prometheus' text; the tables
of candor fleet.

tier: default
timeout: 120
"""
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pprofs
import recordings
from recordings import MS, RUN
from servers import DAY, Server

TIMES = ("--from", DAY["from"], "--until", DAY["to"])
S = 1000 * MS
START = 1_700_000_000  # for recordings.make: 20 s after the beginning of a minute
FIRST = START // 60 * 60
LENGTH = 130  # seconds: 40 s of the first minute, 60 of the second, 30 of the third


def make(name, cores, events="cpu,wall,lock,halt"):
    """A recording of 130 s that keeps this many processors busy; 2 % of the time is unseen, and 1 % is own cost."""
    lines = [("setting", "event", events), ("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1), ("thread", "other", 2, 2)]
    lines += [("sample", 1, 10 * MS, "complete", RUN + ";demo.Work.hot:23")]
    at = {5: [("pause", 300 * MS, "G1New", "G1 Evacuation Pause")], 39: [("at", 39_900), ("pause", 700 * MS, "G1New", "System.gc()")],
          50: [("counted", 50 * MS, 1, 9 * MS, 4 * MS), ("monitor", 1, 12 * S, "demo.Lock", 1, 2, 0, RUN)],
          60: [("park", 1, 3 * S, "java.util.concurrent.locks.ReentrantLock$NonfairSync", 5, 2, 0, RUN)],
          70: [("park", 1, 50 * S, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject", 6, 0, 0, RUN)],
          110: [("counted", 50 * MS, 3, 20 * MS, 11 * MS)]}
    for second in range(1, LENGTH + 1):
        cpu = int(cores * second * S)
        lines += [("at", second * 1000), ("book", "cpu", "", cpu, 0)]
        lines += [("book", "complete", "", cpu * 97 // 100, second), ("book", "unseen", "kernel", cpu * 2 // 100, 0)]
        lines += [("book", "own_cost", "", cpu // 100, 0), ("book", "residual", "", cpu - cpu * 97 // 100 - cpu * 2 // 100, 0)]
        if "wall" in events:
            lines += [("book", "wall_time", "", 8 * second * S, 0), ("book", "wall_waiting", "STATE_WAITING_FOR_CPU", second * S // 2, 0),
                      ("book", "wall_waiting", "STATE_IN_NATIVE_IO", 3 * second * S, 0)]
        if "halt" in events:
            lines += at.get(second, [])
            lines += [("book", "halt_gc", "", 1000 * MS, 2), ("book", "halt_safepoints", "", 29 * MS, 4)]
    return recordings.make(name, lines)


def close(a, b):
    return a is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def whole(server, **parameters):
    """The value of each metric over the whole time."""
    answer = server.get("/v1/metrics", step="all", **parameters)
    ct.ok("metrics" in answer and answer["complete"], f"metrics of {parameters}", answer)
    return {one["name"]: one["series"][0]["points"][0][1] for one in answer["metrics"] if one["series"]}


def series(server, metric, **parameters):
    answer = server.get("/v1/metrics", metric=metric, step=60, **parameters)
    return {one["value"]: dict(map(tuple, one["points"])) for one in answer["metrics"][0]["series"]}


def same_as_report(server, path):
    books = recordings.report_json(path)
    halts = recordings.report_json(path, "--kind", "halt")
    waits = sum(row["weight"] for row in recordings.report_json(path, "--kind", "lock")["locks"])
    v, ns = whole(server, select='host="a"'), books["duration_ns"]
    covered = ns / S
    cpu = books["books"]["cpu_ns"]
    gc, counted = halts["kinds"]["gc_pause"], halts["kinds"]["safepoints_counted"]
    wanted = {"cpu": cpu / ns, "unseen_share": books["books"]["unseen_ns"]["kernel"] / cpu,
          "own_cost_share": books["books"]["own_cost_ns"] / cpu,
              "lost_share": 0, "threads": books["wall_time"]["wall_ns"] / ns,
              "cpu_queue": books["wall_time"]["waiting_ns"]["STATE_WAITING_FOR_CPU"] / ns,
              "io_wait": books["wall_time"]["waiting_ns"]["STATE_IN_NATIVE_IO"] / ns, "gc_share": gc["total_ns"] / ns,
              "gc_pauses": gc["count"] / covered, "gc_longest": gc["max_ns"] / S, "safepoint_share": counted["total_ns"] / ns,
              "safepoints": 4 / covered, "ttsp_share": 15 * MS / ns, "ttsp_longest": 0.011, "lock_wait": 15 * S / ns,
              "park_wait": 50 * S / ns}
    for name, value in wanted.items():
        ct.ok(close(v.get(name), value), f"{name} is what candor report says", (v.get(name), value))
    ct.ok(round((v["lock_wait"] + v["park_wait"]) * ns) == waits and round(v["cpu"] * ns) == cpu, "to the nanosecond", (v, waits, cpu))
    ct.ok("exceptions" not in v and "alloc" not in v, "what was not recorded is not there", v)


def minutes(server):
    cpu = series(server, "cpu", select='host="a"')
    ct.ok(sorted(cpu[""]) == [FIRST, FIRST + 60, FIRST + 120], "the minutes of the clock", cpu)
    ct.ok(all(abs(v - 0.5) < 0.02 for v in cpu[""].values()), "each has its CPU time, divided by what was recorded of it", cpu)
    gc = series(server, "gc_share", select='host="a"')[""]
    ct.ok(close(gc[FIRST], 0.4 / 40) and close(gc[FIRST + 60], 0.6 / 60) and gc[FIRST + 120] == 0,
          "a pause over a border is in both minutes", gc)
    longest = series(server, "gc_longest", select='host="a"')[""]
    ct.ok([longest[FIRST + 60 * i] for i in range(3)] == [0.7, 0, 0], "the longest in the one where it begins", longest)


def two_jvms(server, paths):
    covered = recordings.report_json(paths["b"])["duration_ns"] / S
    both, by = whole(server, select='service="shop"'), series(server, "cpu", select='service="shop"', by="host")
    ct.ok(set(by) == {"a", "b"} and abs(by["b"][FIRST + 60] - 2) < 0.04, "split by a label", by)
    ct.ok(abs(both["cpu"] / (2.5 * LENGTH / covered) - 1) < 1e-4 and close(both["unseen_share"], 0.02),
          "rates add up, shares are of all", both)
    ct.ok(both["gc_longest"] == 0.7, "the longest of all", both)


def failures(server):
    for parameters, *words in (({"metric": "gc"}, "'gc'", "gc_share", "alloc"), ({"step": "x"}, "'x'", "1m"), ({"metric": "cpu",
          "step": "61"},),
                               ({"metric": "cpu,,cpu_queue"},)):
        answer = server.get("/v1/metrics", **parameters)
        ct.ok(answer.get("status") == (400 if words else None) and all(word in answer["error"] for word in words),
              f"{parameters}: {words or 'an answer'}", answer.get("error"))


def search(server):
    answer = server.get("/v1/search", where="cpu > 1 and unseen_share < 50 %", order="cpu")
    ct.ok(answer["matched"] == 3 and answer["complete"] and {one["labels"]["host"] for one in answer["hits"]} == {"b"},
          "minutes of b alone", answer)
    listed = {one["id"]: one for one in server.get("/v1/recordings")["recordings"]}
    ct.ok(all(listed[one["recording"]]["labels"] == one["labels"] for one in answer["hits"]), "with the recording that has them", answer)
    answer = server.get("/v1/search", where="gc_longest >= 700ms or ttsp_longest > 10 ms", order="gc_longest", limit=1)
    hit = answer["hits"][0]
    ct.ok(answer["matched"] == 2 and not answer["complete"] and hit["minute"] == FIRST and hit["value"] == 0.7,
          "or; the largest first; a list that is cut says so", answer)
    for where, n in (("not cpu < 1", 3), ("exceptions > 0", 0), ("not exceptions > 0", 0), ("exceptions > 0 or cpu > 1", 3),
          ("((cpu>1))and(cpu<3)", 3),
                     ("", 6), ("lock_wait >= 0.2", 1), ("cpu != 1 and not (cpu > 1 or cpu <= 1)", 0)):
        answer = server.get("/v1/search", where=where)
        ct.ok(answer.get("matched") == n, f"{where!r}: {n}", answer)


def hostile(server):
    for where, *words in (("cpu", "character 4", "comparison"), ("cpu >", "number"), ("cpu > x", "number"), ("cpu > 1 ms", "cores"),
                          ("speed > 1", "speed", "gc_share"), ("cpu > 1 cpu > 2", "no unit"), ("(cpu > 1", "')'"), ("cpu > 1)", "'and'"),
                          ("not", "there are"), ("(" * 50 + "cpu > 1", "deeply"), ("not " * 50 + "cpu > 1", "deeply"),
                          (" or ".join(["cpu > 1"] * 60), "too many"), ("cpu > " + "1" * 90, "digits"), ("cpu > 1" + " " * 1000,
                          "longer"),
                          ("cpu > 1\0", "zero byte"), ("cpu > nan", "number"), ("cpu > 1.", "number"), ("cpu > 0x10", "no unit"),
                          ("cpu > 1e3", "no unit"),
                          ("\u00e9 > 1", "character 1"), ("cpu => 1", "number")):
        answer = server.get("/v1/search", where=where)
        ct.ok(answer.get("status") == 400 and all(word in answer["error"] for word in words), f"{where[:30]!r}: {words}", answer)
    for parameters in ({"order": "x"}, {"order": "cpu,alloc"}, {"limit": "0"}, {"limit": "1001"}):
        ct.ok(server.get("/v1/search", **parameters).get("status") == 400, f"{parameters}: 400")


def without(server):
    status, _ = server.send(b"a;b 3\n", service="other", host="c")
    answer = server.get("/v1/metrics", metric="cpu", from_="-1h")
    today = json.loads(server.request("GET", "/v1/metrics", metric="cpu", **{"from": "-1h", "to": "now"})[2])
    ct.ok(status == 200 and today["without_metrics"] == 1 and answer["without_metrics"] == 0,
          "a recording without metrics is counted", today)


def tables(server):
    shown = ct.candor("fleet", "metrics", server.url, *TIMES, "--select", 'host="a"')
    ct.ok(shown.status == 0 and "cpu     " in shown.out and "0.5 cores" in shown.out and "2 %" in shown.out and "700 ms" in shown.out,
          "metrics", shown)
    shown = ct.candor("fleet", "metrics", server.url, "cpu", *TIMES, "--by", "host", "--step", "1m")
    ct.ok(shown.status == 0 and len(shown.out.splitlines()) == 7 and "2023-11-14 22:14  b" in shown.out, "metrics NAME --by", shown)
    shown = ct.candor("fleet", "search", server.url, "cpu > 1", *TIMES, "--limit", "2")
    ct.ok(shown.status == 0 and len(shown.out.splitlines()) == 3 and "cut off" in shown.err and "shop     b" in shown.out, "search",
          shown)
    for words, *wanted in ((["metrics", server.url, "gc"], "'gc'", "gc_share"), (["search", server.url, "cpu"], "comparison"),
          (["search", server.url], "usage"),
                           (["metrics", server.url, "--step", "1m"], "--step"), (["services", server.url, "--by", "host"], "--by")):
        result = ct.candor("fleet", *words)
        ct.ok(result.status == 2 and all(word in result.err for word in wanted), f"candor fleet {words}", result)


def scrape(server):
    """The latest minute of each JVM: of 103 services, those with the most CPU time."""
    def read():
        lines = server.request("GET", "/v1/metrics/prometheus")[2].decode().splitlines()
        return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    ct.ok("candor_services_left_out" in read() and not any("candor_service_cpu{" in name for name in read()), "nothing of now yet",
          read())
    now = int(time.time())
    for i in range(103):
        body = pprofs.make([("cpu", "nanoseconds")], [("f", [(i + 1) * 60 * S])])
        for host in ("x", "y") if i == 102 else ("x",):
            status, answer = server.send(body, service=f"s{i}", host=host, **{"from": now - 90, "until": now - 30})
            if status != 200:
                ct.ok(False, "taken", answer)
    text = read()
    cpu = {name: float(value) for name, value in text.items() if name.startswith("candor_service_cpu{")}
    ct.ok(len(cpu) == 100 and text["candor_services_left_out"] == "3", "100 services, the others are counted", text)
    ct.ok('candor_service_cpu{service="s0"}' not in cpu and close(cpu['candor_service_cpu{service="s101"}'], 102),
          "those with most CPU time", cpu)
    ct.ok(close(cpu['candor_service_cpu{service="s102"}'], 206) and text['candor_service_jvms{service="s102"}'] == "2",
          "the sum of two JVMs", cpu)


def main():
    server = Server("fleet-metrics")
    paths = {"a": make("metrics-a.jfr", 0.5), "b": make("metrics-b.jfr", 2, "cpu")}
    for host, path in paths.items():
        status, answer = server.send(path.read_bytes(), service="shop", host=host)
        ct.ok(status == 200, f"{host} is taken", answer)
    same_as_report(server, paths["a"])
    minutes(server)
    two_jvms(server, paths)
    failures(server)
    search(server)
    hostile(server)
    without(server)
    tables(server)
    scrape(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
