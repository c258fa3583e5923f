#!/usr/bin/env python3
"""Operating candor server: its configuration file, what SIGHUP changes while it runs, its health, logs and metrics, and who may read its
files.

tier: default
timeout: 120
"""
import json
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import stat
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server, certificate

STAYS = "the old configuration stays: "


def log_of(server):
    return pathlib.Path(server.log.name).read_text()


def reload(server):
    """The server's log messages about SIGHUP."""
    before = len(log_of(server))
    server.process.send_signal(signal.SIGHUP)
    ct.wait_until(lambda: "configuration" in log_of(server)[before:])
    return log_of(server)[before:]


def limits(server):
    return server.get("/v1/storage")["limits"]


def token(tokens, wanted):
    return ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()


# ---- the file ----

def check_errors():
    file = ct.WORK / "wrong.conf"
    cases = (("\n# fine\nmax-disk = 10X\n", "line 3", "--max-disk", "10X"), ("retian = 1d\n", "line 1", "'retain'"),
             ("retain = 1d\nretain = 2d\n", "line 2", "twice"), ("check = yes\n", "line 1", "'check'"),
             ("new-token = a:read\n", "line 1", "new-token"), ("no-auth = perhaps\n", "line 1", "yes or no"),
             ("[server]\n", "line 1", "section"), ("max-body\n", "line 1", "max-body"), ("listen = nowhere\n", "line 1", "HOST:PORT"),
             ("max-connections = 0\n", "line 1", "--max-connections"), ("origin = x\n", "line 1", "--origin"),
             ("tls-cert = x\n", "--tls-cert and --tls-key"), ("max-disk-per-service = 300%\n", "line 1", "share"))
    for text, *said in cases:
        file.write_text(text)
        result = ct.candor("server", "--config", file, "--data", ct.WORK / "none")
        ct.ok(result.status == 2 and result.err.count("\n") == 1 and all(word in result.err for word in said),
              f"{text!r}: one line says why", result)
    result = ct.candor("server", "--config", ct.WORK / "missing.conf")
    ct.ok(result.status == 2 and "missing.conf" in result.err, "a file that is not there", result)


def check_every_option():
    """Each option with a value may be in the file, and is checked there as on the command line."""
    words = ct.candor("help", "server", "--all").out
    names = re.findall(r"^ {6}--([a-z-]+)", words, re.M)
    not_there = ("config", "new-token", "check", "check-alerts", "check-pull", "backup", "restore", "copy-store", "help")
    taken = [name for name in names if name not in not_there]
    file = ct.WORK / "each.conf"
    for name in taken:
        file.write_text(f"{name} = \x01\n")
        result = ct.candor("server", "--config", file, "--check", "--data", ct.WORK / "each")
        ct.ok("no option" not in result.err, f"{name} is an option of the file", result)
    ct.ok(len(taken) > 15, "all of them were tried", taken)


# ---- SIGHUP ----

