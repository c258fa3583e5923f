#!/usr/bin/env python3
"""Queries that take long, or that have long answers: other requests do not wait for them, no work is done for a client that has gone,
and the size of an answer is limited.

tier: default
timeout: 240
"""
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

NOW = int(time.time())
WHEN = {"from": NOW - 3600, "to": NOW + 60}
SETS = 200  # a query takes several times as long as a server waits before it checks whether the client is still there
SLOW = 'host=~"' + "(a|b?){900}c" + '"'  # each of its parts reads each byte of a label


def given_up(server):
    return server.metrics()['candor_server_queries_given_up_total{reason="client"}']


def ask(server, path, answers):
    answers.append(server.request("GET", path, select=SLOW, **WHEN))


def check_bound():
    """Copies the data of the previous server."""
    server = Server("waiting", "--max-answer", "20K")
    for path in ("/v1/recordings", "/v1/services"):
        status, _, content = server.request("GET", path, **WHEN)
        refused = status == 400 and b"the answer has more than --max-answer, 20480 bytes" in content
        ct.ok(refused, f"{path}: too long an answer is refused", content)
    status, _, content = server.request("GET", "/v1/recordings", **WHEN, limit=2)
    ct.ok(status == 200 and len(json.loads(content)["recordings"]) == 2, "for less there is one", content)
    question = json.dumps({"start": (NOW - 3600) * 1000, "end": NOW * 1000}).encode()
    status, _, content = server.request("POST", "/querier.v1.QuerierService/Series", question, {"Content-Type": "application/json"})
    ct.ok(status == 429 and b"--max-answer" in content, "so it is in Pyroscope's API", content)
    server.end()


def main():
    server = Server("waiting")
    for i in range(SETS):
        status, answer = server.send(b"a;b 1\n", service="shop", host=1000 * "a" + f"{i:04}", **{"from": NOW - 60})
        if status != 200:
            ct.ok(False, "a recording is taken", answer)
    for path in ("/v1/series", "/v1/recordings", "/v1/services"):
        answers = []
        slow = threading.Thread(target=ask, args=(server, path, answers))
        slow.start()
        time.sleep(0.1)
        status, answer = server.send(b"a;b 1\n", service="cart", host=path, **{"from": NOW - 60})
        ct.ok(status == 200 and slow.is_alive(), f"{path}: a recording is taken while a query matches labels", answer)
        slow.join()
        ct.ok(answers and answers[0][0] == 200, f"{path}: which is answered, too", answers)
        before = given_up(server)
        connection = server.connection()
        connection.request("GET", f"{path}?select={SLOW.replace('?', '%3F').replace('|', '%7C')}&from={NOW - 3600}&to={NOW}")
        time.sleep(0.1)
        connection.close()
        ct.ok(ct.wait_until(lambda: given_up(server) == before + 1, timeout=60), f"{path}: when its client is gone, it is given up")
    server.end()
    check_bound()
    ct.done()


main()
