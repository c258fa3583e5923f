#!/usr/bin/env python3
"""candor server's HTTP/2: ordinary routes by curl, with TLS and without; frames that break a rule, one by one, each with its error; floods,
stalls and slow clients, each ended and counted; and frames at random.

tier: default
timeout: 300
"""
import json
import os
import pathlib
import random
import shutil
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import http2 as h2
from servers import DAY, Server, certificate

STACKS = b"a;b;c 70\na;b 30\n"
OK = b'{"status": "ok"}\n'
RANDOM = 150 if os.environ.get("CANDOR_SANITIZED") else 400


def curl(server, path, *options, data=None):
    """(status, version, body)"""
    out = ct.WORK / "answer"
    out.unlink(missing_ok=True)
    mode = ("--http2", "--cacert", server.tls[0]) if server.tls else ("--http2-prior-knowledge",)
    done = ct.run("curl", "-sS", *mode, "-o", out, "-w", "%{http_code} %{http_version}", *options,
                  *(("--data-binary", f"@{data}") if data else ()), f"{server.url}{path}")
    status, _, version = done.out.partition(" ")
    return int(status or 0), version, out.read_bytes() if out.exists() else b""


def test_routes(server, what):
    ct.ok(curl(server, "/healthz") == (200, "2", OK), f"{what}: a route over HTTP/2")
    status, version, content = curl(server, "/fleet.js")
    ct.ok((status, version) == (200, "2") and content == server.request("GET", "/fleet.js")[2] and len(content) > 100_000,
          f"{what}: an answer longer than a window, byte by byte", (status, len(content)))
    ct.ok(curl(server, "/nothing")[:2] == (404, "2") and curl(server, "/healthz", "-X", "DELETE")[0] == 405, f"{what}: errors are the same")
    ct.ok(curl(server, "/healthz", "-I")[:2] == (200, "2"), f"{what}: HEAD has no body, and an end")
    file = ct.WORK / "large"
    file.write_bytes(b"".join(b"root;leaf%06d 1\n" % i for i in range(20_000)))
    status, version, content = curl(server, f"/v1/recordings?service=large-{what}&from=2023-11-14T22:00:00Z", data=file)
    ct.ok((status, version) == (200, "2") and not json.loads(content)["duplicate"], f"{what}: a body of many windows", content)
    ct.ok(server.total(f'service="large-{what}"') == 20_000, f"{what}: all of it arrived", server.total(f'service="large-{what}"'))
    status, _, content = curl(server, f"/v1/methods?select=service%3D%22large-{what}%22&from={DAY['from']}&to={DAY['to']}")
    ct.ok(status == 200 and json.loads(content)["server"]["total"] == 20_000, f"{what}: a query", content[:200])


