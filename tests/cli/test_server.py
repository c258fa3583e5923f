#!/usr/bin/env python3
"""candor server: recordings in and sums out, hostile and slow clients, tokens, Pyroscope's protocol, kill -9, a full disk, backup.

tier: default
timeout: 240
"""
import base64
import gzip
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import stat
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import HOT, MS
from servers import DAY, Server

def make(name, hot):
    lines = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    for i in range(hot):
        lines.append(("sample", 1, 10 * MS + i, "complete", f"{HOT};demo.Work.m{i % 50}:{i % 100}"))
    return recordings.make(name, lines).read_bytes()


def weight_of(recording):
    path = ct.WORK / "one.jfr"
    path.write_bytes(recording)
    return sum(row["self"] for row in recordings.report_json(path)["methods"])


def books_balance(server, what):
    m = server.metrics()
    refused = sum(value for name, value in m.items() if name.startswith("candor_server_recordings_refused_total"))
    got = [m[f"candor_server_recordings_{name}"] for name in ("received_total", "stored_total", "duplicates_total", "in_progress")]
    ct.ok(got[0] == sum(got[1:]) + refused, f"{what}: received = stored + duplicates + refused + on their way", m)
    return m


def test_in_and_out(server):
    first, second = make("first.jfr", 300), make("second.jfr", 200)
    sums = [weight_of(first), weight_of(second)]
    status, answer = server.send(first, service="shop", host="a", version="1")
    ct.ok((status, answer) == (200, {"id": 1, "duplicate": False}), "a recording is taken", answer)
    status, answer = server.send(first, service="shop", host="a", version="1")
    ct.ok((status, answer) == (200, {"id": 1, "duplicate": True}), "again: a duplicate", answer)
    status, answer = server.send(first, service="shop", host="b", version="1")
    ct.ok(status == 200 and not answer["duplicate"], "the same of another host is none", answer)
    status, answer = server.send(second, {"Idempotency-Key": "k1"}, service="cart", host="a")
    again = server.send(make("third.jfr", 10), {"Idempotency-Key": "k1"}, service="cart", host="c")
    ct.ok(status == 200 and again == (200, {"id": answer["id"], "duplicate": True}), "a key is as good as the content", again)
    packed = server.send(gzip.compress(second), {"X-Candor-Label": "zone=z"}, service="cart", **{"label.host": "b"})
    ct.ok(packed[0] == 200, "a packed one with labels by header and with label.", packed)
    ct.ok(server.total() == 2 * sum(sums), "the sum of all is that of the sources, to the nanosecond", (server.total(), sums))
    ct.ok(server.total('service="shop"') == 2 * sums[0] and server.total('{zone="z",host=~"a|b"}') == sums[1], "and by labels")
    ct.ok(server.total(type="cpu:samples") == 0, "nothing of another type")
    few = server.get("/v1/flamegraph", max_nodes=5)["server"]
    ct.ok(few["shown"] + few["pruned"] == few["total"] == 2 * sum(sums) and few["nodes_pruned"] > 40 and few["pruned"] > 0,
          "shown + pruned is the sum, exactly", few)
    services = {s["name"]: s for s in server.get("/v1/services")["services"]}
    ct.ok(services["shop"]["types"] == {"cpu:ns": 2 * sums[0]} and services["cart"]["recordings"] == 2 and
          sorted(services["shop"]["labels"]["host"]) == ["a", "b"], "the services", services)
    series = server.get("/v1/series", by="service", step="60")
    ct.ok({s["value"]: sum(p[1] for p in s["points"]) for s in series["series"]} == {"shop": 2 * sums[0], "cart": 2 * sums[1]},
          "the series", series)
    ct.ok(server.request("GET", "/v1/recordings/1")[2] == first, "the recording comes back byte for byte")
    listed = server.get("/v1/recordings", select='host="b"')["recordings"]
    ct.ok([r["labels"].get("zone") for r in listed] == ["z", None] and listed[1]["contents"][0]["weight"] == sums[0],
          "recordings by labels", listed)
    status, _, speedscope = server.request("GET", "/v1/profile", format="speedscope", **DAY)
    ct.ok(status == 200 and json.loads(speedscope)["profiles"], "as speedscope's file", speedscope[:200])
    status, _, collapsed = server.request("GET", "/v1/profile", format="collapsed", **DAY)
    ct.ok(sum(int(line.rsplit(" ", 1)[1]) for line in collapsed.decode().splitlines()) == 2 * sum(sums), "as collapsed stacks, too")
    otlp = ct.WORK / "all.otlp"
    otlp.write_bytes(server.request("GET", "/v1/profile", **DAY)[2])
    ct.ok(sum(row["self"] for row in recordings.report_json(otlp)["methods"]) == 2 * sum(sums), "and as OTLP, read by candor report")


