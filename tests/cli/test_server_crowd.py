#!/usr/bin/env python3
"""A thousand connections that are kept (in tier all, ten thousand), and beside them three in a hundred that stall, end half-way, or send
garbage: the former are served, to the unit, each of the latter ends in a counter, and nothing grows.

tier: default
timeout: 300
"""
import os
import pathlib
import random
import re
import resource
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

ALL = os.environ.get("CANDOR_TIER") == "all"
CROWD, PATIENCE_S = (10000, 20) if ALL else (1000, 6)
EACH = CROWD // 200  # of each of the six kinds of bad clients
WAVES = 3
HOST = b"Host: localhost\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /v1/recordings?service=crowd&n=%d&from=1700000000&until=1700000060&format=collapsed HTTP/1.1\r\n" + HOST
TIME = {"from": 1699900000, "to": 1700100000}
SLOW = 'candor_server_connections_timed_out_total{during="%s"}'
CUT = 'candor_server_recordings_refused_total{reason="cut_off"}'
random.seed(37)


def dial(server, n):
    """A connection from one of many addresses of this machine."""
    raw = socket.socket()
    raw.settimeout(ct.PATIENCE)
    raw.bind((f"127.0.1.{n % 20 + 1}", 0))
    raw.connect(("127.0.0.1", server.port))
    return raw


class Client:
    """A good one: it keeps its connection, and reads every answer."""

    def __init__(self, server, n):
        self.raw, self.n = dial(server, n), n

    def ask(self, request):
        self.raw.sendall(request)

    def answer(self):
        """The status of the next answer; 0 if the connection ended."""
        got = b""
        try:
            while b"\r\n\r\n" not in got:
                some = self.raw.recv(4096)
                if not some:
                    return 0
                got += some
            head, _, body = got.partition(b"\r\n\r\n")
            left = int(re.search(rb"Content-Length: (\d+)", head)[1]) - len(body)
            while left > 0:
                left -= len(self.raw.recv(left)) or left
        except ConnectionError:
            return 0
        return int(got[9:12])


class Sender:
    """Counts what the good ones have sent."""

    def __init__(self):
        self.count = 0

    def request(self, n):
        self.count += 1
        body = b"crowd.Main.run;crowd.Hot.loop%d 1\n" % (self.count % 50)
        return POST % (n + 100000 * self.count) + b"Content-Length: %d\r\n\r\n" % len(body) + body


def round_of(crowd, sender):
    """Everybody asks once, every tenth sends a recording; {status: count}."""
    for one in crowd:
        one.ask(sender.request(one.n) if one.n % 10 == 0 else GET)
    statuses = [one.answer() for one in crowd]
    return {status: statuses.count(status) for status in set(statuses)}


def bad_wave(server, big):
    """The bad ones, who all stay: {counter: how many of them it has to have}."""
    held = []

    def more(request, then=None):
        for _ in range(EACH):
            raw = dial(server, len(held))
            raw.sendall(request() if callable(request) else request)
            if then:
                then(raw)
            held.append(raw)

    more(b"GET /healthz HTTP/1.1\r\nHost: loc")
    more(POST % 1 + b"Content-Length: 1000\r\n\r\nabc")
    more(POST % 2 + b"Content-Length: 1000\r\n\r\nabc", lambda raw: raw.shutdown(socket.SHUT_WR))
    more(lambda: b"\0" + random.randbytes(random.randrange(1, 500)) + b"\r\n\r\n")
    more(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n")
    for _ in range(EACH):  # they ask for much, and read nothing
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(ct.PATIENCE)
        raw.connect(("127.0.0.1", server.port))
        raw.sendall(b"GET /v1/recordings/%d HTTP/1.1\r\n" % big + HOST + b"\r\n")
        held.append(raw)
    counters = {SLOW % what: EACH for what in ("head", "body", "answer")}
    return held, {**counters, CUT: EACH, "candor_server_requests_malformed_total": 2 * EACH}


def memory(server):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1]) << 10


def sockets(server):
    return sum(os.readlink(fd).startswith("socket:") for fd in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir() if fd.is_symlink())


def check_wave(server, crowd, sender, big, number):
    before, expected = server.metrics(), {}
    held, expected = bad_wave(server, big)
    seen = {}
    end = time.monotonic() + ct.PATIENCE + 10 * PATIENCE_S
    while time.monotonic() < end:  # the crowd goes on meanwhile
        for status, count in round_of(crowd, sender).items():
            seen[status] = seen.get(status, 0) + count
        now = server.metrics()
        counted = {name: now[name] - before[name] for name in expected}
        if counted == expected:
            break
    ct.ok(set(seen) == {200}, f"wave {number}: {seen.get(200)} requests beside {len(held)} bad clients are all answered", seen)
    ct.ok(counted == expected, "and each of these ends in its counter", (counted, expected))
    for raw in held:
        raw.close()


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < CROWD + 1000:
        ct.skip(f"{CROWD} connections", f"the hard limit of open files is {hard}; raise it with ulimit -Hn {CROWD + 1000}")
        ct.done()
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = Server("crowd", "--max-connections", 2 * CROWD, "--client-timeout", f"{PATIENCE_S}s")
    content = b"\n".join(b"big.Stack%d;%s 1" % (i, random.randbytes(500).hex().encode()) for i in range(12000)) + b"\n"
    big = int(server.send(content, service="big")[1]["id"])
    empty = memory(server)
    sender, crowd = Sender(), []
    for n in range(CROWD):
        crowd.append(Client(server, n))
    first = round_of(crowd, sender)
    ct.ok(first == {200: CROWD}, f"{CROWD} connections, each is answered", first)
    ct.ok(server.metrics()["candor_server_connections"] == CROWD + 1, "and all are kept")
    sizes = []
    for number in range(WAVES):
        check_wave(server, crowd, sender, big, number + 1)
        alone = ct.wait_until(lambda: server.metrics()["candor_server_connections"] == CROWD + 1)
        ct.ok(alone, "then the crowd alone is left", server.metrics())
        sizes.append(memory(server))
        gone = ct.wait_until(lambda: sockets(server) == CROWD + 1)  # the question before ends, too; one socket listens
        ct.ok(gone, "no socket is left of them", sockets(server))
    most = empty + 4096 * CROWD + (48 << 20)  # the crowd's connections; recordings that were read, and their dictionary
    ct.ok(ct.SANITIZED or max(sizes) < most, f"a server of {empty >> 20} MB has {max(sizes) >> 20} MB with all of them", (sizes, most))
    ct.ok(ct.SANITIZED or sizes[-1] - sizes[0] < 16 << 20, "and does not grow with the number of waves", sizes)
    ct.ok(server.total('service="crowd"', type="cpu:samples", **TIME) == sender.count and server.balances(),
          f"the {sender.count} recordings of the crowd are there, to the unit", server.metrics())
    ct.ok(server.end() == 0, "SIGTERM ends the server with all of them open")
    for one in crowd:
        one.raw.close()
    ct.done()


if __name__ == "__main__":
    main()
