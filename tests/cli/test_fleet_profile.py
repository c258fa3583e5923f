#!/usr/bin/env python3
"""Profiles on demand as the server sees them: who may ask, which JVMs are offered the work, what becomes of it when daemons refuse, fall
silent or repeat themselves, and that nothing of it is forgotten when the server is killed.

tier: default
timeout: 300

The daemons are this test's. tests/jvm/test_on_demand.py has real ones.
"""
import json
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pprofs
from servers import Server


class Host:
    """A daemon with some JVMs: {id: (labels, refuses)}."""

    def __init__(self, server, name, token=None, **jvms):
        self.server, self.name, self.token, self.jvms, self.tasks, self.more = server, name, token, jvms, {}, {}

    def poll(self):
        """Says what the host has. Returns the offers, by request, of the answer."""
        body = {"host": self.name, "jvms": [{"id": key, "labels": labels, **({"refuses": why} if why else {})}
                                            for key, (labels, why) in self.jvms.items()],
                "tasks": [{"request": request, "jvm": jvm, "state": state, "reason": reason}
                          for (request, jvm), (state, reason) in self.tasks.items()], **self.more}
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        status, _, content = self.server.request("POST", "/v1/profiles/poll", json.dumps(body), headers)
        if status != 200:
            return status
        answer = json.loads(content)
        ct.ok(answer["after"] >= 1, f"{self.name}: is told when to ask again", answer)
        return {(one["request"], one["jvm"]): one for one in answer["tasks"]}


def ask(server, token=None, **wanted):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    status, _, content = server.request("POST", "/v1/profiles", json.dumps(wanted), headers)
    return (status, json.loads(content)["id"]) if status == 200 else (status, content.decode())


def state(server, number):
    """(state of the request, {host: (state, reason)}). Of a request that is not there: None."""
    for one in json.loads(server.request("GET", "/v1/profiles")[2])["profiles"]:
        if one["id"] == number:
            return one["state"], {task["host"]: (task["state"], task["reason"]) for task in one["tasks"]}
    return None


def check_wrong(server):
    for wanted, word in (({}, "select"), ({"select": 'service='}, "selector"), ({"select": "", "events": "cpu"}, "select"),
                         ({"select": 'a="b"', "events": "cpu,perf"}, "events"), ({"select": 'a="b"', "events": "cpu,cpu"}, "events"),
                         ({"select": 'a="b"', "duration": "11m"}, "duration"), ({"select": 'a="b"', "duration": "1.5s"}, "duration"),
                         ({"select": 'a="b"', "interval": "1ns"}, "interval"), ({"select": 'a="b"', "jvms": 0}, "jvms"),
                         ({"select": 'a="b"', "events": "lock", "interval": "5ms"}, "interval"), ({"select": 'a="b"', "jvms": "2"}, "jvms"),
                         ({"select": 'a="b"', "share": "200%"}, "share"), ({"select": 'a="b"', "within": "2d"}, "within"),
                         ({"select": 'a="b"', "what": 1}, "what"), ({"select": 'endpoint="/a"'}, "endpoint"),
                         ({"select": 'a="b",sample.x="1"'}, "sample.x"), ({"select": 1}, "select")):
        status, text = ask(server, **wanted)
        ct.ok(status == 400 and word in text, f"{wanted} is refused", (status, text))
    for body in (b"", b"[]", b"{", b'{"host": 1}', b'{"host": ""}', b"\xff"):
        status, _, content = server.request("POST", "/v1/profiles/poll", body)
        ct.ok(status == 400, f"a poll like {body!r} is refused", content)
    ct.ok(server.request("POST", "/v1/profiles/poll", b"x" * (1 << 20 | 1))[0] == 413, "so is one of more than 1 MiB")
    ct.ok(json.loads(server.request("GET", "/v1/profiles")[2]) == {"profiles": []}, "and nothing is there")


