#!/usr/bin/env python3
"""candor server's HTTP: malformed requests, reuse and end of connections, slow clients beside others, thousands of idle connections,
TLS.

tier: default
timeout: 240
"""
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import DAY, Server, certificate

GET, HOST = b"GET /healthz HTTP/1.1\r\n", b"Host: localhost\r\n"
POST = b"POST /v1/recordings?service=raw HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
STACKS = b"a;b;c 70\na;b 30\n"
OK = b'{"status": "ok"}\n'
IDLE = 3000

# its fault, the bytes, the status
MALFORMED = (
    ("a line feed alone", b"GET /healthz HTTP/1.1\nHost: localhost\n\n", 400),
    ("a line feed alone behind a header", GET + b"Host: localhost\n\r\n", 400),
    ("a carriage return alone", GET + b"X: a\rY: b\r\n" + HOST + b"\r\n", 400),
    ("a header over two lines", GET + HOST + b"X: a\r\n b\r\n\r\n", 400),
    ("the same with a tab", GET + HOST + b"X: a\r\n\tb\r\n\r\n", 400),
    ("a first header that is none", GET + b" X: a\r\n" + HOST + b"\r\n", 400),
    ("a zero byte in a header", GET + HOST + b"X: a\0b\r\n\r\n", 400),
    ("a zero byte in a name", GET + HOST + b"X\0: a\r\n\r\n", 400),
    ("a zero byte in the path", b"GET /healthz\0 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a zero byte in the path, encoded", b"GET /healthz%00 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a control character", GET + HOST + b"X: a\x01b\r\n\r\n", 400),
    ("a blank before the colon", GET + HOST + b"X : a\r\n\r\n", 400),
    ("a header without a name", GET + HOST + b": a\r\n\r\n", 400),
    ("a header without a colon", GET + HOST + b"X\r\n\r\n", 400),
    ("two lengths", POST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
    ("two lengths in one", POST + b"Content-Length: 3, 3\r\n\r\nabc", 400),
    ("a length with a sign", POST + b"Content-Length: +3\r\n\r\nabc", 400),
    ("a length in hexadecimal", POST + b"Content-Length: 0x3\r\n\r\nabc", 400),
    ("no length", POST + b"Content-Length:\r\n\r\nabc", 400),
    ("a length beyond 64 bits", POST + b"Content-Length: 18446744073709551619\r\n\r\nabc", 400),
    ("a length and chunks", POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("chunks twice", POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("another coding", POST + b"Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n", 400),
    ("another coding before", POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
    ("a coding that looks like chunks", POST + b"Transfer-Encoding: chunked\x0b\r\n\r\n0\r\n\r\n", 400),
    ("chunks in HTTP/1.0", POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("two hosts", GET + HOST + HOST + b"\r\n", 400),
    ("no host", GET + b"\r\n", 400),
    ("another host in the target", b"GET http://127.0.0.1/healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a chunk without a size", CHUNKED + b"\r\nabc\r\n0\r\n\r\n", 400),
    ("a chunk whose size is no number", CHUNKED + b"0x3\r\nabc\r\n0\r\n\r\n", 400),
    ("a chunk with a negative size", CHUNKED + b"-3\r\nabc\r\n0\r\n\r\n", 400),
    ("a chunk with a blank before its size", CHUNKED + b" 3\r\nabc\r\n0\r\n\r\n", 400),
    ("a chunk with a blank behind its size", CHUNKED + b"3 \r\nabc\r\n0\r\n\r\n", 400),
    ("a chunk of 2^64 bytes", CHUNKED + b"10000000000000003\r\nabc\r\n0\r\n\r\n", 400),
    ("a chunk longer than its size", CHUNKED + b"3\r\nabcd\r\n0\r\n\r\n", 400),
    ("a chunk's size with a line feed alone", CHUNKED + b"3\nabc\r\n0\r\n\r\n", 400),
    ("a chunk's data with a line feed alone", CHUNKED + b"3\r\nabc\n0\r\n\r\n", 400),
    ("a line feed in an extension", CHUNKED + b"3;a\nb\r\nabc\r\n0\r\n\r\n", 400),
    ("a zero byte in a trailer", CHUNKED + b"3\r\nabc\r\n0\r\nX: \0\r\n\r\n", 400),
    ("endless extensions", CHUNKED + b"1;" + b"x" * 20000, 400),
    ("endless trailers", CHUNKED + b"0\r\n" + b"X: y\r\n" * 5000, 400),
    ("no version", b"GET /healthz\r\n" + HOST + b"\r\n", 400),
    ("HTTP/0.9", b"GET /healthz\r\n\r\n", 400),
    ("no target", b"GET  HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("two blanks", b"GET  /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a blank at its end", b"GET /healthz HTTP/1.1 \r\n" + HOST + b"\r\n", 400),
    ("a tab for a blank", b"GET\t/healthz\tHTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a target that is no path", b"GET healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a target that is not encoded", b"GET /%zz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a method that is none", b"G(T /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("a version that is none", b"GET /healthz HTTP/1.x\r\n" + HOST + b"\r\n", 400),
    ("another protocol", b"GET /healthz ICY/1.1\r\n" + HOST + b"\r\n", 400),
    ("an empty line", b"\r\n" + GET + HOST + b"\r\n", 400),
    ("a hello of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    ("HTTP/1.2", b"GET /healthz HTTP/1.2\r\n" + HOST + b"\r\n", 505),
    ("HTTP/2 without its preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\n\r", 505),
    ("HTTP/3", b"GET /healthz HTTP/3.0\r\n" + HOST + b"\r\n", 505),
    ("a head of 40 KB in one header", GET + HOST + b"X: " + b"x" * 40000 + b"\r\n\r\n", 431),
    ("a head of 40 KB without an end", GET + HOST + b"X: y\r\n" * 7000, 431),
    ("a request line of 40 KB", b"GET /" + b"x" * 40000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 431),
    ("500 headers", GET + HOST + b"X: y\r\n" * 500 + b"\r\n", 431),
)


def dial(server):
    return socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE)


def rest(raw):
    """Everything that arrives until the server closes the connection; a reset ends it, too."""
    got = b""
    try:
        while some := raw.recv(1 << 16):
            got += some
    except ConnectionError:
        pass
    return got


def exchange(server, request):
    with dial(server) as raw:
        raw.sendall(request)
        return rest(raw)


def is_error(content):
    try:
        return list(json.loads(content)) == ["error"]
    except ValueError:
        return False


class Answers:
    """Reads the answers of one connection, one after the other."""

    def __init__(self, raw):
        self.raw, self.rest = raw, b""

    def more(self):
        some = self.raw.recv(1 << 16)
        self.rest += some
        return some

    def head(self):
        while b"\r\n\r\n" not in self.rest and self.more():
            pass
        top, _, self.rest = self.rest.partition(b"\r\n\r\n")
        return top.decode()

    def next(self, body=True):
        """(status, head, body)"""
        top = self.head()
        match = re.match(r"HTTP/1\.1 (\d+) ", top)
        length = re.search(r"(?im)^Content-Length: (\d+)\r?$", top)
        n = int(length[1]) if length and body else 0
        while len(self.rest) < n and self.more():
            pass
        content, self.rest = self.rest[:n], self.rest[n:]
        return int(match[1]) if match else None, top, content


def test_malformed(server):
    before = server.metrics()["candor_server_requests_malformed_total"]
    for what, request, status in MALFORMED:
        answer = exchange(server, request)
        top, _, content = answer.partition(b"\r\n\r\n")
        good = top.startswith(b"HTTP/1.1 %d " % status) and b"\r\nConnection: close" in top and answer.count(b"HTTP/1.1 ") == 1 and \
            b"\r\nContent-Type: application/json" in top
        ct.ok(good and is_error(content), f"{what}: {status} as JSON, and the end", answer)
    ct.ok(server.metrics()["candor_server_requests_malformed_total"] == before + len(MALFORMED), "each is counted")
    answer = exchange(server, GET + HOST + b"\r\n" + b"GET /healthz HTTP/1.1\nHost: localhost\n\n" + GET + HOST + b"\r\n")
    ct.ok(re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"400"], "nothing is read behind a malformed request", answer)
    ct.ok(ct.wait_until(server.balances), "those with a recording are in the books")


def test_manners(server):
    with dial(server) as raw:
        answers = Answers(raw)
        for _ in range(3):
            raw.sendall(GET + HOST + b"\r\n")
            status, top, content = answers.next()
            kept = "\r\nConnection: keep-alive" in top and "\r\nDate: " in top
            ct.ok((status, content) == (200, OK) and kept, "a connection is kept", top)
        raw.sendall(b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"\r\n" + GET + HOST + b"\r\n")
        status, top, _ = answers.next(body=False)
        ct.ok(status == 200 and f"\r\nContent-Length: {len(OK)}\r\n" in top, "HEAD has the length and no body", top)
        ct.ok(answers.next()[::2] == (200, OK), "and the next answer follows")
        post = POST + b"Content-Length: %d\r\n\r\n" % len(STACKS) + STACKS
        chunks = CHUNKED + b"5;x=y\r\n" + STACKS[:5] + b"\r\n00b\r\n" + STACKS[5:] + b"\r\n0\r\nTrailer: x\r\n\r\n"
        get = GET + HOST + b"\r\n"
        raw.sendall(get + post + get + chunks + b"DELETE / HTTP/1.1\r\n" + HOST + b"\r\n" + get)
        got = [answers.next() for _ in range(6)]
        ct.ok([one[0] for one in got] == [200, 200, 200, 200, 405, 200] and json.loads(got[1][2])["duplicate"] is False and
              json.loads(got[3][2])["duplicate"] is True, "six requests at once: answers in order, in chunks it is the same recording", got)
        raw.sendall(POST + b"Content-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        ct.ok(answers.head() == "HTTP/1.1 100 Continue", "Expect: the server says continue")
        raw.sendall(b"a 1\n")
        ct.ok(answers.next()[0] == 200, "and takes the body")
        raw.sendall(b"GET http://localhost/healthz HTTP/1.1\r\n" + HOST + b"Connection: x, Close\r\n\r\n" + GET + HOST + b"\r\n")
        status, top, content = answers.next()
        ended = "\r\nConnection: close" in top and not rest(raw)
        ct.ok((status, content) == (200, OK) and ended, "a whole address; and close means the end", top)
    with dial(server) as raw:
        for byte in GET + HOST + b"\r\n":
            raw.sendall(bytes([byte]))
        ct.ok(Answers(raw).next()[::2] == (200, OK), "a head byte by byte")
    old = b"GET /healthz HTTP/1.0\r\n"
    ct.ok(exchange(server, old + b"\r\n").endswith(OK), "HTTP/1.0 needs no Host, and its connection ends")
    with dial(server) as raw:
        answers = Answers(raw)
        raw.sendall(old + b"Connection: keep-alive\r\n\r\n")
        first = answers.next()
        raw.sendall(old + b"\r\n")
        ct.ok(first[0] == 200 and answers.next()[0] == 200 and not rest(raw), "unless it asks for more", first)
    with dial(server) as raw:
        raw.sendall(GET + HOST + b"\r\n")
        raw.shutdown(socket.SHUT_WR)
        ct.ok(rest(raw).endswith(OK), "who ends sending still gets the answer")


def test_form(server):
    """A form's content arrives byte by byte, also if it looks like the form's boundary."""
    content = b"a;b 1\r\n--Boundar;c 2\r\n-;d 3\r\n--Boundar\r\n--Bound 4\r\n"
    field = b'Content-Disposition: form-data; filename="x"; name="%s"\r\n\r\n'
    form = b"--Boundary\r\n" + field % b"labels" + b"x\r\n--Boundary\r\n" + field % b"profile" + content + b"\r\n--Boundary--\r\n"
    kind = {"Content-Type": 'multipart/form-data; boundary="Boundary"'}
    status, _, answer = server.request("POST", "/ingest", form, kind, name="form", format="folded")
    ct.ok(status == 200, "a form is taken", answer)
    ct.ok(server.request("GET", f"/v1/recordings/{json.loads(answer).get('id')}")[2] == content, "and its content is as it was sent")
    with dial(server) as raw:
        raw.sendall(b"POST /ingest?name=slow&format=folded HTTP/1.1\r\n" + HOST + b"Content-Type: " + kind["Content-Type"].encode() +
                    b"\r\nContent-Length: %d\r\n\r\n" % len(form))
        for byte in form:
            raw.sendall(bytes([byte]))
        answer = Answers(raw).next()
        number = json.loads(answer[2]).get("id")
        ct.ok(answer[0] == 200 and server.request("GET", f"/v1/recordings/{number}")[2] == content, "also byte by byte", answer)
    for what, broken in (("no end", form[:-14]), ("text behind a boundary", form.replace(b"Boundary\r\n", b"Boundary x\r\n", 1)),
                         ("a line of 2 KB", form.replace(b"filename", b"x" * 2000))):
        status, _, answer = server.request("POST", "/ingest", broken, kind, name="form", format="folded")
        ct.ok(status == 400 and b"multipart" in answer, f"a form with {what}: 400", answer)


def test_slow(server):
    """Clients that stop: others are served meanwhile, and these connections are closed after --client-timeout."""
    big = b"\n".join(b"big.Stack%d;%s 1" % (i, b"x" * 1000) for i in range(12000)) + b"\n"
    number = json.loads(server.request("POST", "/v1/recordings", big, service="big")[2])["id"]
    whole = len(server.request("GET", f"/v1/recordings/{number}")[2])
    head, body, reader = dial(server), dial(server), socket.socket()
    head.sendall(GET + b"Host: loc")
    body.sendall(POST + b"Content-Length: 1000\r\n\r\nabc")
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.settimeout(ct.PATIENCE)
    reader.connect(("127.0.0.1", server.port))
    reader.sendall(b"GET /v1/recordings/%d HTTP/1.1\r\n" % number + HOST + b"\r\n")
    ct.ok(server.request("GET", "/healthz")[0] == 200 and server.send(STACKS, service="fast")[0] == 200, "others are served beside them")
    for what, raw in (("head", head), ("body", body)):
        top, _, content = rest(raw).partition(b"\r\n\r\n")
        good = top.startswith(b"HTTP/1.1 408 ") and b"\r\nConnection: close" in top
        ct.ok(good and is_error(content), f"a slow {what}: 408", top)
    during = 'candor_server_connections_timed_out_total{during="%s"}'
    gone = ct.wait_until(lambda: server.metrics()[during % "answer"] == 1)
    ct.ok(gone and len(rest(reader)) < whole, "a client that does not read is closed", server.metrics())
    m = server.metrics()
    counts = [m[during % "head"], m[during % "body"], m['candor_server_recordings_refused_total{reason="slow"}']]
    ct.ok(counts == [1, 1, 1], "all are counted", m)
    for raw in (head, body, reader):
        raw.close()
    ct.ok(ct.wait_until(server.balances), "and the books balance")


def test_hanging_queries():
    """More queries than there are threads, and none ends: all other requests are answered."""
    server = Server("hanging")
    server.send(STACKS, service="hang", **{"from": DAY["from"], "until": DAY["to"]})
    segment = next((server.data / "segments").rglob("*.seg"))
    segment.unlink()
    os.mkfifo(segment)
    held = [server.connection() for _ in range(20)]
    for one in held:
        one.request("GET", "/v1/methods?" + urllib.parse.urlencode(DAY))
    ct.ok(server.request("GET", "/healthz")[0] == 200 and server.send(STACKS, service="other")[0] == 200 and
          server.metrics()["candor_server_connections"] >= 20, "twenty queries hang: small answers and recordings do not")
    server.end(signal.SIGKILL)
    for one in held:
        one.close()


def memory(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) << 10


def test_idle():
    """Thousands of connections that are kept open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < IDLE + 500:
        ct.skip(f"{IDLE} connections", f"the hard limit of open files is {hard}; raise it with ulimit -Hn {IDLE + 500}")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # the server raises its own
    server = Server("idle", "--max-connections-per-address", IDLE + 100)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server.request("GET", "/healthz")
    before, held, answers, good = memory(server.process.pid), [], [], 0
    for _ in range(IDLE):  # each is answered before the next one asks: requests at once would leave their own memory behind
        raw = dial(server)
        raw.sendall(GET + HOST + b"\r\n")
        held.append(raw)
        answers.append(Answers(raw))
        good += answers[-1].next()[::2] == (200, OK)
    ct.ok(good == IDLE, f"{IDLE} connections, each is answered")
    m = server.metrics()
    ct.ok(m["candor_server_connections"] == IDLE + 1, "and all are kept", m["candor_server_connections"])
    each = (memory(server.process.pid) - before) / IDLE
    ct.ok(ct.SANITIZED or each < 1024, f"an idle one costs {each:.0f} bytes of the server's memory")
    for raw in held[::100]:
        raw.sendall(GET + HOST + b"\r\n")
    ct.ok(all(one.next()[0] == 200 for one in answers[::100]), "some are used again")
    ct.ok(server.end() == 0, "SIGTERM ends the server with all of them open")
    ct.ok(not any(one.more() for one in answers), "and each sees the end")
    for raw in held:
        raw.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_limits():
    for option, limit in (("--max-connections-per-address", "address"), ("--max-connections", "all")):
        server = Server(f"limit-{limit}", option, 5)
        held = [dial(server) for _ in range(5)]
        for raw in held:
            raw.sendall(GET + HOST + b"\r\n")
            ct.ok(Answers(raw).next()[0] == 200, f"{option} 5: one is let in")
        top, _, content = rest(dial(server)).partition(b"\r\n\r\n")
        good = top.startswith(b"HTTP/1.1 503 ") and b"\r\nRetry-After: " in top
        ct.ok(good and is_error(content), "the sixth is not: 503", top)
        held.pop().close()
        m = {}
        ct.ok(ct.wait_until(lambda: m.update(try_metrics(server)) or m), "one leaves, another is let in")
        ct.ok(m.get(f'candor_server_connections_refused_total{{limit="{limit}"}}', 0) >= 1, "who was refused is counted", m)
        for raw in held:
            raw.close()
        ct.ok(server.end() == 0, "ends by SIGTERM")
    for wrong in (("--max-connections", "0"), ("--max-connections-per-address", "x"), ("--client-timeout", "10ms"),
                  ("--max-send-wait", "0")):
        result = ct.candor("server", *wrong, "--data", ct.WORK / "wrong")
        ct.ok(result.status == 2 and wrong[0] in result.err, f"{wrong} is refused", result)


def try_metrics(server):
    try:
        return server.metrics()
    except (OSError, IndexError, ValueError, http.client.HTTPException):  # 503 or a reset
        return {}


def test_stop():
    """SIGTERM with connections in every state: requests that have begun are answered."""
    server = Server("stop")
    idle, head, body, silent = (dial(server) for _ in range(4))
    idle.sendall(GET + HOST + b"\r\n")
    ct.ok(Answers(idle).next()[0] == 200, "one is idle")
    head.sendall(GET)
    body.sendall(POST + b"Content-Length: %d\r\n\r\n" % len(STACKS) + STACKS[:5])
    ct.ok(ct.wait_until(lambda: server.metrics()["candor_server_recordings_in_progress"] == 1), "one is sending a recording")
    server.process.send_signal(signal.SIGTERM)
    ct.ok(not rest(idle) and not rest(head) and not rest(silent), "the others are closed")
    body.sendall(STACKS[5:])
    status, top, content = Answers(body).next()
    ct.ok(status == 200 and "\r\nConnection: close" in top and json.loads(content)["id"] == 1, "the recording is taken", top)
    body.close()
    ct.ok(server.process.wait(ct.PATIENCE) == 0, "and the server ends")
    server.end()
    server = Server("stop")
    ct.ok(len(server.recordings(**{"from": "-1h", "to": "now"})) == 1, "it is there")
    server.end()


def test_tls():
    tls = certificate("front")
    server = Server("tls", "--client-timeout", "2s", tls=tls)
    silent, half = dial(server), dial(server)
    half.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")  # a hello that is not all
    ct.ok(server.request("GET", "/healthz")[0] == 200, "beside handshakes that stop, others are served")
    body = b"".join(b"tls.Stack%d;%s 1\n" % (i, b"x" * 300) for i in range(5000))
    number = json.loads(server.request("POST", "/v1/recordings", body, service="tls")[2])["id"]
    ct.ok(server.request("GET", f"/v1/recordings/{number}")[2] == body, "1.5 MB there and back")
    context = ssl.create_default_context(cafile=tls[0])
    with context.wrap_socket(dial(server), server_hostname="localhost") as raw:
        answers = Answers(raw)
        raw.sendall((GET + HOST + b"\r\n") * 50)
        ct.ok([answers.next()[0] for _ in range(50)] == [200] * 50, "fifty requests at once")
        raw.sendall(b"GET / HTTP/1.1\nHost: localhost\n\n")
        status, top, content = answers.next()
        ct.ok(status == 400 and is_error(content) and not rest(raw), "a malformed one: 400, and the end", top)
    ct.ok(b"HTTP/" not in exchange(server, GET + HOST + b"\r\n"), "without TLS there is no answer")
    ct.ok(not rest(silent) and not rest(half), "handshakes that stopped are closed")
    during = 'candor_server_connections_timed_out_total{during="handshake"}'
    ct.ok(server.metrics()[during] == 2, "and counted")
    silent.close()
    half.close()
    idle = context.wrap_socket(dial(server), server_hostname="localhost")
    ct.ok(server.end() == 0, "SIGTERM ends it with a connection open")
    idle.close()
    wrong = ct.candor("server", "--listen", "127.0.0.1:0", "--data", ct.WORK / "wrong", "--tls-cert", tls[1], "--tls-key", tls[0])
    ct.ok(wrong.status == 1 and "--tls-cert" in wrong.err and wrong.err.count("\n") == 1, "a certificate that is none: one line", wrong)


def test_addresses():
    """Several addresses: each is printed and answers, all are open or none, and each must be this machine's without tokens."""
    command = [ct.PROGRAM, "server", "--data", ct.WORK / "addresses", "--listen"]
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as busy:
        port = busy.getsockname()[1]
        refused = ct.candor(*command[1:], f"[::1]:{port}")
        said = f"cannot listen on [::1]:{port}: "
        ct.ok(refused.status and said in refused.err, "an address of IPv6 has its brackets in errors", refused)
    with subprocess.Popen([*command, "127.0.0.1:0,[::1]:0,127.0.0.2:0"], stdout=subprocess.PIPE, text=True) as process:
        urls = [process.stdout.readline().removeprefix("listening on ").strip() for _ in range(3)]
        own = urls[1].startswith("http://[::1]:") and urls[2].startswith("http://127.0.0.2:")
        ct.ok(own and len(set(urls)) == 3, "three addresses", urls)
        for url in urls:
            with urllib.request.urlopen(url + "/healthz", timeout=ct.PATIENCE) as answer:
                ct.ok(answer.status == 200, f"{url.rpartition(':')[0]} answers")
        taken = urls[0].rpartition("/")[2]
        both = ct.candor("server", "--data", ct.WORK / "others", "--listen", f"127.0.0.1:0,{taken}")
        refused = both.status == 1 and taken in both.err and both.err.count("\n") == 1 and not both.out
        ct.ok(refused, "one that is taken: none is open", both)
        process.terminate()
        ct.ok(process.wait(ct.PATIENCE) == 0, "SIGTERM ends it")
    for wrong, said in (("127.0.0.1:0,0.0.0.0:0", "0.0.0.0:0 is open to others"), ("127.0.0.1:0,", "'' is not HOST:PORT"),
                        ("127.0.0.1:0,x:70000", "'x:70000' is not HOST:PORT"), (",".join(["127.0.0.1:0"] * 9), "more than 8 addresses")):
        result = ct.candor("server", "--data", ct.WORK / "addresses", "--listen", wrong)
        ct.ok(result.status != 0 and said in result.err and result.err.count("\n") == 1, f"--listen {wrong[:40]}: refused", result)


def main():
    server = Server("front", "--client-timeout", "2s")
    test_malformed(server)
    test_manners(server)
    test_form(server)
    test_slow(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    test_hanging_queries()
    test_idle()
    test_limits()
    test_stop()
    test_tls()
    test_addresses()
    ct.done()


if __name__ == "__main__":
    main()
