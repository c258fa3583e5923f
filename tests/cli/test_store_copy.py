#!/usr/bin/env python3
"""candor server --copy-store: a store with merged segments, roll-ups, books, labels of samples and several types goes from files to
ClickHouse and back, and each answer stays the same to the unit, for random selectors and times. Damage is counted as in the source's
answers. A copy that fails, is interrupted or is killed leaves nothing, and the next one removes what it could not.

tier: full
timeout: 900
"""
import http.client
import http.server
import json
import pathlib
import random
import re
import shutil
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import clickhouse
import pprofs
import recordings
from recordings import MS
from servers import Server

NOW = int(time.time())
HOUR = NOW - NOW % 3600
OLDEST = 1699920000  # the day of recordings.make
TYPES = ("cpu:ns", "cpu:samples", "alloc_space:bytes", "lock:ns")
SELECTORS = ("", 'service="shop"', 'service="cart"', 'service="go"', 'host="h1"', 'host=~"h[0-2]"', 'version!="2"', 'endpoint="POST /pay"',
             'service=~"shop|jfr",host!="h3"', 'sample.tenant="a"')
seed = random.randrange(1 << 30)
draw = random.Random(seed)


def collapsed(number):
    return "".join(f"a.B.main;a.B.deep{i % 7};a.B{number % 5}.m{i} {i + number + 1}\n" for i in range(40)).encode()


def large(number):
    """So many rows that they are written in several batches."""
    return "".join(f"big.Main;big.A{i % 300};big.B{i // 300} {i % 9 + number + 1}\n" for i in range(135000)).encode()


def pprof(number):
    labels = ({"tenant": "a", "endpoint": "POST /pay"}, {"tenant": "b", "endpoint": "GET /"})
    rows = [(f"go.f{i}", (i + 1, 1000 * (i + number)), labels[i % 2]) for i in range(20)]
    return pprofs.make([("samples", "count"), ("alloc_space", "bytes")], rows, start=HOUR - 5400 + number * 60, seconds=60)


def jfr(number):
    stack = "java.lang.Thread.run:840;demo.Work.run:12;demo.Work.hot:23"
    lines = [("setting", "clock", "perf"), ("setting", "interval_ns", 10 * MS), ("thread", "main", 4711, 1)]
    lines += [("sample", 1, 10 * MS, "complete", stack)] * (30 + number) + [("sample", 1, 5 * MS, "gc_active", recordings.FAILED)] * 3
    lines += [("book", "complete", "", (300 + 10 * number) * MS, 30 + number), ("book", "lost", "queue_full", 20 * MS, 2),
              ("book", "cpu", "", (340 + 10 * number) * MS, 0)]
    return recordings.make(f"{number}.jfr", lines).read_bytes()


def fill(server):
    """Recordings of four services, one of which has so many that its segments are merged."""
    sent = []
    for number in range(70):
        sent.append(server.send(collapsed(number), service="shop", host="h1", version="1", **{"from": HOUR - 7000 + number * 20}))
    for number in range(12):
        labels = {"host": f"h{number % 4}", "version": str(1 + number % 2)}
        sent.append(server.send(collapsed(number), service="cart", env="it's \\ 'quoted'", **labels, **{"from": HOUR - 200 + number * 40}))
        sent.append(server.send(pprof(number), service="go", **labels))
        sent.append(server.send(jfr(number), service="jfr", **labels))
    for number in range(3):
        sent.append(server.send(large(number), service="big", host=f"h{number}", **{"from": 1700020000}))
    return all(status == 200 for status, _ in sent) or sent


def questions(n):
    """Random questions, in the same order for each server that is asked."""
    for _ in range(n):
        select, kind = draw.choice(SELECTORS), draw.choice((*TYPES, None))
        begin = draw.choice((OLDEST, HOUR - 7200, HOUR - 7200 + draw.randrange(7200)))
        when = {"from": begin, "to": begin + draw.choice((1800, 3600, 7200, 86400, NOW + 7200 - begin)), "select": select,
                **({"type": kind} if kind else {})}
        plain = {key: value for key, value in when.items() if key != "type"}
        recorded = {**plain, "select": select if "sample." not in select and "endpoint" not in select else ""}
        yield draw.choice((
            ("/v1/methods", when), ("/v1/profile", {**when, "format": "collapsed"}),
            ("/v1/functions", {**when, "match": "m", "by": "host"}),
            ("/v1/series", {**when, "step": draw.choice((60, 600, 3600)), "by": draw.choice(("host", "service", "endpoint"))}),
            ("/v1/flamegraph", when), ("/v1/top", {**when, "by": "version", "against": "none"}), ("/v1/endpoints", plain),
            ("/v1/services", recorded), ("/v1/recordings", recorded), ("/v1/functions/series", {**when, "match": "main", "step": 600})))


