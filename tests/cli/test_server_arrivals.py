#!/usr/bin/env python3
"""Receivers that leave recordings in object storage (--receive-only --arrivals), and servers that take them over: every acknowledged
recording is kept exactly once, whichever process is killed, and whenever.

tier: default
timeout: 300
"""
import http.client
import itertools
import os
import pathlib
import random
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import candortest as ct
import s3
from servers import Server
from test_server_forward import BEGIN, WHEN, body, figures, hosts, send, weight

rng = random.Random(42)


def options(service, *more, prefix="fleet"):
    return ["--arrivals", f"s3://{s3.BUCKET}/{prefix}", "--s3-endpoint", service.url, "--s3-region", s3.REGION,
            "--s3-credentials", s3.credentials(), *more]


def receiver(name, service, *more, **keywords):
    return Server(name, "--receive-only", *options(service, *more), **keywords)


def arrivals(service):
    return [name for name in service.names() if "/arrivals/" in name]


def wait(condition, text, detail=lambda: None):
    ct.ok(ct.wait_until(condition, ct.PATIENCE), text, detail())


def test_way(service):
    """A recording from its sender to answers, and the books of both servers."""
    left, right = receiver("left", service), receiver("right", service)
    status, answer = send(left, 1)
    ct.ok((status, answer) == (200, {"duplicate": False, "pending": True}), "a receiver acknowledges, and says that it is pending", answer)
    ct.ok(len(arrivals(service)) == 1, "then the recording is an object", service.names())
    ct.ok(not [one for one in left.data.rglob("*") if one.is_file() and one.stat().st_size], "and the receiver keeps nothing",
          list(left.data.rglob("*")))
    ct.ok(send(right, 1)[0] == 200 and len(arrivals(service)) == 1, "sent to another receiver, it waits once", service.names())
    status, _, content = left.request("POST", "/ingest", body(2), name="old{host=h2}", format="folded", units="samples",
                                      **{"from": BEGIN, "until": BEGIN + 10})
    ct.ok(status == 200, "so does what Pyroscope's agents send", content)
    status, answer = left.send(b"\x00no recording", service="shop")
    ct.ok(status == 415 and len(arrivals(service)) == 2, "what nobody can read is refused at once, and not left", answer)
    name = f"fleet/arrivals/{'0' * 64}"
    service.objects[name] = b"CANDREC1" + bytes(300)
    service.objects["fleet/arrivals/README"] = b"of somebody else"
    time.sleep(1.1)
    started = int(time.time())
    keeper = Server("keeper", *options(service))
    wait(lambda: arrivals(service) == ["fleet/arrivals/README"], "a server takes all over, but not what is somebody else's", service.names)
    ct.ok(hosts(keeper) == {"h1": weight(1)} and len(figures(keeper)[2]) == 2, "and answers", figures(keeper))
    listed = [one["received"] for one in keeper.get("/v1/recordings")["recordings"]]
    ct.ok(len(listed) == 2 and min(listed) >= started, "which received them when it took them over", (started, listed))
    ct.ok("fleet/refused/" + "0" * 64 in service.names(), "what is damaged is put aside", service.names())
    wait(lambda: keeper.metrics()["candor_server_arrivals_refused_total"] == 1, "and counted", keeper.metrics)
    ct.ok(send(right, 1)[0] == 200, "the same is sent again")
    wait(lambda: keeper.metrics()["candor_server_recordings_duplicates_total"] == 1, "and is known", keeper.metrics)
    ct.ok(hosts(keeper) == {"h1": weight(1)}, "it counts once", hosts(keeper))
    books(service, keeper, left, right)
    away(service, left, keeper)
    for server in (left, right, keeper):
        ct.ok(server.end() == 0, "ends")