def test_refused(server):
    good = make("good.jfr", 3)
    cases = [
        ("no service", good, {"host": "a"}, 400), ("an empty service", good, {"service": ""}, 400),
        ("a value of 64 KB" , good, {"service": "x" * 20000}, 400), ("no UTF-8", good, {"service": b"\xff\xfe"}, 400),
        ("a zero byte", good, {"service": "a\0b"}, 400), ("a control character", good, {"service": "a\nb"}, 400),
        ("a bad name", good, {"service": "a", "x y": "b"}, 400),
        ("too many labels", good, {"service": "a", **{f"l{i}": "v" for i in range(40)}}, 400),
        ("no time", good, {"service": "a", "from": "yesterday"}, 400), ("no format", good, {"service": "a", "format": "x"}, 400),
        ("nothing known", random.Random(1).randbytes(5000), {"service": "a"}, 415), ("nothing", b"", {"service": "a"}, 400),
        ("a JFR of which nothing can be read", good[:68] + bytes(len(good) - 68), {"service": "a"}, 400),
        ("a JFR without its inside", b"FLR\0" + bytes(100), {"service": "a"}, 400),
        ("a chunk's head, and zeros", good[:68] + bytes(len(good) - 68), {"service": "a"}, 400),
        ("a chunk's head, and noise", good[:68] + random.Random(3).randbytes(len(good) - 68), {"service": "a"}, 400),
        ("the same packed", gzip.compress(good[:68] + bytes(len(good) - 68)), {"service": "a"}, 400),
        ("cut off packed", gzip.compress(good)[:-200], {"service": "a"}, 400), ("too large", bytes(3 << 20), {"service": "a"}, 413),
        ("far too large", bytes(30 << 20), {"service": "a"}, 413), ("large, without a service", bytes(30 << 20), {}, 400),
        ("unpacks to too much", gzip.compress(bytes(40 << 20)), {"service": "a"}, 413),
    ]
    before = server.total()
    for what, body, labels, expected in cases:
        status, answer = server.send(body, **labels)
        ct.ok(status == expected and "\n" not in answer["error"], f"{what}: {expected}", (status, answer))
    ct.ok(server.total() == before, "nothing of them is kept")
    ct.ok(server.request("POST", "/nothing", bytes(30 << 20))[0] == 404, "a large body at a wrong address: the answer is read")
    with socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE) as asks:
        asks.sendall(b"POST /v1/recordings?service=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n"
                     b"Expect: 100-continue\r\n\r\n")
        ct.ok(asks.recv(1000).startswith(b"HTTP/1.1 413 "), "who asks before sending is reported at once")
    huge = server.request("POST", "/v1/recordings?service=" + "x" * 70000, good)[0]
    ct.ok(huge in (400, 413, 414, 431), "a request line of 70 KB is refused", huge)
    for path, parameters in (("/v1/methods", {"select": "a=b"}), ("/v1/series", {"select": 'a=~"((((a{1,255}){1,255}){1,255}){1,255})"'}),
                             ("/v1/services", {"select": r'a=~"(b)\1"'}), ("/v1/series", {"step": "0"}), ("/v1/methods", {"from": "x"}),
                             ("/v1/flamegraph", {"max_nodes": "-1"}), ("/v1/series", {"step": "1", "from": "-365d"}),
                             ("/v1/profile", {"format": "x"})):
        ct.ok(server.get(path, **parameters)["status"] == 400, f"{path} {parameters}: 400")
    ct.ok(server.request("GET", "/v1/recordings/99999")[0] == 404 and server.request("GET", "/v1/recordings/../../etc/passwd")[0] == 404 and
          server.request("DELETE", "/v1/recordings/1")[0] == 405 and server.request("POST", "/nothing", b"")[0] == 404, "404 and 405")
    books_balance(server, "after refusals")


