#!/usr/bin/env python3
"""Networks that are cut, and disks that are full: between a server and ClickHouse, and between two servers. Each runs on a host of its
own (netns.py). Every acknowledged recording is there exactly once afterwards.

tier: full
timeout: 600
"""
import http.client
import itertools
import pathlib
import random
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import candortest as ct
import clickhouse
import netns
import s3
from servers import Server
from test_server_forward import WHEN, figures, hosts, send, weight

rng = random.Random(43)
LEAST = 30  # recordings that every client sends


def wait(condition, text, detail=lambda: None):
    ct.ok(ct.wait_until(condition, ct.PATIENCE), text, detail())


class Client(threading.Thread):
    """Sends recordings to one server, each until it is acknowledged. statuses: what it heard, apart from 200."""

    def __init__(self, name, first):
        super().__init__()
        self.server, self.first, self.acknowledged, self.statuses, self.enough = None, first, {}, set(), threading.Event()
        self.name = name

    def run(self):
        for n in itertools.count(self.first):
            if self.enough.is_set() and len(self.acknowledged) >= LEAST:
                return
            while (status := self.try_once(n)) != 200:
                self.statuses.add(status)
                time.sleep(0.05)
            self.acknowledged[f"h{n}"] = weight(n)
            time.sleep(0.02)

    def try_once(self, n):
        try:
            return send(self.server, n)[0]
        except (OSError, http.client.HTTPException):  # the server was killed
            return 0

    def stop(self):
        self.enough.set()
        self.join(ct.PATIENCE)
        ct.ok(not self.is_alive(), f"{self.name} got rid of everything")
        return self.acknowledged


def client(server, first):
    one = Client(server.data.name, first)
    one.server = server
    one.start()
    return one


def exactly_once(server, acknowledged, what):
    wait(lambda: hosts(server) == acknowledged, f"{what}: every acknowledged recording exactly once",
         lambda: {h: (hosts(server).get(h), acknowledged.get(h)) for h in hosts(server).keys() ^ acknowledged.keys()})


def rows_of(engine, server):
    """(rows, rows that are there twice) of a server in ClickHouse."""
    number = (server.data / "clickhouse").read_text()
    key = "service, type, day, segment, recording, second, stack, thread"
    return tuple(int(engine.ask(f"SELECT {what} FROM candor_rows WHERE store = {number}"))
                 for what in ("count()", f"count() - uniqExact({key})"))


def test_clickhouse():
    """The network between a server and ClickHouse, and ClickHouse's disk."""
    netns.disk(ct.WORK / "engine", "96m")
    host = netns.Host()
    link = host.link()
    engine = clickhouse.Debian("engine", wrapper=host.wrapper, address=link.there)
    server = Server("rows", *engine.options)
    sender = client(server, 0)
    for _ in range(4):
        time.sleep(rng.uniform(0, 0.7))
        link.cut()
        time.sleep(rng.uniform(0.1, 2))
        link.mend()
    acknowledged = sender.stop()
    exactly_once(server, acknowledged, "after four cuts")
    ct.ok(rows_of(engine, server) == (3 * len(acknowledged), 0), "and no row is in ClickHouse twice", rows_of(engine, server))

    link.cut()
    ct.ok([send(server, n)[0] for n in range(5000, 5010)] == [200] * 10, "while it is cut off, recordings are taken")
    status, headers, _ = server.request("GET", "/v1/methods", **WHEN)
    ct.ok(status == 503 and int(headers["Retry-After"]) > 0, "and queries say when to ask again", status)
    server.end(signal.SIGKILL)
    link.mend()
    server = Server("rows", *engine.options, port=server.port)
    acknowledged.update({f"h{n}": weight(n) for n in range(5000, 5010)})
    exactly_once(server, acknowledged, "killed while it was cut off")

    filler = netns.fill(engine.folder)
    sender = client(server, 6000)
    time.sleep(1)
    full = engine.answers() and rows_of(engine, server)[0]
    acknowledged.update(sender.stop())
    filler.unlink()
    if not engine.answers():  # it may end if it cannot write its log
        engine.stop()
        engine.start()
    exactly_once(server, acknowledged, "after ClickHouse's disk was full")
    ct.ok(full < 3 * len(acknowledged), "it was full", (full, len(acknowledged)))
    ct.ok(rows_of(engine, server) == (3 * len(acknowledged), 0), "each row once", rows_of(engine, server))
    restart(engine, server, acknowledged)
    ct.ok(server.end() == 0, "ends")
    engine.stop()


