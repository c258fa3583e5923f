#!/usr/bin/env python3
"""Alerts: a planted incident fires once and resolves once, across kill -9 and while a target cannot be reached; a random deviation does
not fire; and the preview says what the evaluation did.

tier: default
timeout: 240
"""
import http.server
import json
import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pprofs
from servers import Server

MS = 1_000_000
DELAY, WINDOW = 2, 4
HOT, RARE, REST = "demo.Work.hot", "demo.Work.rare", "demo.Work.rest"
RULES = """
[send hook]
type = webhook
url = {url}/hook
[send manager]
type = alertmanager
url = {url}
repeat = 1s
[send chat]
type = slack
url = {url}/chat

[alert hot]
select = env="live"
each = service
value = self
method = demo\\.Work\\.hot
action = keep 30d 3
above = 20%
resolve = 10%
window = 4s
interval = 1s
delay = 2s
label.team = shop
annotation.summary = the hot loop is <back>
[alert fluke]
value = self
method = demo\\.Work\\.rare
above = 5%
window = 4s
interval = 1s
delay = 2s
[alert metric]
value = cpu
above = 0.25
window = 4s
interval = 1s
delay = 2s
quiet = Sun-Sat
[alert night]
value = cores
above = 0.5
window = 4s
interval = 1s
delay = 2s
quiet = Sun-Sat
"""


class Sink:
    """Receives what is sent, by path: [body]."""

    def __init__(self):
        self.got, self.port = {"/hook": [], "/api/v2/alerts": [], "/chat": []}, 0
        self.open()

    def open(self):
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                sink.got[self.path].append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def hooks(self, rule, status):
        return [one for body in list(self.got["/hook"]) for one in body["alerts"] if (one["rule"], one["status"]) == (rule, status)]


class Feeder:
    """Sends a recording for each second: 100 samples, 6 of which are rare; in an incident 40 are hot."""

    def __init__(self, server):
        self.server, self.incident, self.taken, self.stopped = server, False, {}, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        second = 0
        while not self.stopped.wait(0.05):
            if int(time.time()) == second:
                continue
            second = int(time.time())
            hot = 40 if self.incident else 1
            rows = [(name, [count, count * 10 * MS]) for name, count in ((HOT, hot), (RARE, 6), (REST, 94 - hot))]
            body = pprofs.make([("samples", "count"), ("cpu", "nanoseconds")], rows, ("cpu", "nanoseconds", 10 * MS), second, 1)
            try:
                if self.server.send(body, service="shop", env="live")[0] == 200:
                    self.taken[second] = time.time()
            except (OSError, ValueError):
                pass  # the server is away

    def stop(self):
        self.stopped.set()
        self.thread.join()

    def is_settled(self, to):
        """Whether all recordings of the window that ends at `to` had arrived when the window was due."""
        return all(self.taken.get(second, 0) < to + DELAY for second in range(to - WINDOW, to))


def wait(condition, text, detail=lambda: None):
    until = time.monotonic() + ct.PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    ct.ok(condition(), text, detail())


def alert(server, rule, seen=None):
    answer = json.loads(server.request("GET", "/v1/alerts")[2])
    found = [one for row in answer["rules"] if row["name"] == rule for one in row["alerts"]]
    if found and seen is not None:
        seen[found[0]["at"]] = found[0]
    return found[0] if found else {"state": None}