def check_offers(server):
    """One JVM of several is wanted; the first is asked, and the offer is repeated until its daemon answers."""
    _, number = ask(server, select='service="shop"', events="wall,lock", interval="5ms", duration="90s", jvms=1)
    first = Host(server, "a", j1=("service=cart&host=a", None), j2=("service=shop&host=a", None), j3=("service=shop&host=a", None))
    second = Host(server, "b", j1=("service=shop&host=b", None))
    ct.ok(state(server, number) == ("waiting", {}), "it waits", state(server, number))
    offer = first.poll()
    wanted = {"request": number, "jvm": "j2", "events": "wall,lock", "interval": "5ms", "seconds": 90}
    ct.ok(offer == {(number, "j2"): wanted}, "a JVM that matches is offered the work", offer)
    ct.ok(first.poll() == offer, "again, until its daemon says that it has begun")
    ct.ok(second.poll() == {}, "no other one")
    ct.ok(state(server, number) == ("running", {"a": ("offered", None)}), "it runs", state(server, number))
    first.tasks[number, "j2"] = ("recording", None)
    ct.ok(first.poll() == {} and state(server, number)[1] == {"a": ("recording", None)}, "and records", state(server, number))
    _, other = ask(server, select='host="a",service="shop"', jvms=5)
    ct.ok(set(first.poll()) == {(other, "j3")}, "a JVM that is busy is not asked again")
    first.tasks = {(number, "j2"): ("done", None), (other, "j3"): ("failed", "the JVM has ended")}
    offer = first.poll()
    ct.ok(state(server, number) == ("done", {"a": ("done", None)}), "it is done", state(server, number))
    ct.ok(set(offer) == {(other, "j2")} and state(server, other)[0] == "running", "when it is free, it is", offer)
    first.tasks = {(number, "j2"): ("recording", None), (other, "j2"): ("cut", "the JVM ended after 3s")}
    first.poll()
    ct.ok(state(server, number)[0] == "done", "what is done stays done, whatever a daemon repeats", state(server, number))
    ct.ok(state(server, other) == ("waiting", {"a": ("cut", "the JVM ended after 3s")}), "the other one looks for more JVMs",
          state(server, other))


def check_refusals(server):
    _, number = ask(server, select='service="safe"', jvms=2, within="3s")
    host = Host(server, "c", j1=("service=safe", "its daemon says no"))
    ct.ok(host.poll() == {} and state(server, number) == ("waiting", {"c": ("refused", "its daemon says no")}),
          "a JVM that refuses is not asked, and another one may come", state(server, number))
    long = Host(server, "long", j1=("service=safe", "\u00e9" * 100_000))
    ct.ok(long.poll() == {} and state(server, number)[1]["long"] == ("refused", "\u00e9" * 250), "a long reason is cut",
          state(server, number))
    late = Host(server, "d", j1=("service=safe", None))
    ct.ok(set(late.poll()) == {(number, "j1")}, "one that does not refuse is")
    late.tasks[number, "j1"] = ("refused", "more than 6 within an hour")
    late.poll()
    _, nobody = ask(server, select='service="none"', within="1s")
    _, none = ask(server, select='service="safe"', share="0.000001%", within="1s")
    ct.ok(Host(server, "e", j1=("service=safe", None)).poll().keys() == {(number, "j1")}, "of a share of nearly nothing, no JVM is asked")
    time.sleep(3.5)
    ct.ok(state(server, nobody) == ("expired", {}), "without such a JVM it expires", state(server, nobody))
    ct.ok(state(server, none) == ("expired", {}), "so does the one of nearly no JVM", state(server, none))
    ct.ok(state(server, number)[0] == "running", "an offer that was made is open for two minutes", state(server, number))