def test_hostile(server):
    recording = make("hostile.jfr", 7)
    weight = weight_of(recording)
    escape = f"../../candor-escaped-{os.getpid()}"
    for name in ("'; DROP TABLE recording; --", escape, '"}{', "<script>alert(1)</script>", "日本", "%00", "a" * 1024):
        status, answer = server.send(recording, service=name, host=name)
        select = 'service="%s"' % name.replace("\\", "\\\\").replace('"', '\\"')
        ct.ok(status == 200 and server.total(select) == weight, f"a service called {name[:30]}", answer)
    page = server.request("GET", "/v1/flamegraph", format="html", select='service="<script>alert(1)</script>"', **DAY)
    ct.ok(page[0] == 200 and b"<script>alert" not in page[2], "names are no markup in the page")
    names = [s["name"] for s in server.get("/v1/services")["services"]]
    ct.ok(escape in names and not (server.data / escape).exists(), "names are never paths", names)


def test_chunked(server):
    body = make("chunked.jfr", 40)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ct.PATIENCE)
    connection.request("POST", "/v1/recordings?service=chunked", iter([body[:100], body[100:5000], body[5000:]]), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
    answer = connection.getresponse()
    ct.ok(answer.status == 200 and json.loads(answer.read())["duplicate"] is False, "sent in chunks")
    connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ct.PATIENCE)
    connection.request("POST", "/v1/recordings?service=chunked", iter([bytes(1 << 20)] * 5), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
    ct.ok(connection.getresponse().status == 413, "too large in chunks is found on the way")
    connection.close()


def test_framing(server):
    """Requests that a proxy may read in another way than we do: 400, and the connection is closed."""
    get, post = b"GET /healthz HTTP/1.1\r\n", b"POST /v1/recordings?service=raw HTTP/1.1\r\n"
    host, length, chunked = b"Host: localhost\r\n", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n"
    cases = {
        "two lengths": post + host + length + length, "two that differ": post + host + length + b"Content-Length: 5\r\n",
        "a length and chunked": post + host + length + chunked, "chunked twice": post + host + chunked + chunked,
        "another coding": post + host + b"Transfer-Encoding: gzip, chunked\r\n",
        "xchunked": post + host + b"Transfer-Encoding: xchunked\r\n",
        "identity": post + host + length + b"Transfer-Encoding: identity\r\n",
        "a content coding": post + host + length + b"Content-Encoding: br\r\n",
        "a blank before the colon": post + host + b"Content-Length : 3\r\n", "before the first": get + b" X: y\r\n" + host,
        "a carriage return": get + host + b"X: a\rY: b\r\n", "two hosts": get + host + host,
        "another Expect": post + host + length + b"Expect: x\r\n",
    }
    for what, head in cases.items():
        with socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE) as raw:
            raw.sendall(head + b"\r\nabc")
            answer = b"".join(iter(lambda: raw.recv(65536), b""))
        top, _, content = answer.partition(b"\r\n\r\n")
        ct.ok(top.startswith(b"HTTP/1.1 400 ") and b"Connection: close" in top and "error" in json.loads(content) and
              answer.count(b"HTTP/1.1 ") == 1, f"{what}: 400 as JSON, and the end", answer)
    for what, head in (("no number", b"Content-Length: +3\r\n"), ("no host", b"")):
        with socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE) as raw:
            raw.sendall(post + (host if head else b"") + head + b"\r\n")
            ct.ok(b"".join(iter(lambda: raw.recv(65536), b"")).startswith(b"HTTP/1.1 400 "), f"{what}: 400, and the end")
    status, headers, content = server.request("DELETE", "/v1/recordings/1")
    ct.ok(status == 405 and headers["Allow"] == "GET, HEAD, POST" and "error" in json.loads(content), "405 says what is allowed")


def memory(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) << 10


def test_half_open(server):
    """Fifty clients that stop in the middle of a request: others are served, and these take hardly any memory."""
    before = memory(server.process.pid)
    held = []
    for i in range(50):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.sendall((b"POST /v1/recordings?service=slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nxx",
                     b"GET /v1/serv", b"")[i % 3])
        held.append(one)
    ct.ok("services" in server.get("/v1/services"), "fifty half-open connections: others are answered")
    grown = memory(server.process.pid) - before
    ct.ok(ct.SANITIZED or grown < 50 << 20, f"and they cost {grown >> 10} KiB")
    for one in held:
        one.close()
    deadline = time.monotonic() + ct.PATIENCE
    while server.metrics()["candor_server_recordings_in_progress"] and time.monotonic() < deadline:
        time.sleep(0.05)
    m = books_balance(server, "after they went")
    ct.ok(m['candor_server_recordings_refused_total{reason="cut_off"}'] >= 17, "recordings that were cut off are counted")
    ct.ok(not list((server.data / "incoming").iterdir()), "and leave no file")


