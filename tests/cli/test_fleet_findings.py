#!/usr/bin/env python3
"""Findings over the fleet: what the server's rules find in recordings that arrive, compared with candor analyze on the same recordings.

tier: default
timeout: 180
"""
import json
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import HOT, MS, make
from servers import Server

SHARE = "100%"
LOG = "demo.Main.run:1;demo.Log.log:12"
ASLEEP = LOG + ";Native|java.lang.Thread.sleep"
SKIPS = ("late", "format", "missing", "damaged")


def recording(name, wait_ms, seconds=1):
    """A recording of this many seconds in which two threads wait for a lock whose owner sleeps; wait_ms 0: a good one."""
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2),
             ("book", "halt_safepoints", "", 0, 0)]
    if wait_ms:
        lines += [("monitor", 2, wait_ms * MS, "demo.Log", 64, 1, 0, LOG)] * 8 + [("holder", 1, 50 * MS, "demo.Log", ASLEEP)] * 20
    lines += [("sample", 1, MS, "complete", HOT)] * (seconds * 1000 - len(lines))
    return make(name, lines)


class Fleet:
    def __init__(self, name, *options):
        self.name, self.options, self.sent = name, options, 0
        self.server = Server(name, *options)

    def again(self, how):
        self.server.end(how)
        self.server = Server(self.name, *self.options)

    def send(self, path, expected=200, **labels):
        body = path.read_bytes() if isinstance(path, pathlib.Path) else path
        status, answer = self.server.send(body, **labels)
        ct.ok(status == expected, f"{labels}: taken", answer)
        self.sent += status == 200
        return answer.get("id")

    def ask(self, path="/v1/findings", **parameters):
        status, _, content = self.server.request("GET", path, **parameters)
        return json.loads(content) if status == 200 else {"status": status, "error": content.decode(), "findings": []}

    def settle(self):
        """The answer when no recording waits any more. At any time every recording that was sent is in one of the counts."""
        end = time.monotonic() + ct.PATIENCE
        while time.monotonic() < end:
            answer = self.ask(state="all")
            counted = answer["judged"] + answer["waiting"] + sum(answer["skipped"].values())
            if counted != self.sent or not answer["waiting"]:
                break
            time.sleep(0.1)
        ct.ok(counted == self.sent and not answer["waiting"], f"{self.sent} recordings: each is counted once", answer)
        return answer

    def change(self, number, **change):
        return self.server.request("POST", f"/v1/findings/{number}", json.dumps(change))


def cli(fleet, *words):
    return ct.candor("fleet", "findings", fleet.server.url, *words)


def once(fleet):
    """The same problem on two hosts and in two versions is one finding, and equals what candor analyze says about its evidence."""
    mild, bad, good = recording("mild.jfr", 300), recording("bad.jfr", 500), recording("good.jfr", 0)
    fleet.send(mild, service="shop", host="a", version="1")
    first = fleet.settle()
    worst = fleet.send(bad, service="shop", host="b", version="1")
    fleet.settle()
    fleet.send(recording("mild-2.jfr", 301), service="shop", host="c", version="2")
    fleet.send(good, service="cart", host="a")
    answer = fleet.settle()
    found = answer["findings"]
    ct.ok(len(first["findings"]) == 1 and len(found) == 1 and answer["judged"] == 4 and answer["complete"],
          "one finding of three recordings", answer)
    one = found[0]
    ct.ok((one["service"], one["rule"], one["place"], one["state"], one["recordings"]) ==
          ("shop", "lock_held_asleep", "demo.Log at demo.Log.log", "open", 3), "what and where", one)
    ct.ok((one["hosts"], one["versions"]) == (["a", "b", "c"], ["1", "2"]), "its hosts and versions", one)
    ct.ok(one["evidence"] == {"recording": worst, "exists": True} and one["worst"]["lost_ns"] == 4000 * MS and
          one["latest"]["lost_ns"] == 8 * 301 * MS and one["worst"]["score"] > one["latest"]["score"],
          "the worst is the evidence", one)
    analyzed = json.loads(ct.candor("analyze", "--json", bad).out)["findings"]
    whole = fleet.ask(f"/v1/findings/{one['id']}")
    ct.ok(len(analyzed) == 1 and whole["finding"] == analyzed[0], "the finding equals candor analyze --json of its evidence",
          (whole, analyzed))
    shown = cli(fleet, str(one["id"]))
    text = ct.candor("analyze", bad).out.replace(str(bad), f"recording-{worst}.jfr").split("\n\n")[1]
    ct.ok(shown.status == 0 and all(part in shown.out for part in (
        text, "hosts    a, b, c\n", f"{fleet.server.url}/v1/recordings/{worst}\n")), "and in words candor analyze", (shown, text))
    return one["id"]