def check_file(path):
    result = ct.candor("server", "--check-alerts", path)
    ct.ok(result.status == 0 and "rules: 4, targets: 3" in result.out, "--check-alerts: a good file", result)
    example = ct.candor("server", "--check-alerts", ct.ROOT / "dist" / "alerts.conf")
    ct.ok(example.status == 0, "--check-alerts: the example of dist/", example)
    bad = ct.WORK / "bad.conf"
    for text, *words in (("[alert a]\nvalue = cores\nabove = 1\nwhat = 2\n", "line 4", "no key 'what'"),
                         ("[alert a]\nvalue = cores\n", "[alert a]", "threshold"), ("[alert a]\nvalue = self\nabove = 5%\n", "method"),
                         ("[alert a]\nvalue = cores\nabove = 1\nto = nobody\n", "[send nobody]")):
        bad.write_text(text)
        result = ct.candor("server", "--check-alerts", bad)
        ct.ok(result.status == 1 and len(result.err.splitlines()) == 1 and all(word in result.err for word in words), f"it says {words}",
              result)
    refused = ct.candor("server", "--data", ct.WORK / "refused", "--listen", "127.0.0.1:0", "--alerts", bad)
    ct.ok(refused.status == 1 and "[send nobody]" in refused.err, "a server does not start with a broken file", refused)


def kept(server):
    """The rule has kept the recordings of its window."""
    rules = {one["name"]: one for one in json.loads(server.request("GET", "/v1/alerts")[2])["rules"]}
    hot, other = rules["hot"], rules["fluke"]
    ids = [one["recording"] for one in hot["kept"]]
    ct.ok(hot["keep"] == {"seconds": 30 * 86400, "recordings": 3} and len(ids) == 3 and not other["kept"] and other["keep"] is None,
          "action = keep: three recordings", hot)
    began = hot["alerts"][0]["started"]
    listed = {one["id"] for one in server.get("/v1/recordings", **{"from": began - WINDOW, "to": began})["recordings"]}
    ct.ok(all(one in listed for one in ids), "of the window in which it fired", (ids, sorted(listed)))
    ct.ok(all(abs(one["until"] - 30 * 86400 - began) < 3600 for one in hot["kept"]), "for so long", hot["kept"])
    shown = ct.candor("fleet", "alerts", server.url)
    ct.ok(f"hot keeps recordings {', '.join(map(str, sorted(ids)))}\n" in shown.out, "candor fleet alerts shows them", shown)


def incident(server, feeder, sink, path):
    """Returns the alerts that were seen, by the end of their window, and the server after its restart."""
    seen = {}
    wait(lambda: alert(server, "hot", seen)["state"] == "inactive" and feeder.is_settled(max(seen)), "steady: nothing fires")
    feeder.incident = True
    wait(lambda: alert(server, "hot", seen)["state"] == "firing" and sink.hooks("hot", "firing"), "the incident fires",
         lambda: (alert(server, "hot"), sink.got))
    wait(lambda: any(one.get("told", {}).get("hook") for one in json.loads((server.data / "alerts.json").read_text())["alerts"]),
         "and that is on the disk")
    server.end(signal.SIGKILL)
    again = Server("alerts", "--alerts", path, port=server.port)
    feeder.server = again
    ct.ok(alert(again, "hot")["state"] == "firing", "the state survives kill -9", alert(again, "hot"))
    kept(again)
    before = len(sink.got["/api/v2/alerts"])
    wait(lambda: len(sink.got["/api/v2/alerts"]) > before + 2, "Alertmanager is told again and again")
    ct.ok(len(sink.hooks("hot", "firing")) == 1, "the webhook was told once", sink.got["/hook"])
    wait(lambda: alert(again, "fluke", seen)["state"] == "inactive" and alert(again, "fluke")["samples"] == 400, "a fluke does not fire")
    fluke = alert(again, "fluke")
    ct.ok(fluke["low"] < 0.05 < fluke["value"], "though its value is above the threshold", fluke)
    night = alert(again, "night")
    ct.ok(night["state"] == "firing" and night["quiet"] and not night["sent"], "quiet times", night)
    metric = alert(again, "metric")
    ct.ok(metric["state"] == "firing" and 0.25 < metric["low"] == metric["value"] == metric["high"] < 4,
          "a key metric, which has no interval", metric)
    return seen, again


