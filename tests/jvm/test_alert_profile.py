#!/usr/bin/env python3
"""An alert that asks for more, with a real daemon and a real JVM: the JVM becomes busy, the rule fires, and the daemon makes the recording
that the rule's action names, once.

tier: default
timeout: 600
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from daemons import Daemon, config, jvm, wait_for
from servers import Server
from test_on_demand import TIMES, Work, kinds

RULE = """
[alert busy]
each = service
value = cores
above = 0.02
window = 10s
interval = 1s
delay = 3s
action = profile wall 3s 1
"""


def wanted(server):
    return json.loads(server.request("GET", "/v1/profiles")[2])["profiles"]


def state(server):
    return [one["state"] for rule in json.loads(server.request("GET", "/v1/alerts")[2])["rules"] for one in rule["alerts"]]


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server")
    rules = ct.WORK / "alerts.conf"
    rules.write_text(RULE)
    for jdk in ct.some(ct.jdks(), 21)[:1]:
        server = Server("alert", "--alerts", rules)
        with jvm(jdk, "alert", "-Dservice.name=wanted") as one:
            config("alert", server=server.url, event="cpu", **TIMES)
            daemon = Daemon("alert")
            ct.ok(daemon.wait_log("profiling pid="), f"{jdk}: profiled", daemon)
            work = Work(one)
            ct.ok(wait_for(lambda: "firing" in state(server)), f"{jdk}: the rule fires", state(server))
            ct.ok(wait_for(lambda: wanted(server) and wanted(server)[0]["state"] == "done"), f"{jdk}: its recording is made",
                  wanted(server))
            asked = wanted(server)
            ct.ok(len(asked) == 1 and (asked[0]["by"], asked[0]["events"], asked[0]["seconds"]) == ("alert busy", "wall", 3) and
                  asked[0]["select"] == 'service="wanted"', f"{jdk}: once, of the JVMs that the alert is about", asked)
            ct.ok(wait_for(lambda: kinds(server, asked[0]["id"])), f"{jdk}: it arrives")
            got = kinds(server, asked[0]["id"])
            ct.ok(got["candor.WallSample"] > 0 and not got["candor.CpuSample"], f"{jdk}: it holds what the rule names", got)
            work.stop()
            ct.ok(daemon.end() == 0, f"{jdk}: the daemon ends well", daemon)
        ct.ok(server.end() == 0, f"{jdk}: the server ends well")
    ct.done()


if __name__ == "__main__":
    main()