def check_unrecorded(server):
    """What daemons say of the JVMs that they do not record: the last message counts, of an older daemon nothing is known, and no message
    takes more room than there is."""
    def daemons():
        answer = json.loads(server.request("GET", "/v1/daemons")[2])
        return {one.pop("host"): one for one in answer["daemons"]}

    host, old = Host(server, "u<b>", j=("service=shop", None)), Host(server, "older", j=("service=shop", None))
    why = {"service": "shop", "main": "org.Main", "user": "web", "jdk": "21.0.1", "reason": "it was started without attaching"}
    host.more = {"recorded": 1, "not_recorded": [why, {"reason": "\u00e9" * 10_000}, 7], "not_recorded_left_out": 3}
    host.poll(), old.poll()
    seen = daemons()
    rest = {"service": None, "main": None, "user": None, "jdk": None, "reason": "\u00e9" * 250}
    ct.ok(time.time() - seen["u<b>"].pop("heard") < 60, "when it was heard")
    ct.ok(seen["u<b>"] == {"recorded": 1, "left_out": 3, "not_recorded": [why, rest]},
          "a daemon's JVMs that are not recorded, and why", seen)
    ct.ok((seen["older"]["recorded"], seen["older"]["not_recorded"]) == (None, []), "an older daemon does not say", seen["older"])
    host.more = {"recorded": 2, "not_recorded": [why] * 130}
    host.poll()
    ct.ok((len(daemons()["u<b>"]["not_recorded"]), daemons()["u<b>"]["left_out"]) == (100, 30), "many are kept in part, and counted",
          daemons()["u<b>"]["left_out"])
    host.more = {"recorded": 2**63 - 1, "not_recorded": [why] * 130, "not_recorded_left_out": 2**63 - 1}
    host.poll()
    ct.ok((daemons()["u<b>"]["recorded"], daemons()["u<b>"]["left_out"]) == (10**6, 10**6 + 30), "numbers that cannot be true are cut",
          daemons()["u<b>"]["left_out"])
    host.more = {"recorded": -5, "not_recorded": [], "not_recorded_left_out": -5}
    host.poll()
    ct.ok((daemons()["u<b>"]["recorded"], daemons()["u<b>"]["left_out"]) == (None, 0), "and those below zero do not count",
          daemons()["u<b>"])
    host.more = {"recorded": 3, "not_recorded": []}
    host.poll()
    ct.ok((daemons()["u<b>"]["recorded"], daemons()["u<b>"]["not_recorded"]) == (3, []), "the last message counts", daemons()["u<b>"])


def untimed(profiles):
    return [{**one, "tasks": [{**task, "heard": None} for task in one["tasks"]]} for one in profiles]


def check_backup(server):
    """The numbers are the labels of recordings, so a backup has them."""
    copy, back = ct.WORK / "backup", ct.WORK / "restored"
    for words in (("--data", server.data, "--backup", copy), ("--data", back, "--restore", copy)):
        result = ct.candor("server", *words)
        ct.ok(result.status == 0, f"{words[2]} works", result)
    ct.ok((back / "profiles.json").read_bytes() == (server.data / "profiles.json").read_bytes(), "a backup has the requests")


def check_kill(server):
    _, number = ask(server, select='service="late"', jvms=1)
    host = Host(server, "f", j1=("service=late", None))
    host.poll()
    before = json.loads(server.request("GET", "/v1/profiles")[2])
    _, unsaved = ask(server, select='service="unsaved"', jvms=1)
    (server.data / "profiles.json.new").mkdir()
    other = Host(server, "g", j1=("service=unsaved", None))
    ct.ok(other.poll() == 500, "a task that cannot be written is offered to nobody")
    (server.data / "profiles.json.new").rmdir()
    ct.ok(set(other.poll()) == {(unsaved, "j1")}, "it is, once it can be")
    server.end(signal.SIGKILL)
    file = server.data / "profiles.json"
    content = json.loads(file.read_text())
    content["requests"][-1]["tasks"][0]["heard"] -= 900  # as after a quarter of an hour without a server
    file.write_text(json.dumps(content))
    again = Server("profiles", port=server.port)
    ct.ok(state(again, unsaved) == ("running", {"g": ("offered", None)}), "and survives kill -9", state(again, unsaved))
    ct.ok(Host(again, "h", j1=("service=unsaved", None)).poll() == {}, "no other JVM is asked because daemons could not speak")
    kept = [one for one in json.loads(again.request("GET", "/v1/profiles")[2])["profiles"] if one["id"] != unsaved]
    ct.ok(untimed(kept) == untimed(before["profiles"]), "all of it survives kill -9", (kept, before))
    host.server = again
    ct.ok(set(host.poll()) == {(number, "j1")}, "also the offer whose answer was lost")
    ct.ok(ask(again, select='service="late"')[1] == unsaved + 1, "no number is given twice")
    again.end()
    check_backup(again)
    (again.data / "profiles.json").write_text('{"version":1')
    last = Server("profiles", port=server.port)
    ct.ok(json.loads(last.request("GET", "/v1/profiles")[2]) == {"profiles": []}, "a damaged file does not keep the server from starting")
    ct.ok("profiles.json is damaged" in pathlib.Path(last.log.name).read_text(), "the log tells")
    ct.ok(ask(last, select='service="late"', within="1s")[1] > unsaved + 1, "nor is any number given twice then")
    time.sleep(1.5)
    return last