def books(service, keeper, *receivers):
    """left by receivers = stored + duplicates + waiting; the damaged one came from nobody."""
    m = keeper.metrics()
    left = sum(r.metrics()["candor_server_arrivals_left_total"] for r in receivers)
    stored, known = m["candor_server_recordings_stored_total"], m["candor_server_recordings_duplicates_total"]
    ct.ok(all(server.balances() for server in (keeper, *receivers)), "books of each server balance")
    ct.ok(left == 4 and stored == 2 and known == 1 and m["candor_server_arrivals_taken_total"] == 3, "and so do those of all", (left, m))
    ct.ok(m['candor_server_recordings_received_by_total{protocol="arrivals"}'] == 4, "recordings are counted as arrivals")


def away(service, left, keeper):
    service.stop()
    status, headers, content = left.request("POST", "/v1/recordings", body(5), service="shop", host="h5", **{"from": BEGIN + 5})
    ct.ok(status == 503 and int(headers["Retry-After"]) > 0, "without the object storage nothing is acknowledged", (status, content))
    ct.ok(service.url.encode() not in content, "and the sender does not hear where it is", content)
    ct.ok(left.balances(), "it is counted")
    service.start()
    ct.ok(send(left, 5)[0] == 200, "then it is again")
    wait(lambda: hosts(keeper).get("h5") == weight(5), "and arrives", lambda: hosts(keeper))


def test_waiting(service):
    """Answers say what they lack because it still waits."""
    left, keeper = receiver("w-left", service), Server("w-keeper", *options(service))
    send(left, 1)
    wait(lambda: hosts(keeper) == {"h1": weight(1)}, "one is taken over", lambda: hosts(keeper))
    wait(lambda: keeper.get("/v1/methods", **WHEN)["server"]["complete"], "and nothing is missing")
    service.fault = lambda method, name: 503 if method == "GET" and "/arrivals/" in name else None
    for n in (2, 3):
        send(left, n)
    lacks = {"waiting": {"parts": 2, "rows": 0, "weight": 0}}
    wait(lambda: keeper.get("/v1/methods", **WHEN)["server"].get("missing") == lacks, "two that cannot be fetched are missing in answers",
         lambda: keeper.get("/v1/methods", **WHEN)["server"])
    answer = keeper.get("/v1/services", **WHEN)
    ct.ok(not answer["complete"] and "2 waiting in object storage" in answer["missing_text"], "in lists, too", answer)
    ct.ok(hosts(keeper) == {"h1": weight(1)}, "which have the rest")
    service.fault = None
    wait(lambda: len(hosts(keeper)) == 3 and keeper.get("/v1/methods", **WHEN)["server"]["complete"], "then nothing is missing again")
    for server in (left, keeper):
        ct.ok(server.end() == 0, "ends")


def test_held_up(service):
    """More arrivals than are taken at a time can never be fetched, and come first in the list: others are taken nevertheless. One that is
    too large for this server is fetched once, and put aside."""
    service.PAGE, fetched = 100, []
    bad = {f"{n:064x}" for n in range(300)}

    def fault(method, name):
        fetched.append(name) if method == "GET" and name else None
        return 403 if method == "GET" and name.rpartition("/")[2] in bad else None

    service.fault = fault
    for name in bad:
        service.objects[f"fleet/arrivals/{name}"] = b"CANDREC1"
    left, keeper = receiver("h-left", service), Server("h-keeper", *options(service, "--max-body", "64K"))
    for n in range(5):
        send(left, n)
    large = b"".join(b"x.Large.main;x.Large.m%d 1\n" % i for i in range(5000))
    ct.ok(left.send(large, service="shop", format="collapsed")[0] == 200, "a receiver takes one that is too large for the server")
    wait(lambda: len(hosts(keeper)) == 5, "others are taken although 300 are held up", lambda: hosts(keeper))
    wait(lambda: keeper.metrics()["candor_server_arrivals_refused_total"] == 1, "the large one is put aside", keeper.metrics)
    name = next(one for one in service.names() if "/refused/" in one)
    ct.ok(large in service.objects[name], "whole", len(service.objects[name]))
    wait(lambda: keeper.metrics()["candor_server_arrivals_waiting"] == 300, "300 wait", keeper.metrics)
    ct.ok(sum(one.rpartition("/")[2] == name.rpartition("/")[2] for one in fetched) == 1, "it was fetched once")
    ct.ok(keeper.balances(), "its books balance", keeper.metrics())
    for server in (left, keeper):
        ct.ok(server.end() == 0, "ends")


