#!/usr/bin/env python3
"""Twelve questions that people ask about their programs. Each is answered on the page, in a real browser, with at most three clicks. A
click is whatever takes the hand once: a link, a button, a choice in a list, a drag, a text with Enter. Answers are held against the
server's.

tier: default
timeout: 300
"""
import json
import pathlib
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
import fleetdata
from fleetdata import LOG, TIMES
from fleetpage import Fleet, share
from servers import Server

MOST_CLICKS = 3
WHEN = urllib.parse.urlencode(TIMES) + "&zone=utc"


class Person(Fleet):
    """Uses the page, and counts the clicks since it was opened."""

    def begin(self, times=WHEN):
        self.clicks = 0
        self.go("#" + times)
        self.rows()

    def click(self, selector, text=None):
        """Clicks on the first element of the selector that has the text and is in sight."""
        self.clicks += 1
        found = self.run("""const all = [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent !== null);
            const one = all.find(e => arguments[1] === null || e.textContent.includes(arguments[1]));
            if (one) { one.click(); } return Boolean(one)""", selector, text)
        ct.ok(found, f"there is {selector} {text or ''} to click on")
        self.ready()

    def view(self, title):
        self.click("#bar-views a", title)

    def pick(self, selector, value):
        self.clicks += 1
        self.choose(selector, value)
        self.ready()

    def enter(self, selector, text):
        self.clicks += 1
        self.run("document.querySelector(arguments[0]).focus()", selector)
        self.type(text)
        self.press("Enter")
        self.ready()

    def drag(self, *arguments):
        self.clicks += 1
        self.brush(*arguments)
        self.ready()

    def answered(self, question, good, detail):
        ct.ok(good and self.clicks <= MOST_CLICKS, f"{question} ({self.clicks} clicks)", detail)


def services(page, server):
    page.begin("zone=utc")
    page.pick("#bar-range", "24h")
    top = server.get("/v1/top", **{"from": "-24h", "to": "now"}, by="service", against="none")["groups"][0]
    row = page.rows()["live"]
    page.answered("which is the hottest method of last night?", top["methods"][0]["name"] == "org.live.Work.hot"
                  and row["Hottest own method"].startswith(f"Work.hot {share(top['methods'][0]['own_share'])}"), (row, top))
    page.begin()
    series = server.get("/v1/series", **TIMES, type="cpu:ns", by="service")["series"]
    most = max(series, key=lambda one: sum(weight for _, weight in one["points"]))["value"]
    text = page.text(".services .sentence")
    page.answered("which service burns most?", text.startswith(most + " uses most: "), text)
    gc = server.get("/v1/metrics", **TIMES, metric="gc_share", by="service", step="all")["metrics"][0]["series"]
    values = {one["value"]: one["points"][0][1] for one in gc}
    shown = page.rows()
    ct.ok({name: row["GC"] for name, row in shown.items() if row["GC"] != "–"}
          == {name: share(value) for name, value in values.items()} and "metered" in values, "the share of collections", (shown, values))
    found = server.get("/v1/findings", **TIMES)["findings"]
    of_log = [one["title"] for one in found if one["service"] == "log"]
    wanted = of_log[0] + (f" and {len(of_log) - 1} more" if len(of_log) > 1 else "")
    ct.ok(shown["log"]["Worst finding"] == wanted and shown["heap"]["Worst finding"] == "–", "the worst finding of each", (shown, found))


def changes(page, server):
    page.begin()
    page.view("Changes")
    row = next(row for row in page.table(".changes") if row["Service"] == "shop")
    sure = [one for one in server.get("/v1/changes", select='service="shop"', **TIMES)["changes"]
            if one["figure"] == "self" and one["verdict"] == "dearer"]
    page.answered("what did version 1.1 make worse?", [one["method"] for one in sure] == ["demo.Slow.hot"]
                  and "1.0 → 1.1" in row["Compared"] and row["Largest change"].startswith("Slow.hot +"), (row, sure))


def memory(page, server):
    page.begin()
    page.click(".services th button", "Allocation")
    first = next(iter(page.rows().values()))
    sums = server.get("/v1/series", **TIMES, type="alloc_space:bytes", by="service")["series"]
    page.answered("who allocates?", first["Service"] == "heap" == sums[0]["value"] and first["Allocation"] != "–", (first, sums))
    page.begin()
    page.view("Memory")
    page.click(".of-classes:not([hidden]) .tabs a", "Live heap")
    shown = page.table(".of-classes:not([hidden])", 1)
    live = server.get("/v1/methods", **TIMES, type="inuse_space:bytes")["report"]["methods"]
    most = max(live, key=lambda one: one["self"])
    page.answered("who leaks: whose objects stay alive?", most["name"] == "com.shop.Basket" and shown[0]["Class"].startswith("Basket")
                  and shown[0]["Share"].startswith(share(most["self_share"])), (shown, most))