def check_limit(server):
    answers = [ask(server, select='service="much"')[0] for _ in range(101)]
    ct.ok(answers == [200] * 100 + [429], "a hundred requests are open at a time", answers)


def check_hidden(server):
    """Recordings on demand are in an answer only if its selector names their label."""
    second = int(time.time()) - 60
    for more, n in (({}, 3), ({"on_demand": "7"}, 5)):
        body = pprofs.make([("samples", "count"), ("cpu", "nanoseconds")], [("a.B.c", [n, n * 10_000_000])],
                           ("cpu", "nanoseconds", 10_000_000), second, 1)
        server.send(body, service="shop", host="a", **more)
    time_of = {"from": "-1h", "to": "now"}
    for select, n in (("", 3), ('service="shop"', 3), ('on_demand="7"', 5), ('on_demand="8"', None), ('on_demand=~".*"', 8),
                      ('on_demand!=""', 5)):
        got = server.get("/v1/methods", select=select, **time_of)
        total = got["server"]["total"] if "server" in got else None
        ct.ok(total == (n and n * 10_000_000) or (not n and not total), f"{select or 'all'}: {n} samples", got)
    listed = server.get("/v1/recordings", **time_of)["recordings"]
    ct.ok(len(listed) == 1, "nor is it listed", listed)


