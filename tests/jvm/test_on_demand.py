#!/usr/bin/env python3
"""Profiles on demand with a real daemon and a real JVM: one more recording beside the one that always runs, found by its label, with the
state that is true: done, cut, failed, refused by the rules, and all that across kill -9 of daemon and server.

tier: default
timeout: 600
"""
import json
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from daemons import Daemon, config, jvm, sums, wait_for
from servers import Server

TIMES = {"chunk": "1s", "look": "1s", "min_age": "0"}


def ask(server, **wanted):
    status, _, content = server.request("POST", "/v1/profiles", json.dumps({"within": "60s", **wanted}))
    ct.ok(status == 200, f"{wanted} is asked for", content)
    return json.loads(content)["id"] if status == 200 else 0


def tasks(server, number):
    found = [one for one in json.loads(server.request("GET", "/v1/profiles")[2])["profiles"] if one["id"] == number]
    return (found[0]["state"], [(task["state"], task["reason"]) for task in found[0]["tasks"]]) if found else None


def is_over(server, number):
    return tasks(server, number)[0] not in ("waiting", "running")


def kinds(server, number):
    """The types of the samples in the recordings of a request, and their number."""
    taken = server.recordings(**{"from": "-1h", "to": "now", "select": f'on_demand="{number}"'})
    return next(iter(sums(taken).values())).types if taken else {}


class Work:
    """Has the JVM use CPU time all the time."""

    def __init__(self, one):
        self.one, self.stopped = one, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopped.wait(0.1):
            self.one.round(seconds=0.2, threads=1)

    def stop(self):
        self.stopped.set()
        self.thread.join(60)


def check_done(jdk, server, daemon, one):
    """By the command line, waiting for the end."""
    done = ct.candor("fleet", "profile", "--select", 'service="wanted"', "-e", "wall", "-d", "3s", "-i", "5ms", "--wait", server.url)
    ct.ok(done.status == 0 and "done" in done.out and "candor report --select 'on_demand=\"1\"'" in done.out,
          f"{jdk}: a recording of wall-clock time is made, and the command says how to read it", done)
    ct.ok(tasks(server, 1) == ("done", [("done", None)]), f"{jdk}: the server says so, too", tasks(server, 1))
    wait_for(daemon.is_quiet)
    got = kinds(server, 1)
    ct.ok(got["candor.WallSample"] > 100 and not got["candor.CpuSample"], f"{jdk}: it holds that, and no CPU time", got)
    ct.ok(daemon.log("recording on demand=1 "), f"{jdk}: the daemon's log tells", daemon)
    usual = sums(server.recordings(**{"from": "-1h", "to": "now"})).get(one.pid)
    ct.ok(usual and usual.types["candor.CpuSample"] and not usual.types["candor.WallSample"],
          f"{jdk}: the recording that always runs is as it was", usual and usual.types)


def check_kills(jdk, server, name):
    """The daemon is killed while it records, and the server, too. The next ones know what became of it."""
    daemon = Daemon(name)
    number = ask(server, select='service="wanted"', duration="4s")
    ct.ok(daemon.wait_log(f"recording on demand={number} "), f"{jdk}: it records", daemon)
    daemon.end(signal.SIGKILL)
    server.end(signal.SIGKILL)
    server = Server(server.data.name, port=server.port)
    daemon = Daemon(name)
    ct.ok(wait_for(lambda: is_over(server, number)) and tasks(server, number) == ("done", [("done", None)]),
          f"{jdk}: after kill -9 of both it is done", (tasks(server, number), str(daemon)))
    ct.ok(wait_for(lambda: kinds(server, number).get("candor.CpuSample", 0) > 0), f"{jdk}: and the recording is there",
          kinds(server, number))
    return server, daemon


def check_cut(jdk, server, daemon, one, work):
    number = ask(server, select='service="wanted"', duration="60s")
    ct.ok(daemon.wait_log(f"recording on demand={number} "), f"{jdk}: it records", daemon)
    other = ask(server, select='service="wanted"', duration="1s", within="20s")
    ct.ok(wait_for(lambda: tasks(server, number)[1] == [("recording", None)]), f"{jdk}: the server knows", tasks(server, number))
    work.stop()
    one.finish()
    ct.ok(wait_for(lambda: tasks(server, number)[1][0][0] == "cut") and "the JVM ended after" in tasks(server, number)[1][0][1],
          f"{jdk}: the JVM ends, and the recording is cut", tasks(server, number))
    ct.ok(wait_for(lambda: is_over(server, other)) and tasks(server, other) == ("expired", []),
          f"{jdk}: what should have come after it expires", tasks(server, other))