def locks(page, server):
    page.begin()
    page.view("Locks")
    shown = page.table(".of-classes:not([hidden])")
    page.answered("which is the worst contention?", page.text(".of-classes:not([hidden]) .sentence").startswith("Log demo costs most")
                  and shown[0]["Lock"] == "Log demo", shown)
    page.click(".of-classes:not([hidden]) .tabs a", "Lock holders")
    held = server.get("/v1/methods", **TIMES, type="holder:ns")["report"]["methods"]
    holder = LOG.split(";")[-1].split(":")[0]
    names = {one["name"] for one in held if one["total"] > 0}
    page.answered("who holds the lock?", holder in names and holder in [name for name, _, total in page.methods() if total > 0],
                  (page.methods(), names))


def stopped(page, server):
    page.begin()
    page.view("Timeline")
    page.pick(".timeline .row select", next(value for value, text in page.run(
        "return [...document.querySelectorAll('.timeline .row select option')].map(o => [o.value, o.textContent])") if "metered" in text))
    text = page.run("return document.querySelector('[data-metric=gc_longest] .readout').textContent")
    (longest,) = server.get("/v1/metrics", **TIMES, select='service="metered"', metric="gc_longest", step="all")["metrics"]
    page.answered("why was nothing running?", longest["series"][0]["points"][0][1] == 0.7 and text == "700 ms at most", (text, longest))


def requests(page, server):
    page.begin()
    page.view("Requests")
    slow = server.get("/v1/spans", **TIMES, order="duration", limit=1)["spans"][0]
    page.click(".requests table a[href*='trace=']")
    lanes = page.run("return document.querySelectorAll('.life-row').length")
    page.answered("what did one slow request do?", slow["trace_id"] in page.run("return location.hash") and lanes > 2,
                  (page.text(".requests"), slow))


def health(page, server):
    left = {"service": "batch", "main": "org.batch.Nightly", "user": "web", "jdk": "21.0.1", "reason": "rule 'rest' excludes it"}
    said = json.dumps({"host": "web-1", "jvms": [], "tasks": [], "recorded": 1, "not_recorded": [left]})
    ct.ok(server.request("POST", "/v1/profiles/poll", said)[0] == 200, "a daemon speaks")
    page.begin()
    page.view("Health")
    web = next(row for row in page.table(".health") if row["Host"] == "web-1")
    cost = server.get("/v1/metrics", metric="own_cost_share", select='host="web-1"', step="all", **TIMES)["metrics"][0]["series"][0]
    page.answered("what does the profiler cost?", web["Own cost"] == share(cost["points"][0][1]), (web, cost))
    listed = [row for row in page.table(".health", 1) if row["Service"] == "metered"]
    others = [row for row in page.table(".health", 2) if row["JVM"] == "org.batch.Nightly"]
    page.answered("is this JVM recorded, and if not, why?", len(listed) == 1 and "silent" in listed[0]["Last"]
                  and [row["Why"] for row in others] == ["rule 'rest' excludes it"], (listed, others))


def alert(page, server):
    page.begin()
    page.view("Functions")
    page.enter(".functions input", "Slow.hot")
    page.click(".functions tbody a", "Alert")
    draft = page.run("return document.querySelector('.rule-form textarea').value")
    rule = server.get("/v1/alerts/preview", draft=draft, **TIMES)
    page.answered("wake me when this method exceeds 5 %", rule["rule"]["method"] == "^demo\\.Slow\\.hot$" and rule["rule"]["above"] == "5%"
                  and f"it would have fired {'once' if rule['count'] == 1 else str(rule['count']) + ' times'}" in page.text(".past"),
                  (draft, rule, page.text(".past")))


def main():
    missing = browser.missing()
    if missing:
        ct.skip("the page", missing)
        ct.done()
    server = Server("questions", "--analyze-cpu", "100%")
    for fill in (fleetdata.regression, fleetdata.waits, fleetdata.memory, fleetdata.metered, fleetdata.requests):
        fill(server)
    fleetdata.present(server, int(time.time()) // 60 * 60, 5)
    ct.ok(ct.wait_until(lambda: any(one["service"] == "log" for one in server.get("/v1/findings", **TIMES)["findings"])
                        and not server.get("/v1/findings", **TIMES)["waiting"]), "the recordings were judged")
    with Person(server) as page:
        for ask in (services, changes, memory, locks, stopped, requests, health, alert):
            ask(page, server)
        messages = [one for one in page.messages() if "400 (Bad Request)" not in one]  # of the server without rules of alerts
        ct.ok(not messages, "the browser reports no errors", messages)
    server.end()
    ct.done()


if __name__ == "__main__":
    main()