def answer(server, path, parameters):
    """An answer, without what differs between any two servers."""
    status, headers, content = server.request("GET", path, **parameters)
    text = re.sub(r'"(last_received)": ?[0-9.]+', "", content.decode(errors="replace"))
    return status, headers.get("X-Candor-Missing"), headers.get("X-Candor-Total"), text


def compare(name, servers, asked):
    """Asks each server the same; returns how many questions had an answer with content."""
    different, full = [], 0
    for path, parameters in asked:
        answers = [answer(server, path, parameters) for server in servers]
        full += answers[0][0] == 200 and len(answers[0][3]) > 300
        if any(one != answers[0] for one in answers):
            different.append((path, parameters, *(one[:3] for one in answers), *(one[3][:1500] for one in answers)))
    ct.ok(not different, f"{name}: the same answers to {len(asked)} questions", f"seed {seed}: {len(different)}: {different[:1]}")
    return full


def copy(data, to, options, status=0):
    done = ct.candor("server", "--data", data, "--copy-store", to, *options)
    ct.ok(done.status == status, f"{data.name} is copied to {to.name}: status {status}", done)
    return done


def everything(folder):
    """The content of each file of the folder that is not SQLite's own."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and "catalogue" not in path.name and path.name != "lock"}


def parts(server, state):
    return server.metrics()[f"candor_server_store_parts_{state}"]


def rows_of(engine, number):
    return sum(int(engine.ask(f"SELECT count() FROM {table} WHERE store = {number}")) for table in ("candor_rows", "candor_sums"))


class Between:
    """Passes requests on to ClickHouse, and calls `after` when one has inserted rows, before it answers."""

    def __init__(self, engine):
        between = self
        self.after, self.inserts = lambda: None, 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                there = http.client.HTTPConnection("127.0.0.1", engine.http, timeout=ct.PATIENCE)
                there.request("POST", self.path, body, {key: value for key, value in self.headers.items() if key.startswith("X-")})
                said = there.getresponse()
                content = said.read()
                if "query=INSERT%20INTO%20candor%5Frows" in self.path or "query=INSERT%20INTO%20candor_rows" in self.path:
                    between.inserts += 1
                    between.after()
                self.send_response(said.status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def options(self, engine):
        return ["--store", f"clickhouse:http://127.0.0.1:{self.server.server_port}", *engine.options[2:]]


def there_and_back(engine, source):
    """Files -> ClickHouse -> files; returns nothing but points."""
    before = everything(source)
    away, back = ct.WORK / f"{engine.folder_name}-away", ct.WORK / f"{engine.folder_name}-back"
    copy(source, away, engine.options)
    copy(away, back, engine.options)
    ct.ok(everything(source) == before, "the source is as it was")
    number = (away / "clickhouse").read_text()
    ct.ok(rows_of(engine, number.strip()) > 3000 and not list(away.rglob("*.seg")) and not list(away.rglob("*.roll")),
          "all rows of one are in ClickHouse", rows_of(engine, number.strip()))
    ct.ok(not (back / "clickhouse").exists() and list(back.rglob("*.roll")), "those of the other are in files")
    servers = [Server(source.name), Server(away.name, *engine.options), Server(back.name)]
    asked = list(questions(120))
    full = compare(engine.folder_name, servers, asked)
    ct.ok(full > 40, "and they are answers", full)
    sums = [{name: value for name, value in server.metrics().items() if re.search("store_(recording|parts|dictionary)", name)}
            for server in servers]
    ct.ok(sums[0] == sums[1] == sums[2], "and they keep the same", sums)
    ct.ok(all(server.send(collapsed(1), service="new", **{"from": HOUR})[0] == 200 for server in servers), "each takes more")
    later = {"from": HOUR - 1, "to": NOW + 60, "select": 'service="new"'}
    sent = sum(i + 2 for i in range(40))
    ct.ok(ct.wait_until(lambda: all(server.total(**later) == sent for server in servers), 60), "and has it",
          [server.total(**later) for server in servers])
    ct.ok(all(server.end() == 0 for server in servers), "they end")
    for folder, options in ((away, engine.options), (back, [])):
        checked = ct.candor("server", "--check", "--data", folder, *options)
        ct.ok(checked.status == 0, f"{folder.name} is good", checked)


def damage(engine, source):
    """A segment is damaged, and so is another one of whose recordings nothing is left."""
    hurt, away = ct.WORK / "hurt", ct.WORK / "hurt-away"
    shutil.copytree(source, hurt)
    largest = sorted(hurt.rglob("*.seg"), key=lambda path: path.stat().st_size)[-1]
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 0xFF
    largest.write_bytes(content)
    roll = next(hurt.rglob("*.roll"))
    roll.write_bytes(roll.read_bytes()[:-9])
    for file in (hurt / "recordings").rglob("*"):
        if file.is_file():
            file.unlink()
    said = copy(hurt, away, engine.options, status=1)
    ct.ok("2 files of" in said.err and largest.name in said.err, "the damage is counted and named", said)
    ct.ok(largest.exists() and not list((hurt / "quarantine").iterdir()), "nothing of the source is put aside")
    copied = Server(away.name, *engine.options)
    original = Server(hurt.name)
    when = {"from": OLDEST, "to": NOW + 60}
    for server in (original, copied):  # the first answer finds the damage, and the parts are lost when they cannot be sealed again
        server.request("GET", "/v1/methods", **when)
        ct.ok(ct.wait_until(lambda: parts(server, "lost") > 0 and not parts(server, "pending"), 60), "parts are lost", server.metrics())
    compare("with damage", [original, copied], [("/v1/profile", {**when, "format": "collapsed"}), ("/v1/services", when)])
    ct.ok(original.end() == 0 and copied.end() == 0, "they end")


def failures(engine, source):
    between = Between(engine)
    options, to = between.options(engine), ct.WORK / "failed"
    working = ct.WORK / "failed.copying"

    def kill(how):
        process.send_signal(how)
        time.sleep(0.2 if how == signal.SIGINT else 0)

    def start():
        return ct.spawn([ct.PROGRAM, "server", "--data", source, "--copy-store", to, *map(str, options)], stdout=-1, stderr=-1)

    between.after = lambda: kill(signal.SIGKILL)
    process = start()
    process.communicate(timeout=ct.PATIENCE)
    number = (working / "clickhouse").read_text().strip()
    ct.ok(process.returncode == -signal.SIGKILL and not to.exists() and rows_of(engine, number), "killed: there is no copy, but rows",
          process.returncode)
    between.after = lambda: kill(signal.SIGINT)
    process = start()
    said = process.communicate(timeout=ct.PATIENCE)[1].decode()
    ct.ok(process.returncode == 1 and "interrupted" in said, "the next one is interrupted", said)
    ct.ok(not to.exists() and not working.exists(), "and leaves no folder")
    ct.ok(ct.wait_until(lambda: not rows_of(engine, number), 60), "the rows of the one that was killed are gone", rows_of(engine, number))
    between.after = lambda: None
    for folder, given, word in ((source, options, "new or an empty"), (to, [], "--copy-store needs --store"),
                                (to, ["--store", f"clickhouse:http://127.0.0.1:{clickhouse.free_port()}"], "ClickHouse at")):
        said = ct.candor("server", "--data", source, "--copy-store", folder, *given)
        ct.ok(said.status and word in said.err and not to.exists() and not working.exists(), f"refused: {word}", said)
    working.mkdir()
    (working / "mine").write_text("a letter")
    said = ct.candor("server", "--data", source, "--copy-store", to, *options)
    ct.ok(said.status == 1 and "in the way" in said.err and (working / "mine").read_text() == "a letter", "another folder stays", said)
    shutil.rmtree(working)
    copied = ct.candor("server", "--data", source, "--copy-store", f"{to}/", *options)
    ct.ok(copied.status == 0 and (to / "clickhouse").exists(), "a folder whose path ends with a slash", copied)
    ct.ok(between.inserts >= 3, "rows were inserted", between.inserts)
    small = ct.WORK / "small"
    small.mkdir()
    command = f"{ct.PROGRAM} server --data {to} --copy-store {small}/files {' '.join(map(str, options))}"
    if ct.run("unshare", "-rm", "true").status:
        ct.skip("a disk without room", "it needs namespaces of users and mounts")
    else:
        full = ct.run("unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size=512k none {small} && {command}; echo status $?; ls -A {small}")
        ct.ok(full.out.endswith("status 1\n") and "No space left" in full.err, "a disk without room", full)
    server = Server(source.name)
    said = ct.candor("server", "--data", source, "--copy-store", ct.WORK / "used", *options)
    ct.ok(said.status == 1 and "another candor server uses it" in said.err, "a store in use", said)
    server.end()


original = Server("original")
ct.ok(fill(original) is True, "recordings are taken")
ct.ok(ct.wait_until(lambda: original.metrics()["candor_server_store_segments"] < 100
                    and original.metrics()["candor_server_store_rollup_bytes"] > 1000, 120), "merged and rolled up", original.metrics())
original.end()
for engine_kind in (clickhouse.Debian, clickhouse.Current):
    why = engine_kind.missing()
    if why:
        ct.skip(f"ClickHouse, {engine_kind.__name__}", why)
        continue
    place = engine_kind(engine_kind.__name__.lower())
    place.folder_name = engine_kind.__name__.lower()
    there_and_back(place, original.data)
    if engine_kind is clickhouse.Debian:
        damage(place, original.data)
        failures(place, original.data)
    place.stop()
ct.done()
