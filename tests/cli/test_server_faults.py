#!/usr/bin/env python3
"""candor server when something breaks: a byte in every file of its store, a full disk, a folder that it may not write to, kill -9 at any
moment.

tier: default
timeout: 300
"""
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

BEGIN = 1700000000
WHEN = {"from": BEGIN - 86400, "to": BEGIN + 86400}
MERGED = 70  # recordings of one host: more than a merge needs
rng = random.Random(20261123)


def body(n, stacks=3):
    return "".join(f"shop.A.main;shop.B.m{i % 7};shop.C.leaf{i} {n + i + 1}\n" for i in range(stacks)).encode()


def weight(n, stacks=3):
    return sum(n + i + 1 for i in range(stacks))


def methods(server, select=""):
    """({method: (self, total)}, what the server says about itself)"""
    answer = server.get("/v1/methods", select=select, limit=10000, **WHEN)
    if "server" not in answer:
        return None, answer
    return {row["name"]: (row["self"], row["total"]) for row in answer["report"]["methods"]}, answer["server"]


def series(server):
    answer = server.get("/v1/series", step=3600, by="host", **WHEN)
    return {line["value"]: sum(point[1] for point in line["points"]) for line in answer["series"]} if "series" in answer else answer


def digests(server):
    """{id: the recording's bytes, or the error}"""
    listed = server.get("/v1/recordings", limit=10000, **WHEN)["recordings"]
    answers = {one["id"]: server.request("GET", f"/v1/recordings/{one['id']}") for one in listed}
    return {number: content if status == 200 else json.loads(content) for number, (status, _, content) in answers.items()}


# -- a byte in every file --------------------------------------------------------------------------------------------

def make_store():
    server = Server("base")
    for n in range(MERGED):
        status, answer = server.send(body(n, 100), service="shop", host="a", **{"from": BEGIN + n})
        if status != 200:
            ct.ok(False, "a recording is taken", answer)
    for n in range(4):
        server.send(body(n), service="cart", host="b", **{"from": BEGIN - 3600 * n})
    ct.wait_until(lambda: server.metrics()["candor_server_store_segments"] < 20)
    truth = {"methods": methods(server)[0], "cart": methods(server, 'service="cart"')[0], "series": series(server),
             "recordings": digests(server), "total": server.total(**WHEN)}
    ct.ok(truth["total"] == sum(weight(n, 100) for n in range(MERGED)) + sum(weight(n) for n in range(4)), "the sums are what was sent",
          truth["total"])
    ct.ok(server.metrics()["candor_server_store_segments"] < 20, "and some are merged", server.metrics()["candor_server_store_segments"])
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.ok(len(list(server.data.rglob("*.seg"))) < 20, "with as many files as segments", len(list(server.data.rglob("*.seg"))))
    return server.data, truth


def spoil(file):
    content = bytearray(file.read_bytes())
    at = rng.randrange(len(content))
    content[at] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return at


def is_part(some, whole):
    """No answer that is not true, and no more than what is true."""
    return some is not None and all(name in whole and row[0] <= whole[name][0] and row[1] <= whole[name][1] for name, row in some.items())


def say_nothing_wrong(server, truth, what):
    """Every query answers, and names what it leaves out."""
    first = series(server)
    ct.ok(all(truth["series"].get(host, 0) >= value for host, value in first.items()), f"{what}: no series shows what is not so", first)
    shown, said = methods(server)
    missing = said.get("total") != truth["total"]
    ct.ok(is_part(shown, truth["methods"]) and (not missing or said["unreadable"] or first != truth["series"]),
          f"{what}: no method shows what is not so, and what is missing is named", said)
    cart, _ = methods(server, 'service="cart"')
    ct.ok(is_part(cart, truth["cart"]), f"{what}: nor by another service's name", cart)


def test_every_byte(base, truth):
    files = sorted(path.relative_to(base) for path in base.rglob("*") if path.is_file() and path.stat().st_size)
    kinds = {}
    for file in files:
        kinds.setdefault(file.parts[0] if len(file.parts) < 3 else file.parts[0] + file.suffix, []).append(file)
    ct.ok({"catalogue.db", "catalogue.db.sum", "recordings", "segments", "segments.seg"} <= set(kinds), "the store has each kind of file",
          sorted(kinds))
    for kind, all_of_it in sorted(kinds.items()):
        chosen = all_of_it if ct.TIER == "all" or kind != "recordings" else rng.sample(all_of_it, 4)
        times = 3 if kind.startswith("catalogue") else 1
        for file in chosen * times:
            one_byte(base, truth, file, kind)