def check_tokens():
    tokens = ct.WORK / "tokens.txt"
    secrets = {name: ct.candor("server", "--token-file", tokens, "--new-token", f"{name}:{rest}").out.strip()
               for name, rest in (("reader", "read"), ("host", "write"), ("chief", "read,profile"), ("shop", "read,profile:service=shop"),
                                  ("shophost", "write:service=shop"))}
    server = Server("tokens", "--token-file", tokens, token=secrets["reader"])
    wanted = {"select": 'service=~".*"', "jvms": 5}
    ct.ok(ask(server, secrets["reader"], **wanted)[0] == 403 and ask(server, secrets["host"], **wanted)[0] == 403,
          "who may read or write may not ask for profiles")
    server.token = None
    ct.ok(ask(server, **wanted)[0] == 401, "nor may who has no token")
    _, of_shop = ask(server, secrets["shop"], **wanted)
    jvms = {"j1": ("service=shop", None), "j2": ("service=bank", None)}
    ct.ok(Host(server, "a", secrets["reader"], **jvms).poll() == 403, "who may read is no daemon")
    ct.ok(set(Host(server, "a", secrets["host"], **jvms).poll()) == {(of_shop, "j1")},
          "a token for one service gets JVMs of that service only")
    _, of_all = ask(server, secrets["chief"], **wanted)
    got = Host(server, "c", secrets["shophost"], j2=jvms["j2"]).poll()
    ct.ok(got == {}, "a daemon for one service is not asked for another's JVMs", got)
    seen = json.loads(server.request("GET", "/v1/profiles", headers={"Authorization": f"Bearer {secrets['shop']}"})[2])
    ct.ok([one["id"] for one in seen["profiles"]] == [of_shop], "who is limited to a service sees what was asked with such a token", seen)
    seen = json.loads(server.request("GET", "/v1/profiles", headers={"Authorization": f"Bearer {secrets['reader']}"})[2])
    ct.ok([(one["id"], one["by"]) for one in seen["profiles"]] == [(of_all, "chief"), (of_shop, "shop")],
          "who is not sees all, and by whom", seen)
    for name in ("host", "shophost"):
        speaker = Host(server, "a", secrets[name])
        speaker.more = {"recorded": 0, "not_recorded": [{"service": one, "main": f"{name}-{one}", "reason": "r"}
                                                        for one in ("shop", "bank")]}
        speaker.poll()
    shared = json.loads(server.request("GET", "/v1/daemons", headers={"Authorization": f"Bearer {secrets['shop']}"})[2])["daemons"]
    ct.ok({(one["recorded"], one["left_out"]) for one in shared} == {(None, None)}, "not how many others there are", shared)
    said = {name: sorted(jvm["main"] for one in json.loads(server.request("GET", "/v1/daemons", headers={
        "Authorization": f"Bearer {secrets[name]}"})[2])["daemons"] for jvm in one["not_recorded"]) for name in ("reader", "shop")}
    ct.ok(said["reader"] == ["host-bank", "host-shop", "shophost-shop"],
          "a daemon for one service speaks of its JVMs only, and takes no other daemon's place", said)
    ct.ok(said["shop"] == ["host-shop", "shophost-shop"], "who is limited to a service sees its JVMs that are not recorded", said)
    answers = [ask(server, secrets["shop"], select='service="shop"')[0] for _ in range(30)]
    ct.ok(answers == [200] * 24 + [429] * 6 and ask(server, secrets["chief"], **wanted)[0] == 200,
          "a token for one service leaves room for the requests of others", answers)
    _, forged = ask(server, secrets["chief"], select='service="a\nforged"')
    log = pathlib.Path(server.log.name).read_text()
    ct.ok("profile on demand 1: shop wants cpu of" in log and f"profile on demand {forged}: chief" in log, "the log says who wants what")
    ct.ok("\nforged" not in log, "and no selector begins another line", log)
    server.end()


def check_people():
    tokens = ct.WORK / "people.txt"
    tokens.write_text("*@example.org read,profile user\n")
    tokens.chmod(0o600)
    server = Server("people", "--token-file", tokens, "--proxy-user-header", "X-User", "--proxy-from", "127.0.0.1")
    headers = {"X-User": "b\u00f6b@example.org"}  # one byte of Latin-1, which is no UTF-8
    status, _, content = server.request("POST", "/v1/profiles", json.dumps({"select": 'service="shop"'}), headers)
    ct.ok(status == 200, "a person asks", content)
    seen = json.loads(server.request("GET", "/v1/profiles", headers=headers)[2])["profiles"]
    ct.ok([one["by"] for one in seen] == ["b?b@example.org"], "and is named, rather than the line that is for many", seen)
    server.end()


def check_command(server):
    one = ct.candor("fleet", "profile", "--select", 'service="much"', "-e", "wall", "-d", "2m", server.url)
    ct.ok(one.status == 1 and "100 requests" in one.err, "the command says what the server says", one)
    shown = ct.candor("fleet", "profile", server.url)
    ct.ok(shown.status == 0 and len(shown.out.splitlines()) == 102 and "waiting" in shown.out, "it lists what was asked for", shown)
    for words, text in ((["-e", "wall"], "--event needs --select"), (["--select", 'a="b"', "--jvms", "x"], "--jvms"),
                        (["--select", "a=", "-d", "1m"], "selector"), (["--wait", "--json"], "--wait")):
        wrong = ct.candor("fleet", "profile", *words, server.url)
        ct.ok(wrong.status == 2 and text in wrong.err and len(wrong.err.splitlines()) <= 2, f"{words} is a usage error", wrong)


def main():
    server = Server("profiles")
    check_wrong(server)
    check_offers(server)
    check_refusals(server)
    check_hidden(server)
    server = check_kill(server)
    check_limit(server)
    check_command(server)
    check_unrecorded(server)
    server.end()
    check_tokens()
    check_people()
    ct.done()


if __name__ == "__main__":
    main()
