#!/usr/bin/env python3
"""Several servers, of which one is the keeper (--keeper): it alone evaluates rules, another one takes over if it is killed, is
stopped, or ends, and goes on with its alerts and silences: nothing is sent twice, and nothing is lost.

tier: default
timeout: 300
"""
import json
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import candortest as ct
import s3
from servers import Server
from test_fleet_alerts import Feeder, Sink, alert

RULES = """
[send hook]
type = webhook
url = http://127.0.0.1:{port}/hook

[alert hot]
select = env="live"
each = service
value = self
method = demo\\.Work\\.hot
above = 20%
resolve = 10%
window = 4s
interval = 1s
delay = 2s
"""
PATIENCE = 120  # a takeover takes 22 s on a machine that is not busy


def options(service, *more):
    return ["--keeper", f"s3://{s3.BUCKET}/pair", "--s3-endpoint", service.url, "--s3-region", s3.REGION,
            "--s3-credentials", s3.credentials(), *more]


def is_keeper(server):
    return server.metrics()["candor_server_keeper"] == 1


def wait(condition, text, detail=lambda: None):
    ct.ok(ct.wait_until(condition, PATIENCE), text, detail())


class Both(Feeder):
    """Sends each recording to the first server that takes it; it forwards it to the other."""

    def __init__(self, servers):
        self.servers = servers
        super().__init__(self)

    def send(self, body, **labels):
        for server in list(self.servers):
            try:
                if server.process.poll() is None and server.send(body, **labels)[0] == 200:
                    return 200, {}
            except (OSError, ValueError):
                pass
        return 0, {}


def told(sink):
    return len(sink.hooks("hot", "firing")), len(sink.hooks("hot", "resolved"))


def silence(server, path="", **what):
    status, _, answer = server.request("POST", f"/v1/alerts/silences{path}", json.dumps(what).encode())
    return status, json.loads(answer)


def first_keeper(one, two):
    wait(lambda: is_keeper(one) or is_keeper(two), "one of them becomes the keeper", lambda: (one.metrics(), two.metrics()))
    keeper, other = (one, two) if is_keeper(one) else (two, one)
    ct.ok(not is_keeper(other), "and only one")
    return keeper, other