def check_reload():
    file, tokens = ct.WORK / "server.conf", ct.WORK / "tokens"
    first = token(tokens, "first:read,write,admin")
    text = f"# a server\ntoken-file = {tokens}\nmax-body = 1M\nmax-disk=2G\nmax-disk-per-service = 25%\nno-auth = no\n"
    file.write_text(text)
    server = Server("reload", "--config", file, "--max-body", "1K", token=first)
    kept = limits(server)
    ct.ok(kept["max_disk"] == 2 << 30 and kept["max_disk_per_service"] == (2 << 30) // 100 * 25, "the file's limits are in force", kept)
    ct.ok(server.send(bytes(2000), service="a")[0] == 413, "and the command line takes precedence")
    second = token(tokens, "second:read")
    tokens.write_text("".join(line for line in tokens.read_text().splitlines(True) if "first" not in line))
    file.write_text(text.replace("2G", "3G") + "max-recordings = 10M\nlisten = 127.0.0.1:1\n")
    said = reload(server)
    ct.ok("changed: --max-disk, --max-recordings, --max-disk-per-service" in said and "1 tokens" in said,
          "SIGHUP: what has changed is reported", said)
    ct.ok("restart" not in said, "the command line has listen, so the file's changes nothing", said)
    ct.ok(server.request("GET", "/v1/storage")[0] == 401, "a token that was removed is refused")
    server.token = second
    kept = limits(server)
    ct.ok(kept["max_disk"] == 3 << 30 and kept["max_recordings"] == 10 << 20, "the new one is good, and so are the limits", kept)
    file.write_text(text + "origin = https://other.example\n")
    said = reload(server)
    ct.ok("restart: --origin" in said and "max_recordings" not in limits(server), "an option that needs a restart is named", said)
    file.write_text(text.replace("2G", "4G") + "max-answer = much\n")
    said = reload(server)
    ct.ok(STAYS in said and "line 7" in said and limits(server)["max_disk"] == 2 << 30, "a broken file changes nothing", said)
    file.write_text(text.replace("2G", "4G"))
    good = tokens.read_text()
    tokens.write_text(good + "broken\n")
    said = reload(server)
    ct.ok(STAYS in said and "line 2" in said and limits(server)["max_disk"] == 2 << 30, "nor do broken tokens", said)
    ct.ok(server.request("POST", "/v1/reload")[0] == 403, "a token that may only read does not reload")
    tokens.write_text(good)
    third = token(tokens, "third:read,admin")
    reload(server)
    server.token = third
    before = len(log_of(server))
    ct.ok(server.request("POST", "/v1/reload")[0] == 202 and ct.wait_until(lambda: "2 tokens" in log_of(server)[before:]),
          "one with admin does")
    ct.ok(server.end() == 0, "ends by SIGTERM")


def served(server):
    """The certificate that a new connection gets."""
    return ssl.get_server_certificate(("127.0.0.1", server.port))


def check_certificate():
    old, new = certificate("old"), certificate("new")
    place = ct.WORK / "now.pem", ct.WORK / "now-key.pem"
    for to, of in zip(place, old):
        to.write_bytes(of.read_bytes())
    server = Server("tls", tls=place)
    held = server.connection()
    held.request("GET", "/healthz")
    held.getresponse().read()
    ct.ok(served(server).split() == old[0].read_text().split(), "the first certificate")
    place[0].write_text("nothing")
    said = reload(server)
    ct.ok(f"{STAYS}--tls-cert" in said and served(server).split() == old[0].read_text().split(), "a broken one changes nothing", said)
    for to, of in zip(place, new):
        to.write_bytes(of.read_bytes())
    said = reload(server)
    ct.ok("the certificate" in said and served(server).split() == new[0].read_text().split(),
          "SIGHUP: new connections get the new one", said)
    held.request("GET", "/healthz")
    ct.ok(held.getresponse().status == 200, "and an open one continues")
    held.close()
    for _ in range(20):
        server.process.send_signal(signal.SIGHUP)
        served(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")


# ---- health ----

def check_health():
    server = Server("health")

    def status(path):
        code, _, content = server.request("GET", path)
        return code, json.loads(content)

    def becomes(code, said):
        return ct.wait_until(lambda: status("/readyz")[0] == code and said in str(status("/readyz")))

    ct.ok(status("/readyz") == status("/healthz") == (200, {"status": "ok"}), "it is alive, and ready")
    incoming = server.data / "incoming"
    incoming.rename(server.data / "catalogue-elsewhere")
    ct.ok(becomes(503, "No such file") and status("/healthz")[0] == 200,
          "without a place to write it is not ready, but alive", status("/readyz"))
    ct.ok(str(server.data) not in str(status("/readyz")), "the reason names no path", status("/readyz"))
    (server.data / "catalogue-elsewhere").rename(incoming)
    ct.ok(becomes(200, "ok"), "and is ready again")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    ct.ok(becomes(503, "disk") and status("/healthz")[0] == 200, "nor is it on a full disk", status("/readyz"))
    left = list(incoming.iterdir())
    ct.ok(not left, "and leaves nothing there", left)
    ct.ok(server.end() == 0, "ends by SIGTERM")


# ---- private files ----

def is_open_to_others(path):
    """A file that the server has removed meanwhile is not."""
    try:
        return stat.S_IMODE(path.lstat().st_mode) & 0o077 != 0
    except FileNotFoundError:
        return False


def open_to_others(folder):
    """Which files others than the owner may read, write or enter."""
    return [str(path.relative_to(folder)) for path in [folder, *folder.rglob("*")] if is_open_to_others(path)]


def check_private():
    mask = os.umask(0)
    server = Server("private")
    os.umask(mask)
    for n in range(3):
        ct.ok(server.send(b"a.Main.run;a.Hot.loop %d\n" % (n + 1), service=f"s{n}")[0] == 200, "a recording is taken")
    server.get("/v1/methods")
    ct.ok(not open_to_others(server.data), "with umask 0, all of it is private while the server runs", open_to_others(server.data))
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.ok(not open_to_others(server.data), "and afterwards", open_to_others(server.data))
    outside, link = ct.WORK / "outside", server.data / "segments" / "link"
    outside.write_text("x")
    outside.chmod(0o644)
    link.symlink_to(outside)
    for path in (server.data, *server.data.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    server = Server("private")
    link.unlink(missing_ok=True)
    ct.ok(not open_to_others(server.data), "what was open before is private after a start", open_to_others(server.data))
    ct.ok(stat.S_IMODE(outside.stat().st_mode) == 0o644, "a symbolic link is not followed")
    server.end()
    other = server.data / "notes.txt"
    other.write_text("x")
    other.chmod(0o644)
    server.data.chmod(0o755)
    server = Server("private")
    ct.ok(open_to_others(server.data) == [".", "notes.txt"] and "others may enter it" in log_of(server),
          "a folder with files of others stays as it is, and the log says so", open_to_others(server.data))
    server.end()


# ---- logs ----

HOSTILE = '/v1/x"},\n{"status":200}\r\x1b[31m\u2028\x85\x9b%n\u00e9'


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def check_access_log():
    tokens, path, moved = ct.WORK / "log-tokens", ct.WORK / "access.log", ct.WORK / "access.log.1"
    reader, writer = token(tokens, "reader:read"), token(tokens, "writer:write:service=s")
    server = Server("logged", "--token-file", tokens, "--access-log", path, "--max-body", "1000")
    body = b"a.Main.run;a.Hot.loop 7\n"

    def ask(who, method, target, content=None):
        return server.request(method, target, content, {"Authorization": f"Bearer {who}"} if who else {})

    answer = ask(reader, "GET", "/v1/services")
    ask(writer, "POST", "/v1/recordings?service=s", body)
    ask(writer, "POST", "/v1/recordings?service=other", body)
    ask(writer, "POST", "/v1/recordings?service=s", bytes(2000))
    ask(None, "GET", "/v1/services")
    ask(reader, "GET", urllib.parse.quote(HOSTILE))
    with socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE) as raw:
        raw.sendall(b"nonsense\r\n\r\n")
        raw.recv(1000)
    with socket.create_connection(("127.0.0.1", server.port), ct.PATIENCE) as raw:
        raw.sendall(b"POST /v1/recordings?service=s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + writer.encode() +
                    b"\r\nContent-Length: 100\r\n\r\n12345")
        ct.wait_until(lambda: list((server.data / "incoming").iterdir()))
    ct.wait_until(lambda: len(entries(path)) == 8)
    lines = entries(path)
    ct.ok(len(lines) == 8 and len(path.read_text().splitlines()) == 8, "a line for each request, whatever is in it", lines)
    ct.ok([(line.get("token"), line.get("method"), line["status"]) for line in lines] ==
          [("reader", "GET", 200), ("writer", "POST", 200), ("writer", "POST", 403), ("writer", "POST", 413), (None, "GET", 401),
           ("reader", "GET", 404), (None, None, 400), ("writer", "POST", 0)], "who asked, and what came of it", lines)
    ct.ok(lines[0]["path"] == "/v1/services" and lines[0]["address"] == "127.0.0.1" and lines[0]["out"] > len(answer[2]) and
          lines[1]["in"] > len(body) and lines[0]["ms"] >= 0, "where, from where, and how much", lines[:2])
    ct.ok("--max-body" in lines[3]["reason"] and "'other'" in lines[2]["reason"] and "reason" not in lines[0], "why it was refused", lines)
    ct.ok(lines[5]["path"] == re.sub("[\0-\x1f\x7f-\x9f]", "?", HOSTILE),
          "a path that would end a line, or control a terminal, is text", lines[5])
    ct.ok(not {reader, writer} & set(path.read_text().replace('"', " ").split()), "no token is in it")
    ct.ok(stat.S_IMODE(path.stat().st_mode) == 0o600, "only its owner may read it")
    path.rename(moved)
    reload(server)
    ct.wait_until(path.exists)
    ask(reader, "GET", "/v1/services")
    ct.ok(ct.wait_until(lambda: len(entries(path)) == 1) and len(entries(moved)) == 8, "SIGHUP opens a new file", entries(path))
    check_refusals(server, ask)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    result = ct.candor("server", "--access-log", ct.WORK / "no" / "access.log", "--data", ct.WORK / "no-log")
    ct.ok(result.status == 1 and "--access-log" in result.err, "a log that cannot be written", result)


def check_refusals(server, ask):
    """Refusals are in the operator's log, one line each, and only a few of many."""
    for i in range(300):
        ask(None, "GET", urllib.parse.quote(f"/v1/recordings/{i}\n2026-01-01T00:00:00Z forged"))
    said = [line for line in log_of(server).splitlines() if "refused: 127.0.0.1" in line]
    ct.ok(len(said) >= 3 and "401" in said[-1] and not [line for line in log_of(server).splitlines() if "forged" in line[:40]],
          "a refusal is one line in the log", said)
    ct.ok(len(said) <= 40, f"three hundred are {len(said)} lines")
    ct.ok(any("(token writer)" in line and "POST /v1/recordings: 403" in line for line in said), "with the name of the token", said)


# ---- metrics ----

def check_metrics():
    server = Server("measured")
    server.send(b"a.Main.run;a.Hot.loop 7\n", service="s")
    for path in ("/v1/services", "/v1/series", "/", "/healthz", "/nothing"):
        server.request("GET", path)
    server.request("POST", "/querier.v1.QuerierService/ProfileTypes", b"{}", {"Content-Type": "application/json"})
    m = server.metrics()
    counts = {route: m[f'candor_server_request_seconds_count{{route="{route}"}}'] for route in ("send", "query", "call", "page", "other")}
    ct.ok(counts == {"send": 1, "query": 2, "call": 1, "page": 1, "other": 2}, "requests are counted by route", counts)
    for route in counts:
        buckets = [value for name, value in m.items() if name.startswith(f'candor_server_request_seconds_bucket{{route="{route}"')]
        ct.ok(len(buckets) == 9 and buckets == sorted(buckets) and buckets[-1] == counts[route], f"{route}: the buckets add up", buckets)
    ct.ok(m["candor_server_request_bytes_total"] > 500 and m["candor_server_answer_bytes_total"] > 1000, "bytes in and out", m)
    ct.ok(any(name.startswith('candor_server_build_info{version="') for name in m), "the version")
    _, headers, plain = server.request("GET", "/metrics")
    _, open_headers, content = server.request("GET", "/metrics", headers={"Accept": "application/openmetrics-text;version=1.0.0,*/*;q=0.1"})
    ct.ok(headers["Content-Type"].startswith("text/plain") and open_headers["Content-Type"].startswith("application/openmetrics-text"),
          "OpenMetrics on request")
    check_openmetrics(plain.decode(), content.decode())
    ct.ok(server.end() == 0, "ends by SIGTERM")


def check_openmetrics(plain, text):
    lines = text.splitlines()
    types = dict(line.split()[2:4] for line in lines if line.startswith("# TYPE "))
    samples = [re.split(r"[ {]", line)[0] for line in lines if not line.startswith("#")]
    ct.ok(text.endswith("# EOF\n") and text.count("# EOF") == 1, "it ends")
    ends = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
    known = {family + end for family, kind in types.items() for end in ends[kind]}
    ct.ok(set(samples) <= known and not [name for name in types if name.endswith("_total")], "each sample has its family",
          set(samples) - known)
    before = [re.split(r"[ {]", line)[0] for line in plain.splitlines() if not line.startswith("#")]
    ct.ok(before == samples and len(types) > 30, "and there are as many as in the text format")


def main():
    check_errors()
    check_every_option()
    check_reload()
    check_certificate()
    check_health()
    check_private()
    check_access_log()
    check_metrics()
    ct.done()


if __name__ == "__main__":
    main()
