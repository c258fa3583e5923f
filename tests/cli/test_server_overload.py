#!/usr/bin/env python3
"""More recordings at once than a server stores within --max-send-wait: it puts off what has waited for longer, with 429 and Retry-After,
counts it, and each recording that it has acknowledged is there exactly once, also after a kill. What was put off is taken when it comes
again.

tier: default
timeout: 300
"""
import json
import multiprocessing
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "lib"))
import candortest as ct
import open_senders
from servers import DAY, Server

SENT, STACKS, AT = 400, 3000, 1700000000
BUSY = 'candor_server_recordings_refused_total{reason="busy"}'


def body(n):
    """Thousands of stacks that no other recording has, so that even a fast machine needs milliseconds for it; n + STACKS samples."""
    lines = [f"over.Load.main;over.Load.h{n}x{i % 50};over.Load.leaf{n}x{i} 1" for i in range(STACKS)]
    return ("\n".join([*lines, f"over.Load.main {n}"]) + "\n").encode()


def upload(n):
    path = ct.WORK / f"body-{n}"
    path.write_bytes(body(n))
    return open_senders.Upload(0, n, path, f"service=s{n % 8}&host=h{n}&from={AT + n}&until={AT + n + 1}&format=collapsed")


def once(server, which):
    """Sends each of these at the same moment, on a connection of its own, and does not send it again: {n: (status, Retry-After, body)}."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=open_senders.try_once, args=(server.port, [upload(n) for n in which], theirs))
    process.start()
    answers = ours.recv()
    process.join()
    return dict(zip(which, answers))


def listed(server):
    """{host: its ids}"""
    found = {}
    for one in server.get("/v1/recordings", limit=100000)["recordings"]:
        found.setdefault(one["labels"]["host"], []).append(one["id"])
    return found


def check(server, acknowledged, what):
    """acknowledged: {n: id}. Nothing else was sent without being acknowledged or refused."""
    ct.ok(listed(server) == {f"h{n}": [number] for n, number in acknowledged.items()}, f"{what}: each acknowledged once, no other",
          (len(listed(server)), len(acknowledged)))
    sums = sum(server.total(f'service="s{i}"', type="cpu:samples") or 0 for i in range(8)) if acknowledged else 0
    ct.ok(sums == sum(n + STACKS for n in acknowledged), f"{what}: to the unit", (sums, sum(n + STACKS for n in acknowledged)))


def main():
    ct.WORK.mkdir(parents=True, exist_ok=True)
    file = ct.WORK / "overload.conf"
    file.write_text("max-send-wait = 20ms\n")
    server = Server("overload", "--config", file)
    answers = once(server, range(SENT))
    statuses = sorted({status for status, _, _ in answers.values()})
    refused = {n for n, (status, _, _) in answers.items() if status == 429}
    ct.ok(statuses == [200, 429], "some are taken, others are put off, and nothing else happens", statuses)
    ct.ok(all(answers[n][1] and answers[n][1] > 0 for n in refused), "each with Retry-After", {answers[n][1] for n in refused})
    ct.ok(all(b"--max-send-wait" in answers[n][2] for n in refused), "and the reason")
    ct.ok(server.metrics()[BUSY] == len(refused) and server.balances(), "they are counted", (server.metrics()[BUSY], len(refused)))
    acknowledged = {n: json.loads(content)["id"] for n, (status, _, content) in answers.items() if status == 200}
    check(server, acknowledged, "beyond the limit")
    ct.ok(server.end(signal.SIGKILL) == -signal.SIGKILL, "it is killed")
    file.write_text("max-send-wait = 1h\n")
    server = Server("overload", "--config", file)
    check(server, acknowledged, "after the kill")
    totals = open_senders.send(server.port, [upload(n) for n in sorted(refused)])
    ct.ok(totals["taken"] == len(refused) and not totals["put_off"], "what was put off is taken when it comes again", totals["put_off"])
    found = listed(server)
    ct.ok(sorted(found) == sorted(f"h{n}" for n in range(SENT)) and all(len(ids) == 1 for ids in found.values()), "each once", len(found))
    ct.ok(server.end() == 0, "ends")
    ct.done()


if __name__ == "__main__":
    main()