def test_takeover(service):
    sink, rules = Sink(), ct.WORK / "alerts.conf"
    rules.write_text(RULES.format(port=sink.port))
    given = options(service, "--alerts", rules)
    one = Server("one", *given, "--forward", "http://127.0.0.1:1")
    port = one.port
    one.end()
    two = Server("two", *given, "--forward", one.url)
    one = Server("one", *given, "--forward", two.url, port=port)
    keeper, other = first_keeper(one, two)
    feeder = Both([other, keeper])
    feeder.incident = True
    wait(lambda: told(sink)[0], "an incident fires, though the recordings were sent to the other one", lambda: alert(keeper, "hot"))
    status, answer = silence(other, rule="hot", **{"for": "1h"})
    ct.ok(status == 409 and "keeper" in answer["error"], "who is not the keeper refuses a silence, and names the keeper", answer)
    for server in (keeper, other):
        for path, body in (("", {"text": "[alert more]\nvalue = cores\nabove = 3\n"}), ("/delete", {"name": "hot"})):
            status, _, answer = server.request("POST", f"/v1/alerts/rules{path}", json.dumps(body).encode())
            ct.ok(status == 409 and b"--keeper" in answer, "no server changes its file of rules, which the others would not have", answer)
    ct.ok("more" not in rules.read_text() and "[alert hot]" in rules.read_text(), "the file is as it was")
    ct.ok(silence(keeper, of="cart", **{"for": "1h"}) == (200, {"id": 1}), "the keeper takes it")
    wait(lambda: alert(other, "hot")["state"] == "firing" and alert(other, "hot")["sent"] and
         len(json.loads(other.request("GET", "/v1/alerts/silences")[2])["silences"]) == 1, "the other one answers what the keeper would",
         lambda: alert(other, "hot"))

    keeper.end(signal.SIGKILL)
    wait(lambda: is_keeper(other), "after kill -9 the other one is the keeper", other.metrics)
    at = alert(other, "hot")["at"]
    wait(lambda: alert(other, "hot")["at"] >= at + 3, "it evaluates")
    ct.ok(told(sink) == (1, 0) and alert(other, "hot")["state"] == "firing", "and does not send again what was sent", sink.got)
    ct.ok(silence(other, "/end", id=1) == (200, {"id": 1}), "it can end the silence that the one before has begun")

    back = Server(keeper.data.name, *given, "--forward", other.url, port=keeper.port)
    feeder.servers[:] = [back, other]
    ct.ok(not is_keeper(back) and is_keeper(other), "the first one comes back, and is not the keeper")
    other.process.send_signal(signal.SIGSTOP)
    wait(lambda: is_keeper(back), "when the keeper is stopped, the other one takes over", back.metrics)
    feeder.incident = False
    wait(lambda: told(sink)[1], "and sends the end of what the one before the one before has sent", lambda: alert(back, "hot"))
    other.process.send_signal(signal.SIGCONT)
    wait(lambda: not is_keeper(other), "who was stopped is not the keeper any more")
    wait(lambda: alert(other, "hot")["state"] in ("resolved", "inactive"), "and learns what has happened", lambda: alert(other, "hot"))
    ct.ok(is_keeper(back) and told(sink) == (1, 1), "one firing and one end were sent", sink.got)
    same = sink.hooks("hot", "firing")[0], sink.hooks("hot", "resolved")[0]
    ct.ok(same[0]["fingerprint"] == same[1]["fingerprint"] and same[0]["startsAt"] == same[1]["startsAt"], "of the same alert", same)

    holder = lambda: json.loads(service.objects["pair/keeper"])["holder"] if isinstance(service, s3.Stub) else back.process.poll()
    before = holder()
    ct.ok(back.end() == 0 and holder() != before, "the keeper ends, and gives the lease up")
    wait(lambda: is_keeper(other), "the other one is the keeper")
    feeder.stop()
    outage(service, other, sink)
    ct.ok(other.end() == 0, "ends")
    sink.close()


def outage(service, server, sink):
    if not isinstance(service, s3.Stub):
        return
    service.stop()
    wait(lambda: not is_keeper(server), "while the object storage is away, no server is the keeper")
    at = alert(server, "hot")["at"]
    time.sleep(3)
    ct.ok(alert(server, "hot")["at"] <= at + 1, "and none evaluates", (at, alert(server, "hot")))
    service.start()
    wait(lambda: is_keeper(server), "then there is one again")


def test_no_conditions():
    """A service that would let two servers be the keeper."""
    service = s3.Stub()
    service.ignores = True
    server = Server("ignores", *options(service))
    wait(lambda: server.metrics()["candor_server_keeper_failures_total"] > 1, "a service without conditions")
    log = pathlib.Path(server.log.name).read_text()
    ct.ok("ignores If-None-Match" in log and not is_keeper(server), "is no place for a lease", log)
    ct.ok(server.end() == 0, "ends")
    service.stop()


def test_options():
    for words, said in ((["--keeper", "/tmp/x"], "s3://"),
                        (["--keeper", "s3://a/b", "--receive-only", "--forward", "http://a"], "--keeper")):
        ended = ct.candor("server", "--data", ct.WORK / "none", *words)
        ct.ok(ended.status == 2 and said in ended.err, f"refused: {' '.join(words)}", ended)


def main():
    test_options()
    test_no_conditions()
    services = [s3.Stub] + ([] if s3.Moto.missing() else [s3.Moto])
    for make in services:
        service = make()
        for name in ("one", "two"):
            ct.ok(not (ct.WORK / name).exists() or (ct.WORK / name).rename(ct.WORK / f"{name}.before"), "new folders")
        test_takeover(service)
        service.stop()
    if len(services) == 1:
        print(f"# moto: {s3.Moto.missing()}")
    ct.done()


if __name__ == "__main__":
    main()