def filters(fleet, number):
    for wanted, parameters in (
            (1, {}), (1, {"select": 'service="shop",host="b",version=~"2|3"'}), (0, {"select": 'host="d"'}), (0, {"select": 'host!~".*"'}),
            (0, {"select": 'service="cart"'}), (1, {"severity": "warning"}), (0, {"severity": "info"}), (0, {"state": "silenced"}),
            (1, {"rule": "lock_held_asleep"}), (0, {"rule": "deadlock"}), (0, {"from": "-1h"}), (1, {"to": "-1h", "from": "0"})):
        answer = fleet.ask(**parameters)
        ct.ok(len(answer["findings"]) == wanted, f"of {parameters}", answer)
    for parameters in {"state": "odd"}, {"severity": "high"}, {"rule": "rulle"}, {"limit": "0"}, {"select": "{"}:
        ct.ok(fleet.ask(**parameters).get("status") == 400, f"{parameters}: 400")
    for path in f"/v1/findings/{number + 1}", "/v1/findings/x", "/v1/findings/":
        ct.ok(fleet.ask(path).get("status") == 404, f"{path}: 404")
    table = cli(fleet)
    rows = [re.split(r" {2,}", line.strip()) for line in table.out.splitlines()]
    ct.ok(rows == [["ID", "SEVERITY", "SERVICE", "WHAT", "WHERE", "COST", "SINCE", "STATE"],
                   [str(number), "warning", "shop", "A lock is held while its owner sleeps", "demo.Log at demo.Log.log", "4.00 s/s",
                    "2023-11-14T22:13:20Z", "open"]] and not table.err, "candor fleet findings", table)
    ct.ok(len(cli(fleet, "--state", "silenced").out.splitlines()) == 1, "--state", table)
    for words, wanted in ((["x"], "'x'"), (["--set", "open"], "ID"), (["1", "2"], "usage"), (["1", "--set", "odd"], "silenced"),
                          (["99"], "99"), (["1", "--note", "\udcff"], "UTF-8")):
        result = cli(fleet, *words)
        ct.ok(result.status and wanted in result.err and len(result.err.splitlines()) == 1, f"candor fleet findings {words}", result)


def changes(fleet, number):
    set_to = cli(fleet, str(number), "--set", "acknowledged", "--note", "a fix is \"on\" its way")
    ct.ok(set_to.status == 0 and "acknowledged" in set_to.out, "--set", set_to)
    for body in (b"", b"[]", b"{}", b'{"state": 1}', b'{"state": "gone"}', b'{"note": 5}', json.dumps({"note": "x" * 5000}).encode()):
        status, _, answer = fleet.server.request("POST", f"/v1/findings/{number}", body)
        ct.ok(status == 400, f"{body[:30]}: 400", answer)
    ct.ok(fleet.server.request("POST", f"/v1/findings/{number}", b"x" * 70000)[0] == 413, "a long body: 413")
    ct.ok(fleet.change(number + 1, state="open")[0] == 404, "of no finding: 404")
    odd = {"Origin": "http://evil.example"}
    ct.ok(fleet.server.request("POST", f"/v1/findings/{number}", b'{"state": "silenced"}', odd)[0] == 403, "of another site's page: 403")
    fleet.again(signal.SIGKILL)
    one = fleet.ask(f"/v1/findings/{number}")
    ct.ok((one["state"], one["note"]) == ("acknowledged", 'a fix is "on" its way'), "acknowledged survives kill -9", one)
    fleet.send(recording("mild-3.jfr", 302), service="shop", host="a", version="2")
    one = fleet.settle()["findings"][0]
    ct.ok((one["id"], one["state"], one["recordings"]) == (number, "acknowledged", 4), "and being seen again", one)
    ct.ok(0 <= time.time() - one["changed"] < ct.PATIENCE, "when it was changed", one)


