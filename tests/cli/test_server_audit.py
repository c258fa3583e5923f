#!/usr/bin/env python3
"""The audit log: who has changed what, and what the server has changed by itself; every line is there before the answer.

tier: default
timeout: 120
"""
import json
import pathlib
import resource
import signal
import stat
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import HOT, MS, make
from servers import Server

DAY = 86400
RULES = "[alert idle]\nselect = service=\"shop\"\nvalue = cores\nbelow = 0.01\n[send hook]\ntype = webhook\nurl = http://127.0.0.1:9/\n"
HOSTILE = "all is well\n{\"time\": \"2026-01-01T00:00:00Z\", \"event\": \"forged\"}\r\u2028\x1b[31m"


def make_token(tokens, wanted):
    return ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def log_of(server):
    return pathlib.Path(server.log.name).read_text()


def recording():
    """Two threads wait for a lock whose owner sleeps: a finding."""
    stack = "demo.Main.run:1;demo.Log.log:12"
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2),
             ("book", "halt_safepoints", "", 0, 0), *[("monitor", 2, 500 * MS, "demo.Log", 64, 1, 0, stack)] * 8,
             *[("holder", 1, 50 * MS, "demo.Log", stack + ";Native|java.lang.Thread.sleep")] * 20]
    return make("audited.jfr", lines + [("sample", 1, MS, "complete", HOT)] * 900).read_bytes()


class Audited:
    def __init__(self):
        self.tokens, self.path = ct.WORK / "tokens", ct.WORK / "audit.jsonl"
        self.config, self.rules = ct.WORK / "audited.conf", ct.WORK / "alerts.conf"
        self.made = {name: make_token(self.tokens, f"{name}:{scopes}") for name, scopes in
                     (("chief", "read,write,admin"), ("reader", "read"), ("host", "write"))}
        self.config.write_text(f"token-file = {self.tokens}\naudit-log = {self.path}\nanalyze-cpu = 100%\n")
        self.rules.write_text(RULES)
        self.server = Server("audited", "--config", self.config, "--alerts", self.rules, token=self.made["chief"])
        self.seen = 0

    def ask(self, who, method, path, content=None):
        headers = {"Authorization": f"Bearer {self.made[who]}"} if who else {"Authorization": "Bearer x"}
        return self.server.request(method, path, content, headers)[0]

    def new(self, count=None):
        """The lines since the last call; count: so many at least, which may still come."""
        if count:
            ct.wait_until(lambda: len(entries(self.path)) >= self.seen + count)
        lines = entries(self.path)
        fresh, self.seen = lines[self.seen:], len(lines)
        return fresh

    def requests(self):
        """Those of requests. A line of an event, as of a reload, may come at any time."""
        return [one for one in self.new() if one.get("method")]


def check_requests(a):
    first = a.new()
    ct.ok([one.get("event") for one in first] == ["start"] and "candor server" in first[0]["text"], "the start is noted", first)
    ct.ok(stat.S_IMODE(a.path.stat().st_mode) == 0o600, "only its owner may read it")
    for who, status in (("chief", 202), ("reader", 403), (None, 401)):
        ct.ok(a.ask(who, "POST", "/v1/reload") == status, f"a reload by {who}")
        got = a.requests()
        ct.ok(len(got) == 1 and (got[0].get("token"), got[0]["status"], got[0]["path"], got[0]["address"]) ==
              (who, status, "/v1/reload", "127.0.0.1") and ("reason" in got[0]) == (status != 202), "is noted before it is answered", got)
    asked = 150
    ct.ok(all(a.ask(None, "POST", "/v1/reload") == 401 for _ in range(asked)), "requests without a known token are refused")
    a.ask("reader", "POST", "/v1/reload")
    got = a.new()
    lines = sum(one.get("status") == 401 for one in got)
    more = sum(int(one["text"].split()[0]) for one in got if one.get("event") == "refused")
    ct.ok(59 <= lines <= 120 and lines + more == asked and got[-1]["status"] == 403, "a minute has 60 lines of them; the rest is counted",
          got[-3:])
    a.ask("chief", "POST", "/v1/alerts/hook/test")
    ct.ok(any(one.get("path") == "/v1/alerts/hook/test" and one["token"] == "chief" for one in a.new()), "a test of a target is noted, too")
    for who, status in (("host", 403), ("reader", 403), ("chief", 400)):
        ct.ok(a.ask(who, "POST", "/v1/alerts/silences", b'{"rule": "none", "for": "1h"}') == status, f"a silence by {who}")
        (got,) = a.requests()
        ct.ok((got["token"], got["status"], got["path"]) == (who, status, "/v1/alerts/silences"), "is noted", got)
    for path in ("/v1/services", "/v1/findings", "/v1/alerts", "/v1/alerts/silences", "/metrics", "/nothing"):
        a.ask("chief", "GET", path)
    a.ask("host", "POST", "/v1/recordings?service=s", b"a 1\n")
    a.ask("chief", "POST", "/querier.v1.QuerierService/ProfileTypes", b"{}")
    ct.ok(not a.requests(), "questions and recordings are not")