def test_ingest(server):
    now = int(time.time())
    span = {"from": now - 10, "until": now, "spyName": "test", "sampleRate": "100"}

    def ingest(body, headers=None, **parameters):
        return server.request("POST", "/ingest", body, headers, **{**span, **parameters})

    def total(service):
        return server.total(f'service="{service}"', **{"from": "-1h", "to": "now"})

    app = {"name": "py.app{region=eu,pod-id=7}", "format": "folded", "units": "samples"}
    status, _, content = ingest(b"a;b;c 70\na;b 30\n", **app)
    ct.ok(status == 200 and total("py.app") == 1_000_000_000, "folded: samples become time by the sample rate", content)
    ingest(b"a;b;c 70\na;b 30\n", **app, **{"from": now - 20, "until": now - 10})
    ct.ok(total("py.app") == 2_000_000_000, "the same stacks of another time are no duplicate")
    ct.ok(server.total('region="eu",pod-id="7"', **{"from": "-1h", "to": "now"}) == 2_000_000_000, "its labels")
    jfr = make("ingest.jfr", 20)
    pprof = ct.WORK / "ingest.pb.gz"
    (ct.WORK / "ingest.jfr").write_bytes(jfr)
    ct.candor("convert", ct.WORK / "ingest.jfr", pprof)
    status, _, content = ingest(pprof.read_bytes(), name="go.app", format="pprof")
    ct.ok(status == 200 and total("go.app") == weight_of(jfr), "pprof", content)
    head = b'--Boundary\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n'
    multipart = head % (b"jfr", b"jfr") + gzip.compress(jfr) + b"\r\n" + head % (b"labels", b"labels") + b"xyz\r\n--Boundary--\r\n"
    form = {"Content-Type": "multipart/form-data; boundary=Boundary"}
    status, _, content = ingest(multipart, form, name="java.app{service_name=java}", format="jfr")
    ct.ok(status == 200 and server.total('service="java"') == weight_of(jfr), "JFR in a form, its service by the label", content)
    for what, parameters in (("no name", {}), ("a bad name", {"name": "a{b"}), ("a bad rate", {"name": "a", "sampleRate": "x"}),
                             ("a bad format", {"name": "a", "format": "tree"})):
        ct.ok(ingest(b"a 1\n", **parameters)[0] == 400, f"{what}: 400")
    ct.ok(ingest(b"--Boundary--\r\n", form, name="a")[0] == 400, "a form without a profile: 400")
    books_balance(server, "after ingest")