def silences(server, feeder, sink, path):
    """While a silence lasts, an alert that fires is not sent again. It survives kill -9, and ends when a person ends it. Returns the server
    after its restart."""
    told = lambda: len(sink.got["/api/v2/alerts"])
    made = ct.candor("fleet", "alerts", server.url, "hot", "--of", "shop", "--silence", "2h", "--note", "a fix <is> on its way")
    ct.ok(made.status == 0 and made.out == "silence 1 has begun\n", "a silence", made)
    server.end(signal.SIGKILL)
    server = feeder.server = Server("alerts", "--alerts", path, port=server.port)
    (one,) = server.get("/v1/alerts/silences")["silences"]
    ct.ok((one["id"], one["rule"], one["of"], one["note"], one["lasts"]) == (1, "hot", "shop", "a fix <is> on its way", True)
          and one["until"] - one["created"] == 7200, "it survives kill -9", one)
    before, at = told(), alert(server, "hot")["at"]
    wait(lambda: alert(server, "hot")["at"] >= at + 4, "rules are still evaluated")
    ct.ok(told() <= before + 1 and (alert(server, "hot")["state"], alert(server, "hot")["silence"]) == ("firing", 1),
          "the alert fires, and is not sent again (one message may have been on its way)", (before, told(), alert(server, "hot")))
    ct.ok(alert(server, "night")["silence"] is None, "other alerts are not silenced", alert(server, "night"))
    shown, table = (ct.candor("fleet", "alerts", server.url, *options) for options in (("--silences",), ()))
    ct.ok(shown.status == 0 and "lasts" in shown.out and "a fix <is> on its way" in shown.out and "silence 1" in table.out,
          "candor fleet alerts shows it", (shown, table))
    before = told()
    ended = ct.candor("fleet", "alerts", server.url, "--end-silence", "1")
    ct.ok(ended.status == 0 and ended.out == "silence 1 has ended\n", "a person ends it", ended)
    wait(lambda: told() > before + 1, "then the alert is sent again")
    (one,) = server.get("/v1/alerts/silences")["silences"]
    ct.ok(not one["lasts"] and one["ended_by"] == "anybody", "it is still listed", one)
    return server


def refused_silences(server):
    ask = lambda path, body: server.request("POST", "/v1/alerts/silences" + path, json.dumps(body).encode())
    for body, word in (({"for": "1h"}, "which alerts"), ({"rule": "cold", "for": "1h"}, "no rule 'cold'"), ({"rule": "hot"}, "for:"),
                       ({"rule": "hot", "for": "91d"}, "90d"), ({"rule": "hot", "for": "0s"}, "1s"), ([], "body"),
                       ({"rule": "hot", "for": "1h", "until": 5}, "body"), ({"rule": 5, "for": "1h"}, "rule:"),
                       ({"rule": "hot", "for": "1h", "note": "x" * 501}, "500 bytes"), ({"of": "a\0b", "for": "1h"}, "body")):
        status, _, answer = ask("", body)
        ct.ok(status == 400 and word in json.loads(answer)["error"], f"refused: {word}", (body, status, answer))
    ct.ok(ask("/end", {"id": 1})[0] == ask("/end", {"id": 99})[0] == 404 and ask("/end", {})[0] == 400, "none that lasts has this number")
    ct.ok(len(server.get("/v1/alerts/silences")["silences"]) == 1, "nothing was silenced by any of them")
    for options in (("--silence", "1h"), ("hot", "--note", "x"), ("hot", "--silences"), ("--end-silence", "x")):
        wrong = ct.candor("fleet", "alerts", server.url, *options)
        ct.ok(wrong.status == 2 and len(wrong.err.strip().splitlines()) <= 2, f"a wrong command: {options}", wrong)


