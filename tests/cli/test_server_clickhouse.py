#!/usr/bin/env python3
"""A server with its rows in ClickHouse: the same answers as with files, and nothing is lost or counted twice while ClickHouse is gone,
refuses to write, or comes back.

tier: full
timeout: 600
"""
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import clickhouse
from servers import Server

NOW = int(time.time())
WHEN = {"from": NOW - 7200, "to": NOW + 60}
ASKED = (("/v1/services", {}), ("/v1/methods", {}), ("/v1/methods", {"select": 'host="h1"'}), ("/v1/profile", {"format": "collapsed"}),
         ("/v1/series", {"step": 60}), ("/v1/series", {"step": 600, "by": "host"}), ("/v1/metrics", {"service": "shop"}),
         ("/v1/functions", {"match": "deep", "by": "host"}))
COLUMNS = "service, type, day, segment, recording, second, stack, thread, weight, count, outcome, state, context"


def body(number):
    return "".join(f"a.B.main;a.B.deep{i % 7};a.B{number % 5}.m{i} {i + number + 1}\n" for i in range(40)).encode()


def send(server, number):
    status, answer = server.send(body(number), service="shop" if number % 3 else "cart", host=f"h{number % 4}", env="it's \\ 'quoted'",
                                 **{"from": NOW - 3600 + number * 20})
    return status == 200 or answer


def weight(numbers):
    return sum(i + number + 1 for number in numbers for i in range(40))


def answer(server, path, parameters):
    """The text of an answer, without what differs between any two servers."""
    status, _, content = server.request("GET", path, **WHEN, **parameters)
    text = content.decode(errors="replace")
    return status, re.sub(r'"(received|digest|bytes|last_received)": ?("[^"]*"|[0-9.]+)', "", text)


def total(server):
    return server.total(**WHEN)


def incomplete(server):
    return "incomplete" in server.request("GET", "/v1/methods", **WHEN)[2].decode()


why = clickhouse.Debian.missing()
if why:
    ct.skip("ClickHouse", why)
    ct.done()
engine = clickhouse.Debian("engine")
fresh = Server("fresh", *engine.options)
number = (fresh.data / "clickhouse").read_text()
ended = fresh.end() == 0
fresh = Server("fresh", *engine.options)
ct.ok(ended and (fresh.data / "clickhouse").read_text() == number and not list((fresh.data / "quarantine").iterdir()),
      "a folder without recordings keeps its number")
fresh.end()
files, away = Server("files"), Server("away", *engine.options)
ct.ok(all(send(server, number) is True for number in range(30) for server in (files, away)), "recordings are taken")
ct.ok(ct.wait_until(lambda: total(away) == weight(range(30)), 60), "all rows are in ClickHouse", total(away))
ct.ok(int(engine.ask("SELECT count() FROM candor_rows")) == 30 * 40, "each once", engine.ask("SELECT count() FROM candor_rows"))
for path, parameters in ASKED:
    here, there = answer(files, path, parameters), answer(away, path, parameters)
    ct.ok(here[0] == 200 and here == there, f"{path} {parameters}: the same answer", f"{here}\n{there}"[:4000])

engine.stop()
ct.ok(all(send(away, number) is True for number in range(30, 40)), "while it is gone, recordings are taken")
status, headers, content = away.request("GET", "/v1/methods", **WHEN)
ct.ok(status == 503 and headers["Retry-After"] and b"ClickHouse" in content, "queries say so, and when to ask again", (status, content))
engine.start(read_only=True)
ct.ok(all(send(away, number) is True for number in range(40, 50)), "while it refuses to write, too")
ct.ok(ct.wait_until(lambda: incomplete(away), 60) and total(away) >= weight(range(30)), "answers say that rows are missing", total(away))
engine.stop()
engine.start()
ct.ok(ct.wait_until(lambda: total(away) == weight(range(50)), 120), "when it is back, the rows follow", (total(away), weight(range(50))))

away.process.send_signal(signal.SIGKILL)
away.process.wait()
said = ct.candor("server", "--data", away.data)
ct.ok(said.status == 1 and "its rows are in ClickHouse" in said.err, "without --store the folder is refused", said)
again = Server("away", *engine.options)
ct.ok(ct.wait_until(lambda: total(again) == weight(range(50)), 60), "killed and started again, it has the same", total(again))
send(again, 50)
engine.process.send_signal(signal.SIGKILL)
engine.process.wait()
ct.ok(send(again, 51) is True, "ClickHouse is killed, too")
engine.start()
ct.ok(ct.wait_until(lambda: total(again) == weight(range(52)), 120), "and all is there once", (total(again), weight(range(52))))
number = (again.data / "clickhouse").read_text()
first = int(engine.ask(f"SELECT min(segment) FROM candor_rows WHERE store = {number}"))
engine.ask(f"INSERT INTO candor_rows SELECT * FROM candor_rows WHERE segment = {first}")
ct.ok(incomplete(again) and total(again) < weight(range(52)), "rows that are there twice count as damaged, not twice", total(again))
ct.ok(again.end() == 0 and files.end() == 0, "both end")
said = ct.candor("server", "--check", "--data", again.data, *engine.options)
engine.ask(f"INSERT INTO candor_rows (store, dictionary, {COLUMNS}) SELECT store, toUInt32(999), {COLUMNS} FROM candor_rows "
           f"WHERE segment = {first}")
(again.data / "segments" / "999").mkdir()
again = Server("away", *engine.options)
ct.ok(ct.wait_until(lambda: total(again) == weight(range(52)), 60), "a check makes them again", (total(again), said))
ct.ok(ct.wait_until(lambda: not int(engine.ask("SELECT count() FROM candor_rows WHERE dictionary = 999"))
                    and not (again.data / "segments" / "999").exists(), 60),
      "rows that were to be deleted before a restart are deleted after it")
again.end()
said = ct.candor("server", "--data", files.data, *engine.options)
ct.ok(said.status == 1 and "its rows are in files" in said.err, "a folder with rows in files is refused", said)
for options, text in ((("--store", "redis:x"), "--store must be like clickhouse:"), (("--store-user", "x"), "need --store"),
                      (("--store", "clickhouse:ftp://x"), "is not like clickhouse:http://")):
    said = ct.candor("server", "--data", ct.WORK / "none", *options)
    ct.ok(said.status and text in said.err, f"{' '.join(options)}: {text}", said)
engine.stop()

cluster = clickhouse.Cluster("cluster")
spread = Server("spread", *cluster.options)
ct.ok(all(spread.send(body(number), service=f"s{number}", **{"from": NOW - 3600})[0] == 200 for number in range(6)), "two servers: taken")
ct.ok(ct.wait_until(lambda: total(spread) == weight(range(6)), 60), "all rows are there", total(spread))
counts = [int(one.ask("SELECT count() FROM candor_rows_here")) for one in (cluster, cluster.other)]
ct.ok(all(counts) and sum(counts) == 6 * 40, "each server has some, each row once", counts)
cluster.other.stop()
ct.ok(all(spread.send(body(number), service=f"s{number}", **{"from": NOW - 3600})[0] == 200 for number in range(6, 12)),
      "while one is gone, recordings are taken")
ct.ok(spread.request("GET", "/v1/methods", **WHEN)[0] == 503, "and queries say so")
cluster.other.start()
ct.ok(ct.wait_until(lambda: total(spread) == weight(range(12)), 120), "and when it is back, all is there once", total(spread))
spread.end()
cluster.stop()
ct.done()
