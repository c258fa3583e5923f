#!/usr/bin/env python3
"""Profiles that the server fetches by --pull: sums are subtracted, exact to the unit, also when the program starts again; programs that do
not answer, or answer with anything else, are named and counted, and hinder nobody; a reload loses nothing.

tier: default
timeout: 300
"""
import base64
import contextlib
import gzip
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pprofs
from servers import Server, certificate

NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW + 3600}
MEMORY = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))
CONTENTION = (("contentions", "count"), ("delay", "nanoseconds"))
CPU = (("samples", "count"), ("cpu", "nanoseconds"))


class Program:
    """A program that offers profiles. answers: path -> function(handler), or the bytes of the answer."""

    def __init__(self, answers, port=0, tls=None):
        self.answers, self.seen = answers, []
        program = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                program.seen.append((self.path, self.headers.get("Authorization")))
                answer = program.answers.get(self.path.split("?")[0])
                with contextlib.suppress(OSError):
                    if callable(answer):
                        answer(self)
                    else:
                        self.reply(200 if answer is not None else 404, answer or b"no such page\nsecond line")

            def reply(self, status, body, **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def section(name, url, *lines, service=None):
    return "\n".join([f"[pull {name}]", f"url = {url}", f"service = {service or name}", "interval = 1s", "timeout = 2s", *lines, ""])


def start(name, text, *options):
    path = ct.WORK / f"{name}.conf"
    path.write_text(text)
    return Server(name, "--pull", path, *options), path


def targets(server):
    return {(one["name"], one["profile"]): one for one in server.get("/v1/pull")["targets"]}


def reaches(server, key, member, least):
    """Waits until a number of a target is at least this. Returns the target."""
    return ct.wait_until(lambda: targets(server).get(key, {}).get(member, -1) >= least) and targets(server)[key]


def types_of(server, service):
    found = {one["name"]: one["types"] for one in server.get("/v1/services", **TIME)["services"]}
    return found.get(service, {})


# ---- sums ----

def memory(**functions):
    """functions: name -> the four values."""
    return gzip.compress(pprofs.make(MEMORY, list(functions.items()), start=int(time.time())))


def mutex(**functions):
    return pprofs.make(CONTENTION, list(functions.items()), start=int(time.time()))


def next_pull(server, key, program, path, body):
    """Puts another profile there, and waits until it was fetched and kept."""
    before = targets(server)[key]
    program.answers[path] = body
    ct.wait_until(lambda: targets(server)[key]["good_ns"] > before["good_ns"] + 1.1e9)


def check_sums():
    program = Program({"/debug/pprof/allocs": memory(a=(10, 1000, 1, 100), b=(3, 30, 0, 0)), "/debug/pprof/mutex": mutex(a=(5, 500))})
    server, _ = start("sums", section("sums", program.url, "profiles = memory, mutex", "label.env = live"))
    key, other = ("sums", "memory"), ("sums", "mutex")
    ct.ok(reaches(server, other, "nothing_new", 1), "a profile of sums without anything new is not kept")
    ct.ok(targets(server)[key]["first"] == targets(server)[other]["first"] == 1, "the first one is only compared with", targets(server))
    next_pull(server, key, program, "/debug/pprof/allocs", memory(a=(12, 1300, 0, 0), b=(3, 30, 0, 0), c=(1, 7, 0, 0)))
    next_pull(server, other, program, "/debug/pprof/mutex", mutex(a=(5, 500), b=(2, 90)))
    found = types_of(server, "sums")
    ct.ok((found["alloc_objects:count"], found["alloc_space:bytes"]) == (3, 307), "of memory, the sum is what was added", found)
    ct.ok((found["mutex_count:count"], found["mutex_duration:ns"]) == (2, 90), "and of contention", found)
    labelled = 'service="sums",env="live",instance="127.0.0.1:%d"' % program.port
    ct.ok(server.total(labelled, type="alloc_space:bytes", **TIME) == 307, "with the labels of the section, and the instance")
    next_pull(server, key, program, "/debug/pprof/allocs", memory(a=(2, 200, 0, 0), d=(9, 5000, 0, 0)))
    found = types_of(server, "sums")
    ct.ok((found["alloc_objects:count"], found["alloc_space:bytes"]) == (14, 5507), "after a start, all of the new sums count", found)
    ct.ok(targets(server)[key]["restarts"] == 1 and targets(server)[other]["restarts"] == 0, "a start is seen and counted", targets(server))
    m = server.metrics()
    ct.ok(m["candor_server_pull_restarts_total"] == 1 and
          m[f'candor_server_pull_up{{target="sums",instance="127.0.0.1:{program.port}",profile="memory"}}'] == 1, "also in /metrics", m)
    ct.ok(server.balances() and m['candor_server_recordings_received_by_total{protocol="pull"}'] > 0, "recordings balance")
    program.end()
    ct.ok(ct.wait_until(lambda: targets(server)[key]["state"] == "failing") and "onnect" in targets(server)[key]["problem"],
          "a program that is gone is named", targets(server))
    again = Program({"/debug/pprof/allocs": memory(a=(2, 230, 0, 0), d=(9, 5000, 0, 0))}, port=program.port)
    ct.ok(ct.wait_until(lambda: targets(server)[key]["state"] == "good"), "when it is back, all goes on", targets(server))
    ct.ok(ct.wait_until(lambda: types_of(server, "sums")["alloc_space:bytes"] == 5537), "and the sums of that time count", found)
    said = pathlib.Path(server.log.name).read_text()
    ct.ok(said.count(f"memory of {program.url}: works again") == 1, "the log has one line for each change", said)
    again.end()
    ct.ok(server.end() == 0, "the server ends normally")


# ---- profiles for some seconds ----

def check_cpu():
    sent = []

    def profile(handler):
        sent.append(1)
        handler.reply(200, gzip.compress(pprofs.make(CPU, [("spin", (7, 70_000_000))], start=NOW - 86400 * 700)))
    program, key = Program({"/app/x": profile}), ("cpu", "cpu")
    server, _ = start("cpu", section("cpu", f"{program.url}/app/", "profiles = cpu", "path.cpu = /x?debug=0"))
    one = reaches(server, key, "stored", 2)
    ct.ok(one and program.seen[0][0] == "/app/x?debug=0&seconds=1", "the program is asked for the interval's seconds", program.seen[:1])
    instance = f"127.0.0.1:{program.port}/app"
    ct.ok(server.total(f'instance="{instance}"', type="cpu:ns", **TIME) and
          server.metrics().get(f'candor_server_pull_up{{target="cpu",instance="{instance}",profile="cpu"}}') == 1,
          "programs behind one address differ by their paths", server.metrics())
    program.answers["/app/x"] = gzip.compress(pprofs.make(CPU, []))
    one = reaches(server, key, "stored", len(sent) + 1)
    ct.ok(one and one["state"] == "good", "a profile without samples is good, too", targets(server))
    ct.ok(server.total('service="cpu"', type="cpu:ns", **TIME) == len(sent) * 70_000_000,
          "each profile counts once, at the time of this host's clock", (len(sent), types_of(server, "cpu")))
    program.end()
    server.end()


# ---- programs that answer with anything else ----

def bomb():
    return gzip.compress(bytes(80 << 20))


def check_bad():
    hold = threading.Event()
    good = mutex(a=(1, 1))
    answers = {
        "stalls": (lambda h: hold.wait(ct.PATIENCE), "imed out"),
        "stalls-inside": (lambda h: (h.send_response(200), h.send_header("Content-Length", "100"), h.end_headers(), h.wfile.write(b"x"),
                                     h.wfile.flush(), hold.wait(ct.PATIENCE)), "imed out"),
        "garbage": (os.urandom(5000), "damaged"),
        "text": (b"heap profile: 1: 2 [3: 4] @ heap/1048576\n", "damaged"),
        "nothing": (lambda h: h.reply(200, b""), "damaged"),
        "huge": (os.urandom(2 << 20), "too large"),
        "bomb": (bomb(), "more than|limit|larger|too large|at most"),
        "cut": (gzip.compress(good)[:-9], "cut|damaged|ends"),
        "cut-inside": (good[:-4], "damaged"),
        "negative": (pprofs.make(CONTENTION, [("a", (-1, 5))]), "damaged"),
        "many-values": (pprofs.make([(f"v{i}", "count") for i in range(9)], [("a", [1] * 9)]), "damaged"),
        "elsewhere": (lambda h: h.reply(302, b"", Location="file:///etc/passwd"), "302, a redirect, which"),
        "missing": (None, "404: no such page"),
        "broken": (lambda h: h.reply(500, b"Could not enable CPU profiling: in use\n"), "500: Could not enable CPU profiling: in use"),
        "cuts-off": (lambda h: h.connection.shutdown(socket.SHUT_RDWR), ""),
    }
    program = Program({"/good": good})
    program.answers.update({f"/{name}/": body for name, (body, _) in answers.items()})
    text = section("good", program.url, "profiles = mutex", "path.mutex = /good")
    for name in answers:
        text += section(name, f"{program.url}/{name}", f"profiles = {'mutex, cpu' if name == 'garbage' else 'mutex'}", "path.mutex = /",
                        "path.cpu = /")
    server, _ = start("bad", text, "--max-body", "1M")
    ct.ok(ct.wait_until(lambda: all(one["state"] == "failing" for (name, _), one in targets(server).items() if name != "good"), 60),
          "each of them fails", {name: one["state"] for (name, _), one in targets(server).items()})
    for (name, profile), one in targets(server).items():
        problem = one["problem"] or ""
        ct.ok(name == "good" or profile == "cpu" or re.search(answers[name][1], problem), f"{name}: {problem}", one)
    before = targets(server)[("good", "mutex")]["nothing_new"]
    ct.ok(reaches(server, ("good", "mutex"), "nothing_new", before + 2), "meanwhile a good one is fetched as before")
    m = server.metrics()
    counts = {result: m[f'candor_server_pulls_total{{result="{result}"}}'] for result in ("stored", "failed", "refused")}
    ct.ok(not counts["stored"] and counts["failed"] >= 6 and counts["refused"] >= 6, "and all are counted", counts)
    down = [name for name, value in m.items() if name.startswith("candor_server_pull_up") and not value]
    ct.ok(len(down) == len(answers) + 1, "and named in /metrics", down)
    ct.ok(not [path for path, _ in program.seen if "passwd" in path] and not server.get("/v1/services", **TIME)["services"],
          "nothing of it is stored")
    hold.set()
    ct.ok(server.end() == 0, "the server ends normally")
    program.end()


def check_names():
    """A name whose resolution takes longer than the request."""
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        silent.bind(("127.77.0.1", 53))
    except OSError as e:
        return ct.skip("a name that is not resolved", f"port 53: {e}")
    if ct.run("unshare", "-rm", "true").status:
        return ct.skip("a name that is not resolved", "it needs namespaces of users and mounts")
    names, config, times = ct.WORK / "resolv.conf", ct.WORK / "names.conf", []
    names.write_text("nameserver 127.77.0.1\noptions timeout:8 attempts:2\n")
    program = Program({"/debug/pprof/mutex": lambda h: (times.append(time.monotonic()), h.reply(200, mutex(a=(1, 1))))})
    config.write_text(section("here", program.url, "profiles = mutex") + section("lost", "http://lost.example:1", "profiles = mutex"))
    inside = f'mount --bind {names} /etc/resolv.conf && exec "$@"'
    server = Server("names", "--pull", config, wrapper=("unshare", "-rm", "sh", "-c", inside, "sh"))
    ct.ok(reaches(server, ("lost", "mutex"), "failed", 2), "the request fails", targets(server))
    gaps = [later - former for former, later in zip(times, times[1:])]
    ct.ok(gaps and max(gaps) < 6, "meanwhile another program is fetched as before", gaps)
    begin = time.monotonic()
    ct.ok(server.end() == 0 and time.monotonic() - begin < 4, "the end does not wait for it", time.monotonic() - begin)
    program.end()
    silent.close()
    return None


# ---- secrets and certificates ----

def check_secrets():
    (ct.WORK / "token").write_text("s3cret\n")
    (ct.WORK / "password").write_text("pass word".replace(" ", "") + "\n")
    tls = certificate("target")
    plain, secure = Program({"/debug/pprof/mutex": mutex(a=(1, 1))}), Program({"/debug/pprof/mutex": mutex(a=(1, 1))}, tls=tls)
    server, _ = start("secrets", section("token", plain.url, "profiles = mutex", f"token-file = {ct.WORK / 'token'}") +
                      section("user", f"{plain.url}/./", "profiles = mutex", "path.mutex = /debug/pprof/mutex", "user = me",
                              f"password-file = {ct.WORK / 'password'}") +
                      section("tls", secure.url, "profiles = mutex", f"ca-file = {tls[0]}") +
                      section("distrust", secure.url.replace("127.0.0.1", "localhost"), "profiles = mutex"))
    ct.ok(all(reaches(server, (name, "mutex"), "first", 1) for name in ("token", "user", "tls")), "each is fetched", targets(server))
    sent = {header for _, header in plain.seen}
    ct.ok(sent == {"Bearer s3cret", "Basic " + base64.b64encode(b"me:password").decode()}, "with its token, or user and password", sent)
    ct.ok(ct.wait_until(lambda: "certificate" in (targets(server)[("distrust", "mutex")]["problem"] or "")),
          "a program with an unknown certificate is not", targets(server))
    ct.ok("s3cret" not in json.dumps(server.get("/v1/pull")), "the API does not show secrets")
    server.end()
    plain.end()
    secure.end()


# ---- configuration ----

def check_reload():
    program = Program({"/debug/pprof/mutex": mutex(a=(5, 500))})
    server, path = start("reload", section("one", program.url, "profiles = mutex") +
                         section("two", program.url + "/gone", "profiles = mutex"))
    ct.ok(reaches(server, ("one", "mutex"), "first", 1) and reaches(server, ("two", "mutex"), "failed", 1), "two targets")
    path.write_text("[pull one]\nurl = ftp://x\n")
    server.process.send_signal(signal.SIGHUP)
    log = pathlib.Path(server.log.name)
    ct.ok(ct.wait_until(lambda: "the old configuration stays" in log.read_text()) and len(targets(server)) == 2,
          "after an error in the file the targets stay", log.read_text())
    path.write_text(section("renamed", program.url, "profiles = mutex, cpu", "path.cpu = /cpu", service="one"))
    server.process.send_signal(signal.SIGHUP)
    ct.ok(ct.wait_until(lambda: set(targets(server)) == {("renamed", "mutex"), ("renamed", "cpu")}), "otherwise there are others",
          targets(server))
    program.answers["/debug/pprof/mutex"] = mutex(a=(6, 540))
    ct.ok(ct.wait_until(lambda: types_of(server, "one").get("mutex_duration:ns") == 40) and
          targets(server)[("renamed", "mutex")]["first"] == 1, "a target that is still there goes on where it was", targets(server))
    ct.ok("2 profiles to pull" in log.read_text(), "the log says how many there are", log.read_text())
    server.end()
    program.end()


def check_file():
    good = "[pull a]\nurl = http://h:1\nservice = s\n"
    path = ct.WORK / "check.conf"
    for text, wanted in (
            (good, None), ("url = http://h:1", "before the first section"), ("[other a]\n", "known is [pull NAME]"),
            ("[pull a b]\n", "letters, digits"), (good + good, "already"), ("[pull a]\nservice = s\n", "no url"),
            ("[pull a]\nurl = http://h:1\n", "no service"), (good + "url = file:///etc/passwd\n", "http://HOST:PORT"),
            (good + "url = http://user:secret@h\n", "without user"), (good + "url = http://h:1/\n", "twice"),
            (good + "profiles = cpu, heap\n", "no profile 'heap'; known are cpu, memory"), (good + "interval = 500ms\n", "whole seconds"),
            (good + "path.memory = x\n", "begins with /"), (good + "user = me\n", "go together"), (good + "color = red\n", "known are url"),
            (good + "token-file = /nowhere\n", "/nowhere"), (good + "[pull b]\nurl = http://h:1\nservice = t\n", "another section"),
            (good + "label.a b = c\n", "a label's name")):
        path.write_text(text)
        result = ct.run(ct.PROGRAM, "server", "--check-pull", path)
        said = result.out + result.err
        ct.ok((result.status == 0) == (wanted is None) and (wanted or "good, sections: 1, urls: 1") in said and said.count("\n") == 1,
              f"--check-pull: {wanted or 'good'}", said)
    path.write_text("[pull a]\n")
    result = ct.run(ct.PROGRAM, "server", "--listen", "127.0.0.1:0", "--data", ct.WORK / "never", "--pull", path)
    ct.ok(result.status and "no url" in result.err, "the server does not start with a bad file", result.err)


check_sums()
check_cpu()
check_bad()
check_names()
check_secrets()
check_reload()
check_file()
ct.done()