def life(fleet, number):
    """It is resolved when three recordings, over a long enough time, do not have it, and it is open again when one has it."""
    states = []
    for i in range(3):
        fleet.send(recording(f"fixed-{i}.jfr", 0, seconds=4 + i), service="shop", host="b")
        states.append(fleet.settle()["findings"][0]["state"])
    ct.ok(states == ["acknowledged", "acknowledged", "resolved"], "resolved by itself", states)
    ct.ok(not fleet.ask()["findings"] and fleet.ask(state="resolved")["findings"], "and shown only if it is requested")
    fleet.send(recording("old.jfr", 303, seconds=2), service="shop", host="b")
    one = fleet.settle()["findings"][0]
    ct.ok((one["state"], one["recordings"]) == ("resolved", 5), "a recording of earlier does not open it", one)
    fleet.send(recording("back.jfr", 304, seconds=8), service="shop", host="b")
    one = fleet.settle()["findings"][0]
    ct.ok((one["id"], one["state"], one["recordings"], one["note"]) == (number, "open", 6, 'a fix is "on" its way'), "a new one does", one)
    ct.ok(fleet.change(number, state="silenced")[0] == 200, "silenced")
    for i in range(3):
        fleet.send(recording(f"silent-{i}.jfr", 0, seconds=10 + i), service="shop", host="b")
    fleet.send(recording("silent.jfr", 1305, seconds=14), service="shop", host="b")
    one = fleet.settle()["findings"][0]
    ct.ok((one["state"], one["recordings"]) == ("silenced", 7), "stays silenced, whatever comes", one)


def skipped(fleet):
    """Recordings that cannot be judged are counted, and do not hold up others."""
    before = fleet.ask()
    fleet.send(b"main;demo.Work.hot 5\n", service="text", format="collapsed")
    fleet.send(recording("good-2.jfr", 0), service="zoo")
    answer = fleet.settle()
    ct.ok(answer["skipped"]["format"] == before["skipped"]["format"] + 1 and answer["judged"] == before["judged"] + 1,
          "a profile of another format is counted, as not judged", answer)


def unread():
    """Recordings that are damaged or deleted before they are judged."""
    fleet = Fleet("unread", "--analyze-cpu", "0")
    for i, name in enumerate(("one", "two", "three")):
        fleet.send(recording(f"{name}.jfr", 500 + i), service="shop")
    answer, shown = fleet.ask(), cli(fleet)
    ct.ok((answer["waiting"], answer["judged"], answer["analyze_cpu"], answer["findings"]) == (3, 0, 0, []) and
          "--analyze-cpu 0" in shown.err, "turned off, nothing is judged, and all wait", (answer, shown))
    files = sorted(path for path in (fleet.server.data / "recordings").glob("*/*"))
    ct.ok(fleet.server.end() == 0 and len(files) == 3, "three files", files)
    with open(files[0], "r+b") as file:
        file.seek(500)
        file.write(b"damaged!")
    files[1].unlink()
    fleet.options = ("--analyze-cpu", SHARE)
    fleet.server = Server(fleet.name, *fleet.options)
    answer = fleet.settle()
    ct.ok((answer["judged"], answer["skipped"]) == (1, {"late": 0, "format": 0, "missing": 1, "damaged": 1}) and
          len(answer["findings"]) == 1, "a damaged recording and a missing one are counted, the third is judged", answer)
    metrics = fleet.server.metrics()
    ct.ok([metrics[f'candor_server_analyze_skipped_total{{reason="{reason}"}}'] for reason in SKIPS] == [0, 0, 1, 1] and
          metrics["candor_server_analyzed_recordings_total"] == 1 and metrics['candor_server_findings{state="open"}'] == 1 and
          metrics["candor_server_analyze_cpu_seconds_total"] > 0, "as /metrics says", metrics)
    ct.ok(fleet.server.end() == 0, "ends by SIGTERM")