def one_byte(base, truth, file, kind):
    data = ct.WORK / "spoiled"
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(base, data)
    what = f"{file}, byte {spoil(data / file)}"
    (ct.WORK / "spoiled.log").unlink(missing_ok=True)
    server = Server("spoiled")
    say_nothing_wrong(server, truth, what)
    whole = ct.wait_until(lambda: methods(server)[0] == truth["methods"] and series(server) == truth["series"], 60)
    ct.ok(whole, f"{what}: it is all there again", methods(server)[1])
    got = list(digests(server).values())
    wrong = [content for content in got if content not in truth["recordings"].values()]
    if kind == "recordings":
        ct.ok(len(got) == len(truth["recordings"]) and len(wrong) == 1 and file.name in wrong[0].get("error", ""),
              f"{what}: it is not given out, and named", wrong)
    else:
        ct.ok(len(got) == len(truth["recordings"]) and not wrong, f"{what}: every recording is as it was sent", wrong)
    ct.ok(server.end() == 0, f"{what}: ends by SIGTERM")
    log = (ct.WORK / "spoiled.log").read_text()
    aside = list((data / "quarantine").iterdir())
    if file.suffix == ".roll" and not aside:  # sums that no query has needed so far
        check = ct.candor("server", "--data", data, "--check")
        ct.ok(check.status == 1, f"{what}: a check finds it", check)
        log, aside = check.out + check.err, list((data / "quarantine").iterdir())
    if kind.startswith("segments"):
        ct.ok(aside and "damaged" in log, f"{what}: it was put aside, and said", log)
    if kind == "catalogue.db":
        ct.ok(aside and "catalogue.db" in log, f"{what}: another one was made, and it was said", log)


# -- kill -9 ---------------------------------------------------------------------------------------------------------

class Sender(threading.Thread):
    """Sends its recordings one after the other, each until it is acknowledged."""

    def __init__(self, fleet, numbers):
        super().__init__(daemon=True)
        self.fleet, self.numbers, self.acknowledged = fleet, numbers, []

    def run(self):
        for n in self.numbers:
            while not self.fleet["over"].is_set():
                try:
                    status, _ = self.fleet["server"].send(body(n), service="kill", n=n, host=n % 3, **{"from": BEGIN + n})
                except (OSError, ValueError, http.client.HTTPException):  # killed
                    time.sleep(0.01)
                    continue
                if status == 200:
                    self.acknowledged.append(n)
                    break
            if self.fleet["over"].is_set():
                return


def books(server):
    m = server.metrics()
    refused = sum(value for name, value in m.items() if name.startswith("candor_server_recordings_refused_total"))
    got = [m[f"candor_server_recordings_{name}"] for name in ("received_total", "stored_total", "duplicates_total", "in_progress")]
    return got[0] == sum(got[1:]) + refused


def test_kill(rounds):
    fleet = {"server": Server("kill"), "over": threading.Event()}
    senders = [Sender(fleet, range(k, 10 ** 9, 3)) for k in range(3)]
    for sender in senders:
        sender.start()
    balanced = True
    for _ in range(rounds):
        time.sleep(rng.uniform(0.02, 0.3))
        balanced = balanced and books(fleet["server"])
        fleet["server"].end(signal.SIGKILL)
        fleet["server"] = Server("kill")
    time.sleep(0.2)
    fleet["over"].set()
    for sender in senders:
        sender.join(ct.PATIENCE)
    server = fleet["server"]
    acknowledged = sorted(n for sender in senders for n in sender.acknowledged)
    listed = server.get("/v1/recordings", limit=100000, **WHEN)["recordings"]
    there = sorted(int(one["labels"]["n"]) for one in listed)
    ct.ok(len(acknowledged) > rounds and len(there) == len(set(there)), f"killed {rounds} times: no recording is there twice", len(there))
    lost = set(acknowledged) - set(there)
    ct.ok(not lost and len(set(there) - set(acknowledged)) <= len(senders), f"{len(acknowledged)} were acknowledged, none is lost", lost)
    ct.ok(server.total(**WHEN) == sum(weight(n) for n in there), "and the sum of all is the sum of each", server.total(**WHEN))
    ct.ok(balanced and books(server), "received = stored + duplicates + refused + on their way, whenever it was asked")
    ct.ok(server.end() == 0, "ends by SIGTERM")
    result = ct.candor("server", "--data", server.data, "--retain", "36500d", "--check")
    ct.ok(result.status == 0, "and a check finds all good", result)


# -- the disk --------------------------------------------------------------------------------------------------------