def check_findings(a):
    ct.ok(a.server.send(recording(), service="shop", host="a")[0] == 200, "a recording with a problem")
    found = {}
    ct.wait_until(lambda: found.update(json.loads(a.server.request("GET", "/v1/findings")[2])) or found["findings"])
    number = found["findings"][0]["id"]
    change = json.dumps({"state": "silenced", "note": HOSTILE}, ensure_ascii=False)
    ct.ok(a.ask("chief", "POST", f"/v1/findings/{number}", change.encode()) == 200, "a finding is silenced")
    got = a.requests()
    ct.ok(len(got) == 1 and got[0]["token"] == "chief" and got[0]["path"] == f"/v1/findings/{number}" and got[0]["status"] == 200,
          "one line says by whom", got)
    said = got[0]["change"]
    ct.ok("silenced" in said and "forged" in said and "\n" not in said and "\x1b" not in said,
          "and what was written, as text that neither ends the line "
          "nor controls a terminal", got)
    statuses = [a.ask("reader", "POST", f"/v1/findings/{number}", b"{}"), a.ask("chief", "POST", "/v1/findings/99", b'{"state": "open"}')]
    ct.ok(statuses == [403, 404], "others' changes are refused")
    ct.ok([(one["token"], one["status"]) for one in a.requests()] == [("reader", 403), ("chief", 404)], "and noted")


def check_events(a):
    a.config.write_text(a.config.read_text() + "max-body = 1M\n")
    a.server.process.send_signal(signal.SIGHUP)
    got = a.new(1)
    ct.ok(got[-1]["event"] == "reload" and "--max-body" in got[-1]["text"], "a reload by a signal says what it has changed", got)
    a.rules.write_text(RULES + "[alert two]\nselect = service=\"x\"\nvalue = cores\nabove = 1\n")
    got = a.new(1)
    ct.ok(got and got[0]["event"] == "alerts" and "2 rules" in got[0]["text"], "rules of alerts that were edited", got)
    now = int(time.time())
    for day in range(3):
        text = "".join(f"a.B.main;a.B{day}.m{i} 1\n" for i in range(300)).encode()
        when = {"from": now - day * DAY, "until": now - day * DAY + 1}
        a.server.request("POST", "/v1/recordings", text, service="old", format="collapsed", **when)
    a.new()
    a.config.write_text(a.config.read_text() + "max-disk-per-service = 9K\n")
    a.server.process.send_signal(signal.SIGHUP)
    ct.wait_until(lambda: any(one.get("event") == "delete" for one in entries(a.path)[a.seen:]))
    got = [one for one in a.new() if one.get("event") == "delete"]
    ct.ok(got and "(max_disk_per_service)" in got[0]["text"], "what was deleted, and for which limit", got)


def check_file(a):
    moved = ct.WORK / "audit.jsonl.1"
    a.path.rename(moved)
    a.server.process.send_signal(signal.SIGHUP)
    ct.ok(ct.wait_until(a.path.exists), "SIGHUP opens a new file")
    a.seen = 0
    a.new(1)
    size = a.path.stat().st_size
    resource.prlimit(a.server.process.pid, resource.RLIMIT_FSIZE, (size + 20, resource.RLIM_INFINITY))
    ct.ok(a.ask("reader", "POST", "/v1/reload") == 403, "on a full disk requests are still answered")
    m = a.server.metrics()
    ct.ok(m["candor_server_audit_log_lost_total"] == 1, "a line that is lost is counted", m["candor_server_audit_log_lost_total"])
    resource.prlimit(a.server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    a.ask("reader", "POST", "/v1/reload")
    lines = a.path.read_text().splitlines()
    ct.ok(json.loads(lines[-1])["status"] == 403 and not lines[-2].endswith("}"), "the next one begins a new line", lines)
    ct.ok(a.server.end() == 0, "ends by SIGTERM")
    ct.ok(json.loads(a.path.read_text().splitlines()[-1])["event"] == "stop", "the end is noted")
    text = a.path.read_text() + moved.read_text()
    ct.ok(not any(secret in text for secret in a.made.values()), "no token is in it")
    full = Server("full", "--audit-log", "/dev/full")
    lost, said = full.metrics()["candor_server_audit_log_lost_total"], log_of(full)
    ct.ok(lost == 1 and said.count("--audit-log /dev/full") == 1, "and reported", said)
    full.end()
    result = ct.candor("server", "--audit-log", ct.WORK / "no" / "audit", "--data", ct.WORK / "none")
    ct.ok(result.status == 1 and "--audit-log" in result.err, "a log that cannot be written", result)


def main():
    a = Audited()
    check_requests(a)
    check_findings(a)
    check_events(a)
    check_file(a)
    ct.done()


if __name__ == "__main__":
    main()