def restart(engine, server, acknowledged):
    """ClickHouse ends and starts, also read-only, while recordings come."""
    sender = client(server, 7000)
    for read_only in (False, True, False):
        engine.process.terminate()
        engine.process.wait(ct.PATIENCE)
        engine.start(read_only=read_only)
        time.sleep(rng.uniform(0, 0.5))
    acknowledged.update(sender.stop())
    exactly_once(server, acknowledged, "after ClickHouse was started again and again, once read-only")
    ct.ok(rows_of(engine, server) == (3 * len(acknowledged), 0), "each row once", rows_of(engine, server))


def test_servers():
    """The network between two servers that forward to each other. The test reaches the other one by another link."""
    host = netns.Host()
    between, beside = host.link(), host.link()
    there = {"wrapper": host.wrapper, "address": beside.there}
    one = Server("one", "--no-auth", "--forward", "http://127.0.0.1:1", address=between.here)
    port = one.port
    one.end()
    two = Server("two", "--no-auth", "--forward", f"http://{between.here}:{port}", **there)
    to_two = f"http://{between.there}:{two.port}"
    one = Server("one", "--no-auth", "--forward", to_two, port=port, address=between.here)
    senders = [client(one, 10000), client(two, 20000)]
    for victim in (None, one, None, two):
        time.sleep(rng.uniform(0, 0.5))
        between.cut()
        time.sleep(rng.uniform(0.1, 1))
        if victim is one:
            one.end(signal.SIGKILL)
            one = senders[0].server = Server("one", "--no-auth", "--forward", to_two, port=port, address=between.here)
        elif victim is two:
            two.end(signal.SIGKILL)
            two = senders[1].server = Server("two", "--no-auth", "--forward", f"http://{between.here}:{port}", port=two.port, **there)
        between.mend()
    acknowledged = {}
    for sender in senders:
        acknowledged.update(sender.stop())
    for server in (one, two):
        exactly_once(server, acknowledged, server.data.name)
    wait(lambda: figures(one) == figures(two), "both answer the same")
    between.cut()
    ct.ok(send(one, 1)[0] == send(two, 2)[0] == 200, "without the network each takes recordings")
    ct.ok(set(hosts(one)) - set(hosts(two)) == {"h1"} and set(hosts(two)) - set(hosts(one)) == {"h2"}, "and has only its own")
    between.mend()
    acknowledged.update({"h1": weight(1), "h2": weight(2)})
    for server in (one, two):
        exactly_once(server, acknowledged, f"{server.data.name} after it")
    for server in (one, two):
        ct.ok(server.end() == 0, "ends")


def test_objects():
    """The network between a receiver, the object storage, and the server that takes over."""
    host = netns.Host()
    link, beside = host.link(), host.link()
    service = s3.Stub(link.here)
    given = ["--arrivals", f"s3://{s3.BUCKET}/fleet", "--s3-endpoint", service.url, "--s3-region", s3.REGION, "--s3-credentials",
             s3.credentials(), "--no-auth"]
    receiver = Server("receiver", "--receive-only", *given, wrapper=host.wrapper, address=beside.there)
    keeper = Server("keeper", *given)
    sender = client(receiver, 30000)
    for _ in range(3):
        time.sleep(rng.uniform(0, 0.7))
        link.cut()
        time.sleep(rng.uniform(0.1, 1.5))
        link.mend()
    exactly_once(keeper, sender.stop(), "from a receiver that was cut off three times")
    ct.ok(not [name for name in service.names() if "/arrivals/" in name], "nothing waits", service.names())
    ct.ok(receiver.end() == 0 and keeper.end() == 0, "both end")
    service.stop()


def main():
    why = netns.missing()
    if why:
        ct.skip("networks that are cut", why)
        ct.done()
        return
    netns.enter()
    test_servers()
    test_objects()
    why = clickhouse.Debian.missing()
    if why:
        ct.skip("ClickHouse", why)
    else:
        test_clickhouse()
    ct.done()


if __name__ == "__main__":
    main()