def namespace():
    """A prefix for a command, which gives it separate mounts, and the mounts themselves; None if that is not allowed."""
    root = os.geteuid() == 0
    alone = ["unshare", "--mount"] if root else ["unshare", "--user", "--map-root-user", "--mount"]
    enter = ["nsenter", "--mount"] if root else ["nsenter", "--user", "--preserve-credentials", "--mount"]
    return None if ct.run(*alone, "true").status else (alone, enter)


def test_full_disk():
    found = namespace()
    if not found:
        ct.skip("a full disk", "mount namespaces are not allowed here")
        return
    alone, enter = found
    (ct.WORK / "small").mkdir()
    mount = f'mount -t tmpfs -o size=4m none "{ct.WORK / "small"}" && exec "$@"'
    server = Server("small", wrapper=[*alone, "sh", "-c", mount, "sh"])
    taken, refused, n = {}, 0, 0
    while refused < 20 and n < 2000:
        status, headers, answer = server.request("POST", "/v1/recordings", body(n, 40), service="shop", n=n, **{"from": BEGIN})
        if status == 200:
            taken[n] = weight(n, 40)
        elif status == 503 and headers["Retry-After"]:
            refused += 1
        else:
            ct.ok(False, "a full disk: 503, and when to try again", (status, answer))
            break
        n += 1
    m = server.metrics()
    ct.ok(taken and refused == 20 and m['candor_server_recordings_refused_total{reason="disk"}'] == 20 and books(server),
          f"a full disk: {len(taken)} were taken, then each is refused, and counted", m)
    listed = server.get("/v1/recordings", limit=100000, **WHEN).get("recordings", [])
    ct.ok(sorted(int(one["labels"]["n"]) for one in listed) == sorted(taken), "what was acknowledged is there, and no more", len(listed))
    time.sleep(2)  # maintenance, which has no room either
    ct.ok(server.total(**WHEN) <= sum(taken.values()), "queries continue, and show no more than that", server.total(**WHEN))
    more = ct.run(*enter, "-t", server.process.pid, "mount", "-o", "remount,size=64m", ct.WORK / "small")
    ct.ok(more.status == 0, "there is more room now", more)
    status, answer = server.send(body(n, 40), service="shop", n=n, **{"from": BEGIN})
    taken[n] = weight(n, 40)
    ct.ok(status == 200 and ct.wait_until(lambda: server.total(**WHEN) == sum(taken.values()), 60), "and it takes on, and seals the rest",
          (answer, server.total(**WHEN), sum(taken.values())))
    ct.ok(server.end() == 0, "ends by SIGTERM")


def test_no_permission():
    """Its folders become read-only while it runs, and writable again."""
    data = ct.WORK / "closed"
    data.mkdir()
    wrapper = []
    if os.geteuid() == 0:  # whom no mode holds
        shutil.chown(data, "nobody")
        wrapper = ct.as_nobody()
    server = Server("closed", wrapper=wrapper)
    ct.ok(server.send(body(1), service="shop", **{"from": BEGIN})[0] == 200, "it can write")
    (data / "incoming").chmod(0o500)
    status, headers, answer = server.request("POST", "/v1/recordings", body(2), service="shop", **{"from": BEGIN})
    ct.ok(status == 503 and headers["Retry-After"] and b"incoming" in answer, "it can not: 503, which names the folder", answer)
    (data / "incoming").chmod(0o700)
    (data / "recordings").chmod(0o500)
    for folder in (data / "recordings").iterdir():
        folder.chmod(0o500)
    status, _, answer = server.request("POST", "/v1/recordings", body(2), service="shop", **{"from": BEGIN})
    ct.ok(status == 503 and server.total(**WHEN) == weight(1), "nor to its place: 503, and nothing is counted", answer)
    for folder in (data / "recordings").iterdir():
        folder.chmod(0o700)
    (data / "recordings").chmod(0o700)
    for folder in (data / "segments").iterdir():
        folder.chmod(0o500)
    (data / "segments").chmod(0o500)
    status, _, answer = server.request("POST", "/v1/recordings", body(3), service="cart", **{"from": BEGIN})
    ct.ok(status == 200, "what is on disk as a recording is taken, also when it cannot be sealed", answer)
    ct.ok(server.total(**WHEN) == weight(1), "and is not in the sums yet")
    (data / "segments").chmod(0o700)
    for folder in (data / "segments").iterdir():
        folder.chmod(0o700)
    ct.ok(ct.wait_until(lambda: server.total(**WHEN) == weight(1) + weight(3), 60), "but as soon as it can be", server.total(**WHEN))
    ct.ok(books(server) and server.end() == 0, "the books balance")


def main():
    test_every_byte(*make_store())
    test_kill(500 if ct.TIER == "all" else 25)
    test_full_disk()
    test_no_permission()
    ct.done()


if __name__ == "__main__":
    main()