def resolve(server, feeder, sink):
    sink.close()
    feeder.incident = False
    seen = {}
    wait(lambda: alert(server, "hot", seen)["state"] == "resolved", "it resolves", lambda: alert(server, "hot"))
    failed = 'candor_server_alert_requests_total{to="hook",result="failed"}'
    wait(lambda: server.metrics()[failed] > 0, "a target that is away is counted")
    shown = ct.candor("fleet", "alerts", server.url)
    ct.ok(shown.status == 0 and "cannot send to hook" in shown.err, "and shown", shown)
    sink.open()
    wait(lambda: sink.hooks("hot", "resolved"), "and told when it is back", lambda: sink.got)
    fired, over = sink.hooks("hot", "firing"), sink.hooks("hot", "resolved")
    ct.ok(len(fired) == 1 and len(over) == 1 and fired[0]["fingerprint"] == over[0]["fingerprint"] and
          fired[0]["startsAt"] == over[0]["startsAt"] < over[0]["endsAt"], "one firing and one end, of the same alert", (fired, over))
    ct.ok(not sink.hooks("night", "firing") and not sink.hooks("fluke", "firing"), "and nothing else", sink.got["/hook"])
    return seen


def messages(sink):
    first, last = sink.got["/api/v2/alerts"][0][0], sink.got["/api/v2/alerts"][-1][0]
    ct.ok(first["labels"] == {"alertname": "hot", "service": "shop", "team": "shop"} == last["labels"], "Alertmanager: labels", first)
    ct.ok(first["startsAt"] == last["startsAt"] < last["endsAt"] and "demo\\.Work\\.hot" in first["annotations"]["description"],
          "Alertmanager: times and annotations", (first, last))
    texts = [body["text"] for body in sink.got["/chat"]]
    ct.ok(len(texts) == 2 and texts[0].startswith("firing: hot (service=shop), the hot loop is &lt;back&gt;") and
          texts[1].startswith("resolved"), "Slack: text with escapes", texts)


def preview(server, feeder, seen):
    hours = {"from": "-10m", "to": "now", "points": "true", "rule": "hot"}
    answer = server.get("/v1/alerts/preview", **hours)
    points = {point["at"]: point for point in answer["points"]}
    same = [(at, one, points[at]) for at, one in seen.items() if feeder.is_settled(at) and at in points and one["value"] is not None]
    ct.ok(len(same) >= 5 and all(one[key] == point[key] for _, one, point in same for key in ("value", "low", "high", "samples")),
          "preview: the figures of the evaluation", same)
    ct.ok(answer["count"] == 1 and answer["firings"][0]["of"] == "shop" and answer["firings"][0]["value"] >= 0.25, "preview: it fired once",
          answer["firings"])
    shown = ct.candor("fleet", "alerts", server.url, "hot", "--preview", "--from", "-10m")
    ct.ok(shown.status == 0 and "hot would have fired 1 time:" in shown.out, "candor fleet alerts NAME --preview", shown)
    wrong = ct.candor("fleet", "alerts", server.url, "cold", "--preview")
    ct.ok(wrong.status != 0 and "no rule 'cold'" in wrong.err, "a rule that is not there", wrong)
    table = ct.candor("fleet", "alerts", server.url)
    ct.ok(table.out.splitlines()[0].split()[:3] == ["RULE", "OF", "STATE"] and "> 20%" in table.out and "quiet time" in table.out,
          "candor fleet alerts", table)