def evidence():
    """The recording that is a finding's evidence stays when others around it are deleted, until the disk has no room for it."""
    fleet = Fleet("evidence", "--analyze-cpu", SHARE)
    fleet.send(recording("before.jfr", 0), service="shop")
    worst = fleet.send(recording("worst.jfr", 500), service="shop")
    fleet.send(recording("mild.jfr", 300), service="shop")
    number = fleet.settle()["findings"][0]["id"]

    def kept(*options):
        """The recordings that are still there after the server has started with these options."""
        fleet.options = ("--analyze-cpu", SHARE, *options)
        fleet.again(signal.SIGTERM)
        end = time.monotonic() + ct.PATIENCE
        while time.monotonic() < end:
            before = fleet.server.metrics()["candor_server_store_deleted_recordings_total{reason=\"max_recordings\"}"]
            before += fleet.server.metrics()["candor_server_store_deleted_recordings_total{reason=\"max_disk\"}"]
            if before:
                break
            time.sleep(0.1)
        return [one["id"] for one in fleet.server.get("/v1/recordings")["recordings"] if one["raw"]]

    left = kept("--max-recordings", "1K")
    ct.ok(left == [worst] and fleet.ask()["findings"][0]["evidence"]["exists"], "the evidence stays when its neighbors go", left)
    ct.ok(fleet.server.metrics()["candor_server_findings_evidence_deleted_total"] == 0, "and none is said to be gone")
    left = kept("--max-disk", "1K")
    one, metrics, shown = fleet.ask()["findings"][0], fleet.server.metrics(), cli(fleet, str(number))
    log = (ct.WORK / "evidence.log").read_text()
    ct.ok(left == [] and one["evidence"] == {"recording": worst, "exists": False} and f"recording {worst} is no longer kept" in shown.out,
          "a full disk takes it, too", (left, one, shown))
    ct.ok(metrics["candor_server_findings_evidence_deleted_total"] == 1 and
          "--max-disk: 1 recordings that are evidence of open findings or of alerts are gone" in log, "and the log says so", log)
    ct.ok(fleet.ask(f"/v1/findings/{number}")["finding"]["id"] == "lock_held_asleep", "what was found is still known")
    fleet.options = ("--analyze-cpu", SHARE)
    fleet.again(signal.SIGTERM)
    newer = fleet.send(recording("newer.jfr", 301), service="shop")
    one = fleet.settle()["findings"][0]
    ct.ok(one["evidence"] == {"recording": newer, "exists": True} and one["worst"] == one["latest"],
          "the next recording is the new evidence", one)
    backup = ct.WORK / "evidence-copy"
    ct.ok(fleet.server.end() == 0 and ct.candor("server", "--data", fleet.server.data, "--backup", backup).status == 0, "a backup")
    copy = Server("evidence-copy")
    status, _, content = copy.request("GET", f"/v1/findings/{number}")
    ct.ok(status == 200 and json.loads(content)["evidence"] == one["evidence"], "has the findings", content)
    copy.end()


def cost():
    """The rules use no more of a processor than they may: the CPU time for all recordings but the last is within the share of the time."""
    fleet = Fleet("cost", "--analyze-cpu", "0")
    for i in range(6):
        fleet.send(recording(f"cost-{i}.jfr", 400 + i), service=f"s{i % 3}")
    fleet.options, share, begun = ("--analyze-cpu", "0.2%"), 0.002, time.monotonic()
    fleet.again(signal.SIGTERM)
    seen, taken, end = 0, 0, begun + ct.PATIENCE
    while seen < 3 and time.monotonic() < end:
        metrics = fleet.server.metrics()
        passed = time.monotonic() - begun
        if metrics["candor_server_analyzed_recordings_total"] > seen:
            seen = metrics["candor_server_analyzed_recordings_total"]
            ct.ok(taken <= share * passed, f"before recording {seen:.0f}: within the share", (taken, passed))
        taken = metrics["candor_server_analyze_cpu_seconds_total"]
        time.sleep(0.01)
    ct.ok(seen >= 3 and taken > 0, "recordings are judged one by one", (seen, taken))
    ct.ok(fleet.server.end() == 0, "ends in the middle of it")


def tokens():
    """A host's token, which may write, must not allow it to change a finding."""
    words = {name: ct.candor("server", "--token-file", ct.WORK / "token-file", "--new-token", f"{name}:{scopes}").out.strip()
             for name, scopes in (("host", "write"), ("reader", "read"), ("person", "read,write"),
                                  ("shop", "read,write:service=shop"), ("cart", "read,write:service=cart"))}
    fleet = Fleet("tokens", "--analyze-cpu", SHARE, "--token-file", ct.WORK / "token-file")
    fleet.server.token = words["person"]
    fleet.send(recording("token.jfr", 500), service="shop")
    number = fleet.settle()["findings"][0]["id"]
    statuses = []
    for fleet.server.token in words["host"], words["reader"], "x" * 40, words["person"]:
        statuses.append(fleet.change(number, state="silenced")[0])
    ct.ok(statuses == [403, 403, 401, 200], "a change needs a token that may read and write", statuses)
    for name, found in ("shop", 1), ("cart", 0):
        fleet.server.token = words[name]
        answer, one = fleet.ask(state="all"), fleet.ask(f"/v1/findings/{number}")
        ct.ok(len(answer["findings"]) == found and not {"judged", "waiting", "skipped", "unlisted"} & set(answer) and
              one.get("status") == (None if found else 404) and fleet.change(number, state="open")[0] == (200 if found else 404),
              f"a token for {name} only sees and changes findings of that service, and no sums of others", (answer, one))
    fleet.server.end()


def main():
    fleet = Fleet("findings", "--analyze-cpu", SHARE, "--resolve-after", "2s")
    number = once(fleet)
    filters(fleet, number)
    changes(fleet, number)
    life(fleet, number)
    skipped(fleet)
    ct.ok(fleet.server.end() == 0, "ends by SIGTERM")
    unread()
    evidence()
    cost()
    tokens()
    ct.done()


if __name__ == "__main__":
    main()