def test_manners(server):
    with h2.Connection(server.port, b"") as c:
        for byte in h2.PREFACE + h2.settings() + h2.request(1):
            c.send(bytes([byte]))
        ct.ok(c.answer(1) == (200, OK), "a connection byte by byte")
    with h2.Connection(server.port) as c:
        streams = range(1, 65, 2)
        c.send(*(h2.request(i, "/healthz") for i in streams))
        open_ = set(streams)
        while open_:
            one, _ = c.until(lambda f: f[0] == h2.DATA and f[1] & h2.END_STREAM)
            if not one:
                break
            open_.discard(one[2])
        ct.ok(not open_, "32 requests at once", open_)
        c.send(h2.frame(h2.PING, payload=b"12345678"))
        one, _ = c.until(lambda f: f[0] == h2.PING)
        ct.ok(one and one[1] == h2.ACK and one[3] == b"12345678", "a ping is answered")
        half = h2.head("/v1/recordings?service=raw", "POST")
        c.send(h2.frame(h2.HEADERS, 0, 101, half[:9]), h2.frame(h2.CONTINUATION, h2.END_HEADERS, 101, half[9:]),
               *(h2.frame(h2.DATA, h2.PADDED, 101, bytes([3]) + bytes([one]) + bytes(3)) for one in STACKS[:-1]),
               h2.frame(h2.DATA, h2.END_STREAM, 101, STACKS[-1:]))
        status, content = c.answer(101)
        ct.ok(status == 200 and json.loads(content)["duplicate"] is False, "headers in two frames, and a body in padded bytes", content)
        c.send(h2.request(103, "/v1/recordings?service=raw", "POST", ("expect", "100-continue"), end=False))
        one, _ = c.until(lambda f: f[0] == h2.HEADERS and f[2] == 103)
        ct.ok(one and h2.status_of(one[3]) == 100 and not one[1] & h2.END_STREAM, "Expect: the server says continue", one)
        c.send(h2.frame(h2.DATA, 0, 103, STACKS), h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 103, h2.fields(("x", "y"))))
        status, content = c.answer(103)
        ct.ok(status == 200 and json.loads(content)["duplicate"] is True, "trailers are read and dropped", content)
        c.send(h2.request(105, "/nothing-here", "POST", end=False))
        ct.ok(c.answer(105)[0] == 404, "an answer before the body has come")
        one, _ = c.until(lambda f: f[0] == h2.RST_STREAM)
        ct.ok(one and one[2:] == (105, struct.pack(">I", h2.NO_ERROR)), "and the body is not wanted", one)
        long = h2.head("/healthz", "GET", ("x", "y" * 40_000))
        c.send(h2.frame(h2.HEADERS, h2.END_STREAM, 107, long[:16_000]), h2.frame(h2.CONTINUATION, 0, 107, long[16_000:32_000]),
               h2.frame(h2.CONTINUATION, h2.END_HEADERS, 107, long[32_000:]))
        ct.ok(c.answer(107)[0] == 431, "a head of 40 KB: 431")
        for i, (what, field) in enumerate((("another host", ("host", "elsewhere")), ("two lengths", ("content-length", "3, 3")))):
            c.send(h2.request(109 + 2 * i, "/healthz", "GET", field))
            status, code = c.answer(109 + 2 * i)
            ct.ok(status == 400 or code == h2.PROTOCOL_ERROR, f"{what}: refused", (status, code))
        ct.ok(c.alive(201), "and the connection continues")


PSEUDO = ((":method", "GET"), (":scheme", "http"), (":path", "/healthz"), (":authority", "localhost"))
OPEN = h2.request(1, "/v1/recordings?service=raw", "POST", end=False)
PLAIN = h2.END_HEADERS | h2.END_STREAM


def headers(*pairs):
    return h2.frame(h2.HEADERS, PLAIN, 1, h2.fields(*pairs))


