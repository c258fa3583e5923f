#!/usr/bin/env python3
"""Several servers: those that only receive (--receive-only), and those that keep all that the others receive (--forward). Every
acknowledged recording is on each server that keeps it exactly once, whichever process is killed, and answers are the same.

tier: default
timeout: 300
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
import candortest as ct
import clickhouse
from servers import Server

BEGIN = 1700000000
WHEN = {"from": BEGIN - 86400, "to": BEGIN + 86400}
rng = random.Random(41)


def body(n):
    return "".join(f"shop.A.main;shop.B.m{i % 7};shop.C.leaf{i} {n + i + 1}\n" for i in range(3)).encode()


def weight(n):
    return sum(n + i + 1 for i in range(3))


def send(server, n, **labels):
    return server.send(body(n), service="shop", host=f"h{n}", **{"from": BEGIN + n}, **labels)


def waiting(server):
    return sum(value for name, value in server.metrics().items() if name.startswith("candor_server_forward_waiting{"))


def hosts(server):
    """{host: weight}, of one recording each"""
    answer = server.get("/v1/series", step=3600, by="host", select='service="shop"', **WHEN)
    return {line["value"]: sum(point[1] for point in line["points"]) for line in answer["series"]} if "series" in answer else answer


def figures(server):
    """All that is said of the recordings, without what differs by nature: their numbers and where they are"""
    methods = server.get("/v1/methods", limit=10000, select='service="shop"', **WHEN)["report"]["methods"]
    listed = server.get("/v1/recordings", limit=10000, **WHEN)["recordings"]
    return hosts(server), sorted((m["name"], m["self"], m["total"]) for m in methods), sorted(one["digest"] for one in listed)


def settled(receivers, keepers, count):
    """Waits until nothing waits, and every keeper has so many recordings, sealed."""
    return ct.wait_until(lambda: not any(waiting(r) for r in receivers) and all(len(hosts(k)) == count for k in keepers), 60)


# -- receivers ---------------------------------------------------------------------------------------------------------

def test_receivers(store):
    files = Server("files")
    rows = Server("rows", *store.options)
    receivers = [Server(name, "--receive-only", "--forward", f"{files.url}/,{rows.url}") for name in ("left", "right")]
    left, right = receivers
    status, answer = send(left, 1)
    ct.ok((status, answer) == (200, {"duplicate": False, "pending": True}), "a receiver acknowledges, and says that it is pending", answer)
    ct.ok(send(right, 1)[0] == 200, "the same, sent to another receiver")
    status, _, content = left.request("POST", "/ingest", body(2), name="old{host=h2}", format="folded", units="samples",
                                      **{"from": BEGIN, "until": BEGIN + 10})
    ct.ok(status == 200, "so does it what Pyroscope's agents send", content)
    ct.ok(settled(receivers, (files, rows), 1), "all arrives", (hosts(files), hosts(rows)))
    ct.ok(hosts(files) == {"h1": weight(1)} and files.total('service="shop"', **WHEN) == weight(1), "what was sent to both counts once",
          hosts(files))
    ct.ok(len(figures(files)[2]) == 2, "the old agent's is there, too", figures(files))
    ct.ok(figures(files) == figures(rows), "and is the same in files and in ClickHouse", (figures(files), figures(rows)))
    ct.ok(files.balances() and left.balances(), "recordings balance on both kinds of server")
    ct.ok(files.metrics()['candor_server_recordings_received_by_total{protocol="forwarded"}'] >= 2, "they are counted as forwarded")
    status, _, content = files.request("POST", "/v1/recordings/forwarded", b"CANDREC1" + bytes(300))
    ct.ok(status == 400 and b"damaged" in content, "what is damaged is refused", (status, content))
    say_what_they_are(left)
    return files, rows, receivers


def say_what_they_are(receiver):
    for path in ("/", "/v1/services", "/v1/recordings/1"):
        status, _, content = receiver.request("GET", path)
        ct.ok(status == 404 and b"only receives" in content, f"a receiver says that it cannot answer {path}", (status, content))
    ct.ok(receiver.request("GET", "/readyz")[0] == 200, "but is ready")
    status, answer = receiver.send(b"\x00no recording", service="shop")
    ct.ok(status == 415, "it refuses at once what nobody can read", (status, answer))
    status, _, content = receiver.request("POST", "/v1/recordings/forwarded", b"CANDREC1" + bytes(300))
    ct.ok(status == 404 and b"keeps no recordings" in content, "nothing can be forwarded to it", (status, content))


# -- kill -9 -----------------------------------------------------------------------------------------------------------

def test_kills(files, rows, receivers, store):
    """A client sends to one receiver and, after an error, to the other; meanwhile processes are killed and started again."""
    options = ["--receive-only", "--forward", f"{files.url}/,{rows.url}"]
    servers = {"left": [receivers[0], *options], "right": [receivers[1], *options], "files": [files], "rows": [rows, *store.options]}
    acknowledged, enough = {}, threading.Event()

    def client():
        for n in itertools.count(100):
            if enough.is_set():
                return
            for attempt in range(200):
                try:
                    status = send(servers[("left", "right")[(n + attempt) % 2]][0], n)[0]
                except (OSError, http.client.HTTPException):  # the server was killed
                    status = 0
                if status == 200:
                    acknowledged[f"h{n}"] = weight(n)
                    break
                time.sleep(0.05)
            time.sleep(0.1)  # a machine on which servers start slowly shall not have to forward very many

    thread = threading.Thread(target=client)
    thread.start()
    for name in ("left", "right", "files", "rows") * 3:
        time.sleep(rng.uniform(0, 0.3))
        server, *options = servers[name]
        server.end(signal.SIGKILL)
        servers[name][0] = Server(name, *options, port=server.port)
    enough.set()
    thread.join(120)
    left, right, files, rows = (servers[name][0] for name in ("left", "right", "files", "rows"))
    ct.ok(len(acknowledged) >= 12 and not thread.is_alive(), "the client got rid of everything", len(acknowledged))
    ct.ok(settled((left, right), (files, rows), 1 + len(acknowledged)), "all of it arrives", (len(hosts(files)), len(hosts(rows))))
    for name, keeper in (("files", files), ("ClickHouse", rows)):
        found = hosts(keeper)
        ct.ok(all(found.get(host) == value for host, value in acknowledged.items()),
              f"in {name}: every acknowledged recording exactly once after 12 kills",
              {h: (found.get(h), v) for h, v in acknowledged.items() if found.get(h) != v})
    ct.ok(figures(files) == figures(rows), "both answer the same")
    for server in (left, right, rows, files):
        ct.ok(server.end() == 0, "ends")


# -- a server that is away, or refuses ---------------------------------------------------------------------------------

def test_overload():
    keeper = Server("away")
    port = keeper.port
    keeper.end()
    receiver = Server("full", "--receive-only", "--forward", keeper.url, "--max-disk", "3k")
    taken, n, status = 0, 0, 200
    while status == 200 and n < 100:
        status, headers, _ = receiver.request("POST", "/v1/recordings", body(n), service="shop", host=f"h{n}", **{"from": BEGIN + n})
        taken += status == 200
        n += 1
    ct.ok(status == 429 and int(headers["Retry-After"]) > 0, "what does not fit any more gets 429 with Retry-After", status)
    ct.ok(taken >= 3 and waiting(receiver) == taken, "all that was acknowledged waits", (taken, waiting(receiver)))
    receiver.end(signal.SIGKILL)
    ended = ct.candor("server", "--data", receiver.data, "--listen", "127.0.0.1:0", "--receive-only", "--forward", "http://127.0.0.1:1")
    ct.ok(ended.status == 1 and "does not name" in ended.err, "and is not forgotten if the server is not named any more", ended)
    ended = ct.candor("server", "--data", receiver.data, "--listen", "127.0.0.1:0")
    ct.ok(ended.status == 1 and "does not name" in ended.err, "nor if none is", ended)
    receiver = Server("full", "--receive-only", "--forward", keeper.url, "--max-disk", "3k")
    next(path for path in (receiver.data / "forward").glob("*/*") if path.is_file()).unlink()
    keeper = Server("away", port=port)
    ct.ok(settled([receiver], [keeper], taken - 1), "when the server is back, it gets all of it but what somebody removed",
          (len(hosts(keeper)), taken))
    ct.ok(hosts(keeper).items() < {f"h{i}": weight(i) for i in range(taken)}.items(), "to the unit", hosts(keeper))
    ct.ok(receiver.metrics()[f'candor_server_forward_lost_total{{to="{keeper.url}"}}'] == 1, "and that is counted")
    refused(receiver, keeper)
    ct.ok(receiver.end() == 0 and keeper.end() == 0, "both end")


def refused(receiver, keeper):
    """The receiver cannot know how long the other server keeps what: that is refused there, and stays here."""
    status, answer = receiver.send(body(1), service="shop", **{"from": int(time.time()) + 10 * 86400})
    ct.ok(status == 200, "a recording from the future is acknowledged", answer)
    name = f'candor_server_forward_refused{{to="{keeper.url}"}}'
    ct.ok(ct.wait_until(lambda: receiver.metrics()[name] == 1, 30), "refused by the other server, it is counted")
    kept = list((receiver.data / "forward").glob("*/refused/*"))
    ct.ok(len(kept) == 1 and body(1) in kept[0].read_bytes(), "and stays", kept)
    log = pathlib.Path(receiver.log.name).read_text()
    ct.ok("refuses the recording" in log and "future" in log, "the log says why", log)


# -- servers that keep all, each for the other -------------------------------------------------------------------------

def test_pair():
    tokens, token = ct.WORK / "tokens", ct.WORK / "token"
    made = ct.candor("server", "--token-file", tokens, "--new-token", "all:read,write,admin")
    token.write_text(made.out)
    secured = ("--token-file", tokens, "--forward-token-file", token)
    one = Server("one", *secured, "--forward", "http://127.0.0.1:1", token=made.out.strip())
    port = one.port
    one.end()
    two = Server("two", *secured, "--forward", one.url, token=made.out.strip())
    one = Server("one", *secured, "--forward", two.url, port=port, token=made.out.strip())
    ct.ok([send(one, n)[0] for n in range(3)] == [200] * 3 and [send(two, n)[0] for n in range(2, 6)] == [200] * 4, "both take recordings")
    ct.ok(settled((one, two), (one, two), 6), "each gets those of the other", (hosts(one), hosts(two)))
    ct.ok(figures(one) == figures(two), "and they answer the same", (figures(one), figures(two)))
    sent = sum(value for s in (one, two) for name, value in s.metrics().items() if name.startswith("candor_server_forward_sent_total"))
    ct.ok(sent == 7, "a recording that was forwarded is not forwarded again", sent)
    ct.ok(one.end() == 0 and two.end() == 0, "both end")


def test_same_options():
    """Two servers whose --forward names both, as those of one StatefulSet have it: each knows what it sends to itself."""
    ports = clickhouse.free_port(), clickhouse.free_port()
    both = ",".join(f"http://127.0.0.1:{port}" for port in ports)
    servers = [Server(f"same-{i}", "--forward", both, port=port) for i, port in enumerate(ports)]
    ct.ok([send(servers[n % 2], n)[0] for n in range(6)] == [200] * 6, "both take recordings")
    ct.ok(settled(servers, servers, 6), "each gets those of the other", [hosts(server) for server in servers])
    ct.ok(figures(servers[0]) == figures(servers[1]) and hosts(servers[0]) == {f"h{n}": weight(n) for n in range(6)}, "once",
          hosts(servers[0]))
    known = [server.metrics()["candor_server_recordings_duplicates_total"] for server in servers]
    ct.ok(known == [3, 3] and all(server.balances() for server in servers), "and knows its own", known)
    for server in servers:
        ct.ok(server.end() == 0, "ends")


def test_full():
    """A server that keeps recordings, and cannot forward more of them, does not keep those that it refuses either."""
    keeper = Server("alone", "--forward", "http://127.0.0.1:1", "--max-disk", "2k")
    statuses = []
    while len(statuses) < 100 and statuses[-1:] != [429]:
        statuses.append(keeper.request("POST", "/v1/recordings", body(len(statuses)), service="shop", host=f"h{len(statuses)}",
                                       **{"from": BEGIN + len(statuses)})[0])
    ct.ok(statuses[-1] == 429 and f"h{len(statuses) - 1}" not in hosts(keeper), "what is refused is not kept", (statuses, hosts(keeper)))
    ct.ok(keeper.end() == 0, "ends")


def test_known():
    """A recording that is stored, but does not wait, and is sent again, is sent on, also if only its key is the same."""
    keeper, key = Server("known"), {"Idempotency-Key": "one"}
    ct.ok(keeper.send(body(1), key, service="shop", **{"from": BEGIN})[0] == 200, "a recording with a key")
    keeper.end()
    keeper = Server("known", "--forward", "http://127.0.0.1:1")
    status, answer = keeper.send(body(2), key, service="shop", **{"from": BEGIN})
    ct.ok((status, answer.get("duplicate")) == (200, True), "another one with that key is a duplicate", answer)
    kept = [one for one in (keeper.data / "forward").glob("*/*") if one.is_file()]
    ct.ok(waiting(keeper) == 1 and body(1) in kept[0].read_bytes(), "and the one that is stored waits", kept)
    ct.ok(keeper.end() == 0, "ends")


def test_circle():
    """Receivers that name each other, or themselves, do not take each other's word that a recording is kept."""
    one = Server("circle", "--receive-only", "--forward", "http://127.0.0.1:1")
    port = one.port
    one.end()
    one = Server("circle", "--receive-only", "--forward", f"http://127.0.0.1:{port}", port=port)
    ct.ok(send(one, 1)[0] == 200, "a receiver that names itself takes a recording")
    name = f'candor_server_forward_failures_total{{to="{one.url}"}}'
    ct.ok(ct.wait_until(lambda: one.metrics()[name] > 0) and waiting(one) == 1, "which waits, and is not lost", one.metrics())
    ct.ok(one.end() == 0, "ends")


def test_options():
    for options, words in ((["--receive-only"], "needs --forward"), (["--forward-ca", "x"], "need --forward"),
                           (["--forward", "keeper:4041"], "http"), (["--forward", "http://a,http://a/"], "twice"),
                           (["--forward", ",".join(f"http://{i}" for i in range(9))], "more than 8"),
                           (["--forward", "http://a", "--receive-only", "--alerts", "x"], "--alerts")):
        ended = ct.candor("server", "--data", ct.WORK / "none", *options)
        ct.ok(ended.status == 2 and words in ended.err, f"refused: {' '.join(options)[:60]}", ended)


def main():
    test_options()
    test_circle()
    test_full()
    test_known()
    test_overload()
    test_pair()
    test_same_options()
    why = clickhouse.Debian.missing()
    if why:
        ct.skip("receivers of a server whose rows are in ClickHouse", why)
    else:
        engine = clickhouse.Debian("engine")
        test_kills(*test_receivers(engine), engine)
        engine.stop()
    ct.done()


if __name__ == "__main__":
    main()