class Client:
    """Sends recordings to receivers by turns, each until it is acknowledged."""

    def __init__(self, receivers, first):
        self.acknowledged, self.enough = {}, threading.Event()
        self.thread = threading.Thread(target=self.run, args=(receivers, first))
        self.thread.start()

    def run(self, receivers, first):
        for n in itertools.count(first):
            if self.enough.is_set():
                return
            for attempt in itertools.count():
                try:
                    if send(receivers[(n + attempt) % len(receivers)], n)[0] == 200:
                        break
                except (OSError, http.client.HTTPException):  # the receiver was killed
                    pass
                time.sleep(0.05)
            self.acknowledged[f"h{n}"] = weight(n)
            time.sleep(0.05)

    def stop(self):
        self.enough.set()
        self.thread.join(ct.PATIENCE)
        ct.ok(not self.thread.is_alive(), "the client got rid of everything")
        return self.acknowledged


def exactly_once(service, keeper, acknowledged, what):
    wait(lambda: not arrivals(service) and len(hosts(keeper)) >= len(acknowledged), f"{what}: all is taken over", lambda: arrivals(service))
    found = hosts(keeper)
    ct.ok(found == acknowledged and len(figures(keeper)[2]) == len(acknowledged), f"{what}: every acknowledged recording exactly once",
          {h: (found.get(h), acknowledged.get(h)) for h in found.keys() | acknowledged.keys() if found.get(h) != acknowledged.get(h)})