# what is wrong with it, the frames, what ends, the error
MALFORMED = (
    ("data on no stream", h2.frame(h2.DATA, 0, 0, b"x"), "connection", h2.PROTOCOL_ERROR),
    ("data on a stream that is idle", h2.frame(h2.DATA, 0, 5, b"x"), "connection", h2.PROTOCOL_ERROR),
    ("a frame of 16385 bytes", OPEN + h2.frame(h2.DATA, 0, 1, bytes(16385)), "connection", h2.FRAME_SIZE_ERROR),
    ("a frame of 16 MiB that does not come", h2.frame(h2.PING, 0, 0, b"", 0xffffff), "connection", h2.FRAME_SIZE_ERROR),
    ("padding longer than its frame", OPEN + h2.frame(h2.DATA, h2.PADDED, 1, b"\x09abc"), "connection", h2.PROTOCOL_ERROR),
    ("headers on no stream", h2.frame(h2.HEADERS, PLAIN, 0, h2.head()), "connection", h2.PROTOCOL_ERROR),
    ("headers on a stream of the server", h2.frame(h2.HEADERS, PLAIN, 2, h2.head()), "connection", h2.PROTOCOL_ERROR),
    ("a ping within headers", h2.frame(h2.HEADERS, 0, 1, h2.head()) + h2.frame(h2.PING, payload=bytes(8)), "connection",
     h2.PROTOCOL_ERROR),
    ("headers of another stream within headers", h2.frame(h2.HEADERS, 0, 1, h2.head()) + h2.request(3), "connection", h2.PROTOCOL_ERROR),
    ("headers that go on without a beginning", h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, h2.head()), "connection", h2.PROTOCOL_ERROR),
    ("an index beyond the table", h2.frame(h2.HEADERS, PLAIN, 1, b"\xff\xff\x7f"), "connection", h2.COMPRESSION_ERROR),
    ("the index 0", h2.frame(h2.HEADERS, PLAIN, 1, b"\x80"), "connection", h2.COMPRESSION_ERROR),
    ("a table larger than allowed", h2.frame(h2.HEADERS, PLAIN, 1, b"\x3f\xe2\xff\x03" + h2.head()), "connection", h2.COMPRESSION_ERROR),
    ("a string longer than its frame", h2.frame(h2.HEADERS, PLAIN, 1, b"\0\x7f\xff\x7fabc"), "connection", h2.COMPRESSION_ERROR),
    ("a number without an end", h2.frame(h2.HEADERS, PLAIN, 1, b"\x7f" + b"\xff" * 20), "connection", h2.COMPRESSION_ERROR),
    ("a window that grows by 0", h2.frame(h2.WINDOW_UPDATE, payload=bytes(4)), "connection", h2.PROTOCOL_ERROR),
    ("a window beyond 2^31", h2.frame(h2.WINDOW_UPDATE, payload=b"\x7f\xff\xff\xff") * 2, "connection", h2.FLOW_CONTROL_ERROR),
    ("a window of an idle stream", h2.frame(h2.WINDOW_UPDATE, 0, 9, b"\0\0\0\1"), "connection", h2.PROTOCOL_ERROR),
    ("a window's growth in 3 bytes", h2.frame(h2.WINDOW_UPDATE, payload=bytes(3)), "connection", h2.FRAME_SIZE_ERROR),
    ("settings in 5 bytes", h2.frame(h2.SETTINGS, payload=bytes(5)), "connection", h2.FRAME_SIZE_ERROR),
    ("settings of a stream", h2.frame(h2.SETTINGS, 0, 1), "connection", h2.PROTOCOL_ERROR),
    ("settings that acknowledge and say something", h2.frame(h2.SETTINGS, h2.ACK, 0, bytes(6)), "connection", h2.FRAME_SIZE_ERROR),
    ("a window of 2^31 in settings", h2.settings((h2.INITIAL_WINDOW_SIZE, 1 << 31)), "connection", h2.FLOW_CONTROL_ERROR),
    ("frames of 1 byte in settings", h2.settings((h2.MAX_FRAME_SIZE, 1)), "connection", h2.PROTOCOL_ERROR),
    ("a ping of 7 bytes", h2.frame(h2.PING, payload=bytes(7)), "connection", h2.FRAME_SIZE_ERROR),
    ("a ping of a stream", h2.frame(h2.PING, 0, 1, bytes(8)), "connection", h2.PROTOCOL_ERROR),
    ("a promise of the client", h2.frame(h2.PUSH_PROMISE, h2.END_HEADERS, 1, b"\0\0\0\2" + h2.head()), "connection", h2.PROTOCOL_ERROR),
    ("a reset of an idle stream", h2.frame(h2.RST_STREAM, 0, 7, bytes(4)), "connection", h2.PROTOCOL_ERROR),
    ("a reset of 3 bytes", OPEN + h2.frame(h2.RST_STREAM, 0, 1, bytes(3)), "connection", h2.FRAME_SIZE_ERROR),
    ("no path", headers(*PSEUDO[:2], PSEUDO[3]), "stream", h2.PROTOCOL_ERROR),
    ("no method", headers(*PSEUDO[1:]), "stream", h2.PROTOCOL_ERROR),
    ("an empty path", headers(PSEUDO[0], PSEUDO[1], (":path", ""), PSEUDO[3]), "stream", h2.PROTOCOL_ERROR),
    ("two paths", headers(*PSEUDO, (":path", "/")), "stream", h2.PROTOCOL_ERROR),
    ("a path behind headers", headers(PSEUDO[0], PSEUDO[1], ("x", "y"), PSEUDO[2]), "stream", h2.PROTOCOL_ERROR),
    ("a status in a request", headers(*PSEUDO, (":status", "200")), "stream", h2.PROTOCOL_ERROR),
    ("a header in capitals", headers(*PSEUDO, ("X", "y")), "stream", h2.PROTOCOL_ERROR),
    ("a line feed in a header", headers(*PSEUDO, ("x", "a\nb: c")), "stream", h2.PROTOCOL_ERROR),
    ("a zero byte in a header", headers(*PSEUDO, ("x", "a\0b")), "stream", h2.PROTOCOL_ERROR),
    ("a line's end in the path", headers(PSEUDO[0], PSEUDO[1], (":path", "/ HTTP/1.1\r\nx: y"), PSEUDO[3]), "stream", h2.PROTOCOL_ERROR),
    ("Connection", headers(*PSEUDO, ("connection", "close")), "stream", h2.PROTOCOL_ERROR),
    ("Transfer-Encoding", headers(*PSEUDO, ("transfer-encoding", "chunked")), "stream", h2.PROTOCOL_ERROR),
    ("TE: gzip", headers(*PSEUDO, ("te", "gzip")), "stream", h2.PROTOCOL_ERROR),
    ("a body shorter than its length", h2.request(1, "/v1/recordings?service=raw", "POST", ("content-length", "9"), end=False) +
     h2.frame(h2.DATA, h2.END_STREAM, 1, b"a 1\n"), "stream", h2.PROTOCOL_ERROR),
    ("a body longer than its length", h2.request(1, "/v1/recordings?service=raw", "POST", ("content-length", "2"), end=False) +
     h2.frame(h2.DATA, h2.END_STREAM, 1, b"a 1\n"), "stream", h2.PROTOCOL_ERROR),
)