def check_unrecorded(jdk, server):
    """A JVM that a rule excludes, and one that cannot be attached to: the server knows of both, with the reasons of the daemon's status."""
    def said():
        (daemon,) = [one for one in json.loads(server.request("GET", "/v1/daemons")[2])["daemons"] if one["host"] == "unrecorded"] or [None]
        mine = {pid: reason for pid, reason in reasons.items() if pid in (first.pid, second.pid)}
        return daemon and [(one["main"], one["service"], one["reason"]) for one in daemon["not_recorded"] if one["reason"] in mine.values()]

    with jvm(jdk, "silent", "-Dservice.name=excluded") as first, \
            jvm(jdk, "silent", "-Dservice.name=deaf", "-XX:+DisableAttachMechanism") as second:
        config("silent", "[jvm quiet]", "profile = no", server=server.url, host="unrecorded", **TIMES)
        daemon = Daemon("silent")
        ct.ok(wait_for(lambda: (daemon.spool / "status.json").exists() and len(
            [one for one in daemon.status()["jvms"] if one["pid"] in (first.pid, second.pid) and one["reason"]]) == 2),
            f"{jdk}: the daemon sees two JVMs, and leaves them alone", daemon)
        reasons = {one["pid"]: one["reason"] for one in daemon.status()["jvms"]}
        ct.ok(wait_for(lambda: len(said() or []) >= 2), f"{jdk}: the server is told of the JVMs that are not recorded", (said(), reasons))
        told = {service: reason for _, service, reason in said()}
        ct.ok(told.get("excluded") == reasons[first.pid] == "rule 'quiet' excludes it" and told.get("deaf") == reasons[second.pid]
              and "DisableAttachMechanism" in told["deaf"], f"{jdk}: with the daemon's reasons", (told, reasons))
        daemon.end()


def check_forbidden(jdk, server):
    with jvm(jdk, "rule", "-Dservice.name=closed"):
        config("rule", "[jvm mine]", "on-demand = no", server=server.url, **TIMES)
        daemon = Daemon("rule")
        daemon.wait_log("profiling pid=")
        number = ask(server, select='service="closed"', within="12s")
        ct.ok(wait_for(lambda: tasks(server, number)[1]) and tasks(server, number)[1] == [
            ("refused", "rule 'mine' of its daemon says on-demand = no")], f"{jdk}: a rule may forbid it", tasks(server, number))
        daemon.end()
        config("rule", "[jvm mine]", server=server.url, on_demand_max="1", **TIMES)
        daemon = Daemon("rule")
        daemon.wait_log("profiling pid=")
        first = ask(server, select='service="closed"', duration="1s")
        ct.ok(wait_for(lambda: is_over(server, first)) and tasks(server, first)[0] == "done", f"{jdk}: without such a rule one is made",
              tasks(server, first))
        second = ask(server, select='service="closed"', duration="1s", within="12s")
        ct.ok(wait_for(lambda: tasks(server, second)[1]) and wait_for(lambda: tasks(server, second)[1][0][0] == "refused") and
              "on-demand-max" in tasks(server, second)[1][0][1], f"{jdk}: but no more than the limit within an hour", tasks(server, second))
        ct.ok(daemon.end() == 0, f"{jdk}: the daemon ends well", daemon)


def is_quiet(daemon):
    return not list((daemon.spool / "queue").iterdir())


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server")
    Daemon.is_quiet = is_quiet
    for jdk in ct.some(ct.jdks(), 21)[:1]:  # the agent's part is tested on each JDK elsewhere
        server = Server("server")
        with jvm(jdk, "fleet", "-Dservice.name=wanted") as one:
            config("fleet", server=server.url, event="cpu", **TIMES)
            work = Work(one)
            daemon = Daemon("fleet")
            ct.ok(daemon.wait_log("profiling pid="), f"{jdk}: profiled", daemon)
            check_done(jdk, server, daemon, one)
            daemon.end(signal.SIGKILL)
            server, daemon = check_kills(jdk, server, "fleet")
            check_cut(jdk, server, daemon, one, work)
            ct.ok(daemon.end() == 0, f"{jdk}: the daemon ends well", daemon)
            ct.ok(wait_for(daemon.is_empty, 10), f"{jdk}: and leaves nothing", list((daemon.spool / "live").iterdir()))
        check_forbidden(jdk, server)
        check_unrecorded(jdk, server)
        ct.ok(server.end() == 0, f"{jdk}: the server ends well")
    ct.done()


if __name__ == "__main__":
    main()
