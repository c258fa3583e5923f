#!/usr/bin/env python3
"""A small but complete fleet: three JVMs, a daemon, a server, and its page in a real browser, which shows each service and its hottest
method. The server and its page show exactly the CPU time that the daemon says it sent, to the nanosecond.

tier: default
timeout: 600
"""
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
import collector
from daemons import Daemon, check_sums, config, jvm, sums
from fleetpage import Fleet
from servers import Server

# Service, program, the request to it, and its hottest method if the program leaves no doubt.
FLEET = (("pay & <b>go</b>", "TwoMethods", {"seconds": 1, "threads": 2}, "TwoMethods.heavy"),
         ("search", "Deep", {"seconds": 2, "depth": 40}, "Deep.bottom"),
         ("steady", "Steady", {"seconds": 1, "threads": 2}, None))
HOUR = {"from": "-1h", "to": "now"}


def hot_methods(recordings):
    """By service: a Counter of the methods at the top of stacks, from the tests' own reader."""
    found, path = collections.defaultdict(collections.Counter), ct.WORK / "one.jfr"
    for one in recordings:
        path.write_bytes(collector.unpacked(one.body))
        for sample in ct.Recording(path).samples:
            if sample.frames:
                found[one.labels["service"]][sample.frames[0][0]] += sample.weight
    return found


def profile_fleet(server):
    """Three JVMs at work under a daemon, until everything that they did is on the server: (the daemon, the JVMs by service)."""
    available = ct.jdks()
    jvms = {service: jvm(available[i % len(available)], "live", f"-Dservice.name={service}", program=program)
            for i, (service, program, _, _) in enumerate(FLEET)}
    config("live", server=server.url, chunk="2s", look="1s", min_age="0")
    daemon = Daemon("live", "-i", "2ms", "--max-overhead", "10%")
    ct.ok(len(daemon.wait_log("profiling pid=", len(FLEET))) == len(FLEET), "three JVMs are found and profiled", daemon)
    for service, _, work, _ in FLEET:
        jvms[service].round(**work)
    ct.ok(daemon.end() == 0 and daemon.is_empty(), "the daemon ends, and has sent everything", daemon)
    return daemon, jvms


def check_sent(server, daemon, jvms):
    """Daemon, recordings and server have the same sums. Returns them by service."""
    taken = server.recordings(**HOUR)
    got, status = sums(taken), daemon.status()
    told = {one["pid"]: one for one in status["jvms"] if one["weight_ns"]}
    counted = {int(match[1]): int(match[2]) for match in daemon.log(r"stopped pid=(\d+) samples=(\d+)")}
    for service, one in jvms.items():
        check_sums(service, got.get(one.pid), one.pid, counted.get(one.pid))
    sent = sum(one["weight_ns"] for one in told.values())
    ct.ok(status["spooled"]["recordings"] == status["sent"]["recordings"] == len(taken), "spooled = sent = stored", status)
    ct.ok(sent == sum(one.weight for one in got.values()) == server.total(**HOUR),
          f"the sum that the daemon sent is what the server shows: {sent} ns", (told, got))
    by_service = {service: told[one.pid]["weight_ns"] for service, one in jvms.items() if one.pid in told}
    listed = {one["name"]: one["types"].get("cpu:ns") for one in server.get("/v1/services", **HOUR)["services"]}
    ct.ok(listed == by_service and len(listed) == len(FLEET), "and of each service", (listed, by_service))
    return by_service, hot_methods(taken)


def check_page(page, by_service, hot):
    ct.ok(page.go(), "the page shows")
    rows = page.rows()
    ct.ok(set(rows) == set(by_service), "the services", rows)
    for row in rows.values():
        ct.ok(row["Coverage"].endswith("%") and float(row["Coverage"][:-1]) > 50, f"{row['Service']}: its books say how much is seen", row)
    page.click_on(".services .aside a")
    page.idle()
    everything = page.methods()
    ct.ok(sum(weight for _, weight, _ in everything) == sum(by_service.values()), "all of it in one flame graph")
    for service, _, _, expected in FLEET:
        page.go()
        page.run("[...document.querySelectorAll('a[data-service]')].find(a => a.dataset.service === arguments[0]).click()", service)
        page.idle()
        shown = page.methods()
        ct.ok(sum(weight for _, weight, _ in shown) == by_service[service], f"{service}: its sum in the page, to the nanosecond",
              (by_service[service], sum(weight for _, weight, _ in shown)))
        name = max(shown or [("nothing", 0, 0)], key=lambda one: one[1])[0]
        truth = hot[service].most_common(1)[0][0]
        ct.ok(name == truth and expected in (truth, None), f"{service}: its hottest method is {name}", hot[service].most_common(5))
    messages = page.messages()
    ct.ok(not messages, "the browser reports no errors", messages)


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server")
    if not ct.jdks():
        ct.done()
    server = Server("live")
    daemon, jvms = profile_fleet(server)
    by_service, hot = check_sent(server, daemon, jvms)
    for one in jvms.values():
        ct.ok(one.finish() == 0, "a JVM ends normally", one.transcript())
    for service, _, _, _ in FLEET:
        shown = ct.candor("report", "--json", "--select", "service=" + json.dumps(service), server.url)
        ct.ok(shown.status == 0 and json.loads(shown.out)["sampled"] == by_service.get(service), f"{service}: candor report has its sum",
              shown)
    missing = browser.missing()
    if missing:
        ct.skip("the page", missing)
    elif len(by_service) == len(FLEET):
        with Fleet(server) as page:
            check_page(page, by_service, hot)
            if ct.os.environ.get("CANDOR_KEEP"):
                page.screenshot(ct.WORK / "fleet-live.png")
                ct.note(ct.WORK / "fleet-live.png")
    ct.ok(server.end() == 0, "the server ends normally")
    ct.done()


if __name__ == "__main__":
    main()