def test_malformed(server):
    before = server.metrics()["candor_server_requests_malformed_total"]
    for what, frames, ends, code in MALFORMED:
        with h2.Connection(server.port) as c:
            c.send(frames)
            found = c.error()
            ct.ok(found == (ends, code), f"{what}: {ends} error {code}", found)
            if ends == "stream":
                ct.ok(c.alive(11), f"{what}: the connection continues")
    counted = server.metrics()["candor_server_requests_malformed_total"] - before
    ct.ok(counted == len(MALFORMED), "each is counted", (counted, len(MALFORMED)))
    ct.ok(ct.wait_until(server.balances), "recordings that they cut off are in the books")


def reset_rapidly(n):
    return b"".join(h2.request(i, "/v1/services") + h2.frame(h2.RST_STREAM, 0, i, struct.pack(">I", h2.CANCEL)) for i in range(1, 2 * n, 2))


def mistakes(n, first=1):
    """Requests with a header in capitals, for each of which the server resets a stream."""
    return b"".join(h2.frame(h2.HEADERS, PLAIN, first + 2 * i, h2.head("/healthz", "GET", ("X-Upper", "x"))) for i in range(n))


FLOODS = (
    ("resets", reset_rapidly(2000)),
    ("pings", h2.frame(h2.PING, payload=bytes(8)) * 5000),
    ("settings", h2.settings((h2.HEADER_TABLE_SIZE, 0)) * 5000),
    ("priorities", h2.frame(h2.PRIORITY, 0, 1, bytes(5)) * 5000),
    ("data without bytes", OPEN + h2.frame(h2.DATA, 0, 1) * 5000),
    ("padding without bytes", OPEN + h2.frame(h2.DATA, h2.PADDED, 1, b"\2\0\0") * 5000),
    ("headers without an end", h2.frame(h2.HEADERS, 0, 1, h2.head()) + h2.frame(h2.CONTINUATION, 0, 1) * 5000),
    ("headers without an end, with bytes", h2.frame(h2.HEADERS, 0, 1, h2.head()) +
     h2.frame(h2.CONTINUATION, 0, 1, h2.fields(("x", "y" * 1000))) * 5000),
)