def draft(server, text):
    """A rule that is not in the file is previewed as if it were; so it is on a server without a file. Its text comes from /v1/alerts."""
    rule = "[alert hot]" + text.split("[alert hot]")[1].split("[alert fluke]")[0]
    times = {"from": int(time.time()) - 600, "to": int(time.time()), "points": "true"}
    known, new = (server.get("/v1/alerts/preview", **times, **which) for which in ({"rule": "hot"}, {"draft": rule}))
    ct.ok(known == new and known["count"] == 1, "a draft: as the rule of the file", (known, new))
    shown = next(one for one in json.loads(server.request("GET", "/v1/alerts")[2])["rules"] if one["name"] == "hot")
    ct.ok((shown["labels"], shown["annotations"], shown["to"], shown["no_data"]) ==
          ({"team": "shop"}, {"summary": "the hot loop is <back>"}, None, 3600), "/v1/alerts has all keys of a rule", shown)
    for wrong, word in (("[alert a]\nvalue = cores\n", "threshold"), ("value = cores", "before the first section"),
                        (rule + rule, "already"),
                        ("[send a]\ntype = slack\nurl = http://a\n", "one section [alert NAME]"),
                        ("[send a]\ntemplate = /nowhere\n", "one section [alert NAME]"), (rule + "to = nobody\n", "[send nobody]"),
                        (rule.replace("above", "abobe"), "no key 'abobe'"), ("[alert a]\n\0", "zero byte")):
        answer = server.get("/v1/alerts/preview", **times, draft=wrong)
        ct.ok(answer.get("status") == 400 and word in answer["error"], f"a draft with an error: {word}", answer)
    quiet = ("22:00-06:00", "Sat-Sun", "Mon-Fri 12:00-13:00", "Sat-Mon 23:30-00:15", "Wed", "Sun-Sat")
    said = [server.get("/v1/alerts/preview", **times, draft=rule + f"quiet = {one}\n")["rule"]["quiet"] for one in quiet]
    ct.ok(said == [[one] for one in quiet], "quiet times as they were written", said)
    bare = Server("bare")
    answer = bare.get("/v1/alerts/preview", **times, draft=rule + "to = nobody\n")
    ct.ok(answer["count"] == 0 and answer["rule"]["to"] == "nobody" and "--alerts FILE" in bare.get("/v1/alerts/preview", **times)["error"],
          "a server without rules previews a draft", answer)
    bare.end()


def test_fire(server, sink):
    status, _, body = server.request("POST", "/v1/alerts/hot/test", b"")
    answer = json.loads(body)["targets"]
    ct.ok(status == 200 and [(one["to"], one["sent"]) for one in answer] == [("hook", True), ("manager", True), ("chat", True)],
          "a test is sent", answer)
    tests = [one for body in sink.got["/hook"] for one in body["alerts"] if one["test"]]
    ct.ok(len(tests) == 1 and tests[0]["labels"]["test"] == "true", "and says that it is one", tests)
    ct.ok(server.request("POST", "/v1/alerts/cold/test", b"")[0] == 404, "a test of no rule")


def read_again(server, path, text):
    path.write_text(text.replace("above = 0.5", "above = lots"))
    read = lambda: json.loads(server.request("GET", "/v1/alerts")[2])
    wait(lambda: read()["error"], "a broken file is reported")
    answer = read()
    ct.ok("night" in answer["error"] and "lots" in answer["error"] and len(answer["rules"]) == 4, "and the rules from before stay",
          answer["error"])
    ct.ok(server.metrics()["candor_server_alert_rules_good"] == 0, "in /metrics, too")
    path.write_text(text.split("[alert night]")[0])
    wait(lambda: len(read()["rules"]) == 3 and not read()["error"], "a good file is used")


def main():
    sink, path = Sink(), ct.WORK / "alerts.conf"
    text = RULES.format(url=f"http://127.0.0.1:{sink.port}")
    path.write_text(text)
    check_file(path)
    server = Server("alerts", "--alerts", path)
    feeder = Feeder(server)
    seen, server = incident(server, feeder, sink, path)
    server = silences(server, feeder, sink, path)
    refused_silences(server)
    seen = {**{at: one for at, one in seen.items() if one["labels"]["alertname"] == "hot"}, **resolve(server, feeder, sink)}
    feeder.stop()
    messages(sink)
    preview(server, feeder, seen)
    draft(server, text)
    test_fire(server, sink)
    read_again(server, path, text)
    ct.ok(server.metrics()["candor_server_alert_evaluations_total"] > 10, "evaluations are counted")
    ct.ok(server.end() == 0, "ends by SIGTERM")
    sink.close()
    ct.done()


if __name__ == "__main__":
    main()