def kill(server):
    try:
        os.kill(server.process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def test_steps(service):
    """Each process is killed in the middle of each request to the object storage: before it is done, and when it is done."""
    receivers, keeper, acknowledged = [receiver("one", service), receiver("two", service)], Server("steps", *options(service)), {}
    cases = [("PUT", False), ("PUT", True), ("GET", False), ("GET", True), ("DELETE", False), ("DELETE", True)]
    for n, (method, is_done) in enumerate(cases):
        victim = receivers[n % 2] if method == "PUT" else keeper
        hit = threading.Event()

        def fault(asked, name, method=method, is_done=is_done, victim=victim, hit=hit):
            if asked != method or "/arrivals/" not in name or hit.is_set():
                return None
            hit.set()
            if not is_done:
                kill(victim)
                return 503
            return lambda content: kill(victim) or content

        service.fault = fault
        try:
            status = send(receivers[n % 2], n)[0]
        except (OSError, http.client.HTTPException):
            status = 0
        ct.ok(status == (200 if method != "PUT" else 0), f"{method}: the sender hears what is so", status)
        wait(hit.is_set, f"killed at a {method}{' that is done' if is_done else ''}")
        victim.process.wait(ct.PATIENCE)
        service.fault = None
        back = Server(victim.data.name, *(["--receive-only"] if method == "PUT" else []), *options(service), port=victim.port)
        if method == "PUT":
            receivers[n % 2] = back
            ct.ok(send(receivers[(n + 1) % 2], n)[0] == 200, "another receiver takes it")
        else:
            keeper = back
        acknowledged[f"h{n}"] = weight(n)
        exactly_once(service, keeper, acknowledged, f"{method} {is_done}")
    for server in (*receivers, keeper):
        ct.ok(server.end() == 0, "ends")


def test_kills(service):
    """Processes are killed at drawn moments, and started again."""
    servers = {"left": receiver("k-left", service), "right": receiver("k-right", service), "keeper": Server("k-keeper", *options(service))}
    receivers = [servers["left"], servers["right"]]
    client = Client(receivers, 100)
    for name in ("left", "keeper", "right", "keeper") * 3:
        time.sleep(rng.uniform(0, 0.4))
        servers[name].end(signal.SIGKILL)
        only = ["--receive-only"] if name != "keeper" else []
        servers[name] = Server(f"k-{name}", *only, *options(service), port=servers[name].port)
        receivers[:] = [servers["left"], servers["right"]]
    acknowledged = client.stop()
    ct.ok(len(acknowledged) >= 6, "recordings were sent meanwhile", len(acknowledged))
    exactly_once(service, servers["keeper"], acknowledged, "after 12 kills")
    for server in servers.values():
        ct.ok(server.end() == 0, "ends")


def is_keeper(server):
    return server.metrics()["candor_server_keeper"] == 1


def test_pair(service):
    """Two servers, of which the keeper takes over. It is killed while recordings wait, and the other one goes on."""
    given = options(service, "--keeper", f"s3://{s3.BUCKET}/pair")
    one = Server("p-one", *given, "--forward", "http://127.0.0.1:1")
    port = one.port
    one.end()
    two = Server("p-two", *given, "--forward", one.url)
    one = Server("p-one", *given, "--forward", two.url, port=port)
    receivers = [receiver("p-left", service), receiver("p-right", service)]
    client = Client(receivers, 1000)
    wait(lambda: (is_keeper(one) or is_keeper(two)) and hosts(one) and hosts(two), "both get what the keeper takes over")
    keeper, other = (one, two) if is_keeper(one) else (two, one)
    ct.ok("candor_server_arrivals_waiting" in keeper.metrics() and "candor_server_arrivals_waiting" not in other.metrics(),
          "the keeper says how many wait")
    keeper.end(signal.SIGKILL)
    wait(lambda: is_keeper(other) and arrivals(service), "the other one is the keeper", other.metrics)
    wait(lambda: len(hosts(other)) > 20, "and takes over", lambda: hosts(other))
    back = Server(keeper.data.name, *given, "--forward", other.url, port=keeper.port)
    acknowledged = client.stop()
    for server in (other, back):
        exactly_once(service, server, acknowledged, server.data.name)
    wait(lambda: figures(other) == figures(back), "both answer the same", lambda: (figures(other), figures(back)))
    for server in (*receivers, back, other):
        ct.ok(server.end() == 0, "ends")


def test_options():
    for words, said in ((["--receive-only"], "--arrivals"), (["--arrivals", "/tmp/x"], "s3://"),
                        (["--receive-only", "--arrivals", "s3://a/b", "--forward", "http://a"], "not both"),
                        (["--arrivals", "s3://a/b", "--keeper", "s3://a/b"], "--forward")):
        ended = ct.candor("server", "--data", ct.WORK / "none", *words)
        ct.ok(ended.status == 2 and said in ended.err, f"refused: {' '.join(words)}", ended)


def test_other(kind):
    name = kind.__name__
    why = kind.missing()
    if why:
        ct.skip(f"{name}, a service of others", why)
        return
    service = kind()
    left, keeper = receiver(f"{name}-left", service), Server(f"{name}-keeper", *options(service, "--max-body", "64K"))
    large = b"".join(b"x.Large.main;x.Large.m%d 1\n" % i for i in range(5000))
    ct.ok(left.send(large, service="shop", format="collapsed")[0] == 200, f"{name} takes a large one")
    ct.ok([send(left, n)[0] for n in range(20)] == [200] * 20, f"{name} takes recordings")
    wait(lambda: hosts(keeper) == {f"h{n}": weight(n) for n in range(20)}, "which arrive", lambda: hosts(keeper))
    wait(lambda: keeper.metrics()["candor_server_arrivals_refused_total"] == 1, "the large one is put aside", keeper.metrics)
    wait(lambda: keeper.metrics()["candor_server_arrivals_waiting"] == 0, "nothing waits")
    ct.ok(left.end() == 0 and keeper.end() == 0, "both end")
    service.stop()


def main():
    test_options()
    for test in (test_way, test_waiting, test_held_up, test_steps, test_kills, test_pair):
        service = s3.Stub()
        test(service)
        service.stop()
    for kind in s3.OTHERS:
        test_other(kind)
    ct.done()


if __name__ == "__main__":
    main()