def test_floods(server):
    for i, (what, frames) in enumerate(FLOODS):
        with h2.Connection(server.port) as c:
            c.send(frames)
            found = c.error() if what != "resets" else None
            if found is None:
                one, _ = c.until(lambda f: f[0] == h2.GOAWAY)
                found = ("connection", struct.unpack(">I", one[3][4:8])[0]) if one else ("the end", None)
            # the server closes while more frames come: its answer may be lost with the connection
            ct.ok(found in (("connection", h2.ENHANCE_YOUR_CALM), ("the end", None)), f"a flood of {what}: the end", found)
        counted = ct.wait_until(lambda i=i: server.metrics()["candor_server_connections_flooded_total"] == i + 1)
        ct.ok(counted, f"a flood of {what}: counted", server.metrics()["candor_server_connections_flooded_total"])
    with h2.Connection(server.port) as c:
        ended, first = (None,), 1
        while ended and ended[0] != h2.GOAWAY and first < 10000:  # each round is answered, so no request is one too many at once
            c.send(mistakes(30, first))
            ended, _ = c.until(lambda f, last=first + 58: f[0] == h2.GOAWAY or f[2] == last)
            first += 60
        ct.ok(first < 10000, f"{first // 2} mistakes, one after the other: the end", ended)
    counted = ct.wait_until(lambda: server.metrics()["candor_server_connections_flooded_total"] == len(FLOODS) + 1)
    ct.ok(counted, "mistakes: counted", server.metrics()["candor_server_connections_flooded_total"])
    with h2.Connection(server.port) as c:
        for first in range(1, 200, 40):  # fewer than the requests that a client may have at once
            c.send(mistakes(20, first))
            ended, _ = c.until(lambda f, last=first + 38: f[0] == h2.GOAWAY or f[2] == last)
        ct.ok(ended and ended[0] == h2.RST_STREAM and c.alive(1001), "a hundred mistakes: the connection continues", ended)
    with h2.Connection(server.port) as c:
        c.send(*(h2.frame(h2.HEADERS, h2.END_HEADERS, i, h2.head("/v1/recordings?service=raw", "POST")) for i in range(1, 81, 2)))
        one, _ = c.until(lambda f: f[0] in (h2.RST_STREAM, h2.GOAWAY))
        code = struct.unpack(">I", one[3] if one[0] == h2.RST_STREAM else one[3][4:8])[0] if one else None
        ct.ok(code in (h2.REFUSED_STREAM, h2.PROTOCOL_ERROR), "streams beyond the limit are refused", one)
    with h2.Connection(server.port) as c:
        c.send(OPEN, *(h2.frame(h2.DATA, 0, 1, b"x" * 16000) for _ in range(40)))
        one, seen = c.until(lambda f: f[0] in (h2.RST_STREAM, h2.GOAWAY, h2.WINDOW_UPDATE))
        ct.ok(one, "bytes beyond a window: an error, unless a worker has taken them meanwhile", seen)
    ct.ok(ct.wait_until(server.balances), "recordings that they cut off are in the books")


def test_limit_of_address():
    server = Server("few", "--max-connections-per-address", "3")
    with h2.Connection(server.port) as c:
        c.send(*(h2.request(i, "/v1/recordings?service=raw", "POST", end=False) for i in (1, 3, 5, 7)))
        one, _ = c.until(lambda f: f[0] == h2.RST_STREAM)
        ct.ok(one and one[2:] == (7, struct.pack(">I", h2.REFUSED_STREAM)), "an address has as many requests at once as connections", one)
    ct.ok(ct.wait_until(lambda: server.metrics()["candor_server_streams_refused_total"] == 1), "which is counted")
    ct.ok(server.end() == 0, "and the server ends")