def test_manners(server):
    status, headers, content = server.request("GET", "/")
    policy = headers["Content-Security-Policy"]
    ct.ok(status == 200 and "default-src 'none'" in policy and "unsafe" not in policy, "the page has a strict policy", policy)
    for path in ("/", "/fleet.js", "/fleet.css"):
        text = server.request("GET", path)[2].decode()
        others = [url for url in re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", text) if "www.w3.org/2000/svg" not in url + text]
        ct.ok(text and not [u for u in others if "w3.org" not in u], f"{path} asks nothing of others", others)
        coded = lambda accepts: server.request("GET", path, headers={"Accept-Encoding": accepts})[1:]
        packed = [coded(accepts) for accepts in ("gzip", "br;q=1.0, GZIP;q=0.5", "deflate,gzip", "gzip ; q=0.1")]
        plain = [coded(accepts) for accepts in ("identity", "gzip;q=0", "gzip; q=0", "gzip ;q=0.0, br", "gzip2, br", "")]
        ct.ok(all(head["Content-Encoding"] == "gzip" and gzip.decompress(content).decode() == text for head, content in packed)
              and all(head["Content-Encoding"] is None and content.decode() == text for head, content in plain),
              f"{path} is packed for those who unpack", [dict(head) for head, _ in packed + plain])
    ct.ok(server.request("GET", "/healthz")[0] == 200, "/healthz")
    ct.ok(server.request("GET", "/v1/services", headers={"Host": "evil.example"})[0] == 403, "without tokens no other Host")
    foreign = {"Origin": "http://evil.example"}
    ct.ok(server.request("POST", "/v1/recordings?service=x", b"x", foreign)[0] == 403, "and a page of another origin")


def ask(server, host, path="/v1/services", method="GET", **headers):
    """The status of a browser's request."""
    return server.request(method, path, headers={"Host": host, **{name.replace("_", "-"): value for name, value in headers.items()}})[0]


def test_sites(server):
    here = f"127.0.0.1:{server.port}"
    for site, status in (("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403), ("x", 403)):
        ct.ok(ask(server, here, Sec_Fetch_Site=site) == status, f"Sec-Fetch-Site: {site}: {status}")
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    got = [ask(server, here, path, **{**link, **more}) for path, more in (
        ("/", {}), ("/", {"Sec_Fetch_Dest": "iframe"}), ("/v1/services", {}), ("/v1/flamegraph?format=html", {}), ("/fleet.js", {}))]
    ct.ok(got == [200, 403, 200, 200, 200], "a link may be followed from anywhere, but not within a frame", got)
    hosts = ["localhost", f"LOCALHOST:{server.port}", here, "127.9.9.9", "[::1]:80", "", "evil.example", "localhost.evil.example",
             "localhost:80.evil.example", "10.0.0.1", "127.0.0.1.evil.example", "[::1].evil.example"]
    got = [ask(server, host) for host in hosts]
    ct.ok(got == [200] * 5 + [403] * 7, "without tokens only loopback names", list(zip(hosts, got)))
    origins = [f"http://{here}", "http://evil.example", "null", "http://localhost", f"http://{here}.evil.example"]
    got = [ask(server, here, Origin=origin) for origin in origins]
    ct.ok(got == [200, 403, 403, 403, 403], "and pages of the same origin", list(zip(origins, got)))


def test_proxy():
    server = Server("open", "--no-auth", "--origin", "https://profiles.example.org,https://other.example.org:8443")
    hosts = ["profiles.example.org", "PROFILES.example.org:443", "other.example.org", "10.1.2.3:4041", "[fd00::1]", "candor-server:4041",
             "candor.monitoring.svc.cluster.local", os.uname().nodename, "evil.example", "profiles.example.org.evil.example"]
    got = [ask(server, host) for host in hosts]
    ct.ok(got == [200] * 8 + [403] * 2, "with --no-auth: names that nobody else can have, and that of --origin", list(zip(hosts, got)))
    origins = ["https://profiles.example.org", "https://other.example.org:8443", "http://profiles.example.org", "https://other.example.org"]
    got = [ask(server, "candor-server:4041", Origin=origin, Sec_Fetch_Site="same-origin") for origin in origins]
    ct.ok(got == [200, 200, 403, 403], "behind a proxy that changes Host", list(zip(origins, got)))
    server.end()
    for wrong in ("profiles.example.org", "https://", "https://a.example/path", ""):
        result = ct.candor("server", "--origin", wrong, "--data", ct.WORK / "wrong")
        ct.ok(result.status == 2 and "--origin" in result.err, f"--origin '{wrong}' is refused", result)


def test_tokens():
    tokens = ct.WORK / "tokens"
    made = {scope: ct.candor("server", "--token-file", tokens, "--new-token", f"{scope.replace(',', '-')}:{scope}").out.strip()
            for scope in ("read", "write", "read,write")}
    ct.ok(stat.S_IMODE(tokens.stat().st_mode) == 0o600 and not [t for t in made.values() if t in tokens.read_text()],
          "tokens are in their file as digests only")
    server = Server("tokens-data", "--token-file", tokens)
    body = make("token.jfr", 5)

    def status(method, path, token, content=None):
        return server.request(method, path, content, {"Authorization": token} if token else {})[0]

    bearer = {scope: f"Bearer {token}" for scope, token in made.items()}
    get, post = ("GET", "/v1/services"), ("POST", "/v1/recordings?service=x")
    basic = "Basic " + base64.b64encode(f"me:{made['read,write']}".encode()).decode()
    ct.ok(status(*get, None) == 401 and status(*get, "Bearer " + "0" * 64) == 401, "no token, a wrong one: 401")
    ct.ok(status(*post, bearer["read"], body) == 403 and status(*get, bearer["write"]) == 403, "the wrong scope: 403")
    ct.ok(status(*post, bearer["write"], body) == 200 and status(*get, bearer["read"]) == 200 and status("GET", "/", basic) == 200,
          "the right one: 200")
    ct.ok(status("GET", "/healthz", None) == 200, "/healthz wants none")
    m = server.request("GET", "/metrics", headers={"Authorization": bearer["read"]})[2].decode()
    ct.ok('refused_total{reason="not_allowed"} 1' in m, "who was not allowed is counted")
    server.end()
    result = ct.candor("server", "--listen", "0.0.0.0:0", "--data", ct.WORK / "open")
    ct.ok(result.status == 1 and "--token-file" in result.err and result.err.count("\n") == 1, "open to others wants tokens", result)
    tokens.chmod(0o666)
    result = ct.candor("server", "--token-file", tokens, "--data", ct.WORK / "open")
    ct.ok(result.status == 1 and "chmod" in result.err, "a token file that others can write to: refused", result)


def test_kill():
    """kill -9 while recordings arrive: each acknowledged recording is there once."""
    server, acknowledged, number = Server("kill"), 0, 0
    rng = random.Random(20261122)
    weight = weight_of(make("k.jfr", 1))
    body = make("k.jfr", 1)
    for round_ in range(5):
        deadline = time.monotonic() + rng.uniform(0.05, 0.4)
        while time.monotonic() < deadline:
            ct_status, answer = server.send(body, service="kill", n=number)
            acknowledged += ct_status == 200
            number += 1
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", f"/v1/recordings?service=kill&n={number}", body)
        server.end(signal.SIGKILL)
        server = Server("kill")
        status, answer = server.send(body, service="kill", n=number)
        acknowledged += status == 200
        number += 1
    ct.ok(server.total('service="kill"') == acknowledged * weight and acknowledged == number,
          f"killed five times: {acknowledged} acknowledged, each there once", server.total())
    data = server.data
    result = ct.candor("server", "--data", data)
    ct.ok(result.status == 1 and "another candor server" in result.err, "a second server on the same data: refused", result)
    server.end()
    return data, acknowledged * weight


def test_copies(data, total):
    """Neither deletes data that are older than the limits that it does not know."""
    backup = ct.WORK / "backup"
    result = ct.candor("server", "--data", data, "--backup", backup)
    ct.ok(result.status == 0, "a backup", result)
    result = ct.candor("server", "--data", backup, "--check")
    ct.ok(result.status == 0 and "good" in result.out, "which is good", result)
    server = Server("backup")
    ct.ok(server.total() == total, "and answers the same")
    server.end()
    segment = next((backup / "segments").glob("*/*.seg"))
    bytes_ = bytearray(segment.read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    segment.unlink()
    segment.write_bytes(bytes_)
    result = ct.candor("server", "--data", backup, "--check")
    ct.ok(result.status == 1 and segment.name in result.out + result.err, "a damaged segment is named", result)
    result = ct.candor("server", "--data", backup, "--check")
    ct.ok(result.status == 0 and list((backup / "quarantine").iterdir()), "and was mended", result)
    server = Server("backup")
    ct.ok(server.total() == total, "with the same sum")
    server.end()


def everything(server):
    """What a server answers to questions about all that it has."""
    ct.wait_until(lambda: not server.get("/v1/findings")["waiting"])  # recordings are judged in the background, one after the other
    paths = ("/v1/services", "/v1/recordings", "/v1/methods", "/v1/series", "/v1/flamegraph", "/v1/top", "/v1/findings", "/v1/metrics")
    return {path: server.request("GET", path, **DAY, **({"name": "cpu"} if path == "/v1/metrics" else {}))[::2] for path in paths}


def test_restore(data, total):
    """A backup, then the data are lost, then the way back: the same answers, byte for byte."""
    server, backup = Server(data.name), ct.WORK / "kept"
    server.send(make("more.jfr", 7), service="findable", host="h", zone="z")
    before = everything(server)
    ct.ok(server.total() > total and all(status == 200 for status, _ in before.values()), "answers before", before)
    server.end()
    ct.ok(ct.candor("server", "--data", data, "--backup", backup).status == 0, "a backup")
    endless = data / "recordings" / "endless"
    endless.symlink_to("endless")
    result = ct.candor("server", "--data", data, "--backup", ct.WORK / "half")
    ct.ok(result.status == 1 and "recordings/endless: cannot be read" in result.err, "a backup that lacks something is none", result)
    endless.unlink()
    for folder, said in ((data, "new or an empty"), (data / "none", "no backup")):
        result = ct.candor("server", "--data", *((data, "--restore", backup) if folder == data else (ct.WORK / "new", "--restore", folder)))
        ct.ok(result.status == 1 and said in result.err and result.err.count("\n") == 1, f"{said}: refused", result)
    shutil.rmtree(data)
    result = ct.candor("server", "--data", data, "--restore", backup)
    ct.ok(result.status == 0 and "good" in result.out, "the backup is restored, and good", result)
    server = Server(data.name)
    after = everything(server)
    ct.ok(after == before, "the answers are the same", [path for path in before if before[path] != after[path]])
    ct.ok(server.send(make("later.jfr", 8), service="findable")[0] == 200 and server.end() == 0, "it goes on receiving")
    again = ct.candor("server", "--data", f"{ct.WORK / 'second'}/", "--restore", backup)
    server = Server("second")
    ct.ok(again.status == 0 and everything(server) == before, "the backup has not changed meanwhile", again)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    (backup / "catalogue.db-wal").write_bytes(b"x")
    result = ct.candor("server", "--data", ct.WORK / "third", "--restore", backup)
    ct.ok(result.status == 1 and "a server uses it" in result.err and not (ct.WORK / "third").exists(),
          "one that is in use is refused", result)


def hang(server):
    """A query that never ends: the file that it opens is a FIFO."""
    server.send(make("stop.jfr", 3), service="stop")
    segment = next((server.data / "segments").rglob("*.seg"))
    segment.unlink()
    os.mkfifo(segment)
    held = server.connection()
    held.request("GET", "/v1/methods?" + urllib.parse.urlencode(DAY))
    hangs = ct.wait_until(lambda: waits_for_writer(server.process.pid), timeout=60)
    ct.ok(hangs and server.request("GET", "/healthz")[0] == 200, "a query hangs, others are answered")
    return held


def waits_for_writer(pid):
    """Whether a thread of the process is opening a FIFO to which nothing writes."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if re.search("wait_for_partner|fifo_open", (task / "wchan").read_text()):  # in the kernel's fs/pipe.c
                return True
        except OSError:
            pass  # it has ended
    return False


def test_stop():
    weight = weight_of(make("stop.jfr", 3))
    server = Server("stop")
    held = hang(server)
    ct.ok(server.end() == 0, "SIGTERM ends the server while a query hangs")
    held.close()
    server = Server("stop-at-once")
    held = hang(server)
    server.process.send_signal(signal.SIGTERM)
    ct.ok(ct.wait_until(lambda: "ending" in (ct.WORK / "stop-at-once.log").read_text()), "a first signal is heard")
    ct.ok(server.end() == -signal.SIGTERM, "a second one does so at once")
    held.close()
    for name in ("stop", "stop-at-once"):
        next((ct.WORK / name / "segments").rglob("*.seg")).unlink()
        server = Server(name)
        server.total()
        ct.ok(ct.wait_until(lambda: server.total() == weight), f"{name}: what was acknowledged is there", server.total())
        server.end()


def test_full_disk():
    server = Server("full", file_limit=1 << 20)
    small, large = make("small.jfr", 3), random.Random(2).randbytes(1500000)
    ct.ok(server.send(small, service="x")[0] == 200, "there is room")
    status, headers, _ = server.request("POST", "/v1/recordings?service=x", large)
    ct.ok(status == 503 and headers["Retry-After"], "there is not: 503, and when to try again", status)
    ct.ok(server.total() == weight_of(small) and server.request("GET", "/healthz")[0] == 200, "queries continue")
    ct.ok(books_balance(server, "full disk")['candor_server_recordings_refused_total{reason="disk"}'] == 1, "it is counted")
    ct.ok(not list((server.data / "incoming").iterdir()), "nothing is left of it")
    ct.ok(server.end() == 0, "ends by SIGTERM")


def main():
    server = Server("server", "--max-body", "2M", "--max-unpacked", "20M")
    test_in_and_out(server)
    test_refused(server)
    test_hostile(server)
    test_chunked(server)
    test_framing(server)
    test_half_open(server)
    test_ingest(server)
    test_manners(server)
    test_sites(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    test_proxy()
    test_tokens()
    kept = test_kill()
    test_copies(*kept)
    test_restore(*kept)
    test_stop()
    test_full_disk()
    ct.done()


if __name__ == "__main__":
    main()