def test_slow():
    server = Server("slow", "--client-timeout", "1s")
    timed_out = 'candor_server_connections_timed_out_total{during="%s"}'
    cases = (("head", h2.frame(h2.HEADERS, 0, 1, h2.head()), ("connection", h2.ENHANCE_YOUR_CALM)),
             ("answer", h2.settings((h2.INITIAL_WINDOW_SIZE, 0)) + h2.request(1, "/fleet.js"), ("stream", h2.CANCEL)))
    for during, frames, wanted in cases:
        with h2.Connection(server.port) as c:
            c.send(frames)
            found = c.error()
            ct.ok(found == wanted, f"a slow {during}: {wanted}", found)
        ct.ok(server.metrics()[timed_out % during] == 1, f"a slow {during}: counted")
    with h2.Connection(server.port) as c:
        c.send(OPEN, h2.frame(h2.DATA, 0, 1, b"a 1\n"))
        ct.ok(c.answer(1)[0] == 408 and c.alive(3), "a slow body: 408, and the connection continues")
        ct.ok(server.metrics()[timed_out % "body"] == 1, "a slow body: counted")
        begun = time.monotonic()
        one, _ = c.until(lambda f: f[0] == h2.GOAWAY)
        ct.ok(one and one[3][4:8] == bytes(4) and time.monotonic() - begun > 1, "a connection without requests ends, without an error", one)
    with h2.Connection(server.port) as c:
        c.send(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, h2.head("/healthz", "GET", ("X-Upper", "x"))))
        found, (one, _) = c.answer(1), c.until(lambda f: f[0] == h2.GOAWAY)
        ct.ok(found == (None, h2.PROTOCOL_ERROR) and one and one[3][4:8] == bytes(4), "malformed headers are over: no error after them",
              (found, one))
        ct.ok(server.metrics()[timed_out % "head"] == 1, "nor are they counted as slow")
    with h2.Connection(server.port) as c:
        begun, answers = time.monotonic(), 0
        while not c.ended and time.monotonic() - begun < ct.PATIENCE:
            c.send(h2.frame(h2.PING, payload=bytes(8)))
            c.raw.settimeout(0.2)
            try:
                one = c.next()
            except TimeoutError:
                continue
            answers += bool(one and one[0] == h2.PING)
            if one and one[0] == h2.GOAWAY:
                break
            time.sleep(0.1)
        ct.ok(answers > 3 and one and one[0] == h2.GOAWAY, "pings do not keep it open", (answers, one))
    with h2.Connection(server.port) as c, h2.Connection(server.port) as idle:
        c.send(OPEN, h2.frame(h2.DATA, 0, 1, b"a 1\n"))
        ct.ok(idle.alive(1), "one more connection")
        ct.ok(server.end() == 0, "SIGTERM ends it with connections of HTTP/2 open")


def random_frames(choose):
    """Valid beginnings with anything behind them."""
    kinds = [h2.request(1), OPEN, h2.settings((choose.randrange(8), choose.randrange(1 << 32))),
             h2.frame(h2.DATA, choose.randrange(16), 1, choose.randbytes(choose.randrange(40))),
             h2.frame(h2.HEADERS, choose.randrange(64), choose.randrange(1, 9), h2.head() + choose.randbytes(choose.randrange(10))),
             h2.frame(choose.randrange(12), choose.randrange(256), choose.randrange(8), choose.randbytes(choose.randrange(20))),
             h2.frame(h2.WINDOW_UPDATE, 0, choose.randrange(4), struct.pack(">I", choose.randrange(1 << 31))),
             h2.frame(h2.RST_STREAM, 0, choose.choice((1, 3)), bytes(4)), choose.randbytes(choose.randrange(30)),
             h2.frame(h2.HEADERS, h2.END_HEADERS, 3, h2.head("/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
                                                            "POST", ("content-type", "application/grpc"))),
             h2.frame(h2.DATA, choose.randrange(2), 3, choose.randbytes(choose.randrange(12)))]
    return b"".join(choose.choices(kinds, k=choose.randrange(1, 12)))


def test_random(server):
    choose = random.Random(7)
    for _ in range(RANDOM):
        with h2.Connection(server.port) as c:
            c.send(random_frames(choose))
            if choose.random() < 0.5:
                c.raw.settimeout(0.02)
                try:
                    c.until(lambda f: False)
                except TimeoutError:
                    pass
    with h2.Connection(server.port) as c:
        ct.ok(c.alive(1), f"{RANDOM} connections with frames at random: the server continues")
    ct.ok(ct.wait_until(server.balances), "and its books balance")


def main():
    server = Server("http2")
    if shutil.which("curl"):
        test_routes(server, "plain")
        tls = Server("http2-tls", tls=certificate("http2"))
        test_routes(tls, "tls")
        ct.ok(curl(tls, "/healthz", "--http1.1")[:2] == (200, "1.1") and tls.end() == 0, "a client may choose HTTP/1.1")
    else:
        ct.skip("ordinary clients", "curl is not installed")
    test_manners(server)
    test_malformed(server)
    test_floods(server)
    test_random(server)
    ct.ok(server.end() == 0, "the server ends normally")
    test_limit_of_address()
    test_slow()
    ct.done()


main()
