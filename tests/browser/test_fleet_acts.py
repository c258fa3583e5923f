#!/usr/bin/env python3
"""What a person does on the server's page, in a real browser: states of findings, recordings on demand, and why an answer is incomplete or
its times are coarse.

tier: default
timeout: 600
"""
import json
import pathlib
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib"), str(HERE.parent / "cli")]
import browser
import candortest as ct
import fleetdata
from fleetdata import MARKUP, TIMES
from fleetpage import HERE as ADDRESS
from fleetpage import Fleet
from servers import Server
from test_fleet_profile import Host

WHEN = urllib.parse.urlencode(TIMES) + "&zone=utc"
DAY = 86_400


def check_findings(page, server):
    def listed(state="all"):
        return {one["id"]: one["state"] for one in server.get("/v1/findings", state=state, **TIMES)["findings"]}

    ct.ok(ct.wait_until(lambda: listed()), "a finding is there")
    page.go("#view=findings&" + WHEN)
    page.ready()
    (number,) = listed()
    buttons = "return [...document.querySelectorAll('.findings td .actions button')].map(b => b.textContent)"
    ct.ok(page.run(buttons) == ["Acknowledge", "Silence"], "what can be done with an open finding", page.run(buttons))
    for word, wanted, next_words in (("Acknowledge", "acknowledged", ["Reopen", "Silence"]), ("Silence", "silenced", ["Show again"]),
                                     ("Show again", "open", ["Acknowledge", "Silence"])):
        page.run("[...document.querySelectorAll('.findings td .actions button')].find(b => b.textContent === arguments[0]).click()", word)
        page.wait_for(f"return document.querySelector('.findings td .state').textContent === '{wanted}'", seconds=60)
        ct.ok(listed()[number] == wanted and page.run(buttons) == next_words, f"{word}: the server has it {wanted}",
              (listed(), page.run(buttons)))


def check_evidence(page, server):
    """A finding leads to its recording and its place, and the frames that it names lead to the finding."""
    (listed,) = server.get("/v1/findings", state="all", **TIMES)["findings"]
    one = server.get(f"/v1/findings/{listed['id']}")
    page.click_on(".findings td.column-name a")
    page.ready()
    text = page.text(".findings")
    ct.ok(page.text(".findings h1") == one["title"] and one["finding"]["text"] in text and one["finding"]["remedy"] in text,
          "a click: the text and the remedy of the rule", (text, one))
    ct.ok(page.run("return document.querySelector('.facts a[download]').pathname") == f"/v1/recordings/{one['evidence']['recording']}",
          "the recording that is the evidence can be downloaded", text)
    page.run("document.querySelector('.findings .actions button').focus()")
    for wanted, next_word in (("acknowledged", "Reopen"), ("open", "Acknowledge")):
        page.press("Enter")
        page.wait_for(f"return document.querySelector('.findings .state').textContent === '{wanted}'", seconds=60)
        ct.ok(page.run("return document.activeElement.textContent") == next_word, "a button that takes another's place has the focus",
              page.run("return document.activeElement.outerHTML"))
    subject, method = one["place"].split(" at ")
    address = page.run(ADDRESS)
    page.run("[...document.querySelectorAll('.facts a')].find(a => a.textContent === arguments[0]).click()", method)
    page.ready()
    search = page.run("return candor.state().search")
    ct.ok(search["methods"] == 1 and f"service={one['service']}" in page.run(ADDRESS), "its place: those frames of the service", search)
    page.wait_for("return candor.frames().some(f => f.findings.length > 0)", seconds=60)
    marked = page.run("return candor.frames().filter(f => f.findings.length).map(f => [f.name, f.findings, f.x + f.width - 4, f.y + 4])")
    ct.ok({name for name, *_ in marked} == {subject, method} and all(of == ["Finding: " + one["title"]] for _, of, *_ in marked),
          "the frames that it names are marked, and no others", marked)
    page.click(*marked[0][2:])
    page.ready()
    ct.ok(page.run(ADDRESS).count(f"finding={listed['id']}") == 1 and page.text(".findings h1") == one["title"],
          "a click on the mark leads back", (page.run(ADDRESS), address))
    page.go("#view=findings&finding=999&" + WHEN)
    ct.ok("no finding with this number" in page.text(".findings"), "a number without a finding is said")


def check_on_demand(page, server):
    page.go("#view=health&" + WHEN)
    page.ready()
    page.choose(".on-demand label:nth-of-type(1) select", "wall")
    services = page.run("return [...document.querySelectorAll('.on-demand label:nth-of-type(2) option')].map(o => o.textContent)")
    ct.ok("log" in services and MARKUP in services, "the services of the time", services)
    page.choose(".on-demand label:nth-of-type(2) select", "log")
    page.click_on(".on-demand form button")
    page.wait_for("return /Request 1 /.test(document.querySelector('.on-demand output').textContent)", seconds=60)
    (asked,) = json.loads(server.request("GET", "/v1/profiles")[2])["profiles"]
    ct.ok((asked["select"], asked["events"], asked["seconds"], asked["state"]) == ('service="log"', "wall", 120, "waiting"),
          "two minutes of the wall clock are asked for", asked)
    row = page.table(".on-demand")[0]
    ct.ok(row["State"] == "waiting no JVM yet" and row["What"] == "wall, 120 s", "the request and its state", row)
    host = Host(server, "h<b>", jvm=("service=log&host=h", None))
    ct.ok(host.poll(), "a daemon is offered it")
    host.tasks = {(1, "jvm"): ("failed", "the JVM <i>ended</i>")}
    host.poll()
    page.wait_for("return /ended/.test(document.querySelector('.on-demand tbody').textContent)", seconds=60)
    row = page.table(".on-demand")[0]
    left = {"service": MARKUP, "main": "org.<b>Main", "user": None, "jdk": "21", "reason": "rule 'x' excludes it"}
    host.more = {"recorded": 4, "not_recorded": [left], "not_recorded_left_out": 2}
    host.poll()
    page.go("#view=services&" + WHEN)
    page.go("#view=health&" + WHEN)
    page.ready()
    (listed,) = [one for i in (1, 2) for one in page.table(".health", i) if one.get("Why")]
    ct.ok((listed["JVM"], listed["Why"], listed["Host"], listed["Service"]) == ("org.<b>Main", "rule 'x' excludes it", "h<b>", MARKUP),
          "a JVM that is not recorded, and why, as text", listed)
    ct.ok("3 JVMs that daemons see are not recorded now" in page.text(".health .sentence")
          and "4 JVMs recorded, 3 not" in page.text(".health")
          and "2 more JVMs" in page.text(".health"), "how many there are", page.text(".health .sentence"))
    ct.ok("h<b> failed: the JVM <i>ended</i>" in row["State"], "the page follows it, and gives the daemon's reason as text", row)


def check_not_permitted():
    tokens = ct.WORK / "acts.tokens"
    reader, writer, admin = (ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()
                      for wanted in ("reader:read", "writer:write", "operator:read,admin"))
    server = Server("acts-permitted", "--token-file", tokens, token=writer)
    fleetdata.waits(server)
    with Fleet(server) as page:
        page.devtools("Network.enable")
        page.devtools("Network.setExtraHTTPHeaders", headers={"Authorization": "Bearer " + reader})
        page.go("#view=health&" + WHEN)
        page.ready()
        page.click_on(".on-demand form button")
        page.wait_for("return /Not permitted/.test(document.querySelector('.on-demand output').textContent)", seconds=60)
        ct.ok("scope profile" in page.text(".on-demand output"), "the page says which scope is needed", page.text(".on-demand output"))
        ct.ok("scope admin" in page.text(".health"), "and that only the scope admin sees the tokens")
        page.devtools("Network.setExtraHTTPHeaders", headers={"Authorization": "Bearer " + admin})
        page.go("#view=health&" + WHEN)
        page.ready()
        page.wait_for("return /operator/.test(document.querySelector('.health').textContent)", seconds=60)
        last = page.run("return document.querySelectorAll('.health table.fleet').length") - 1
        listed = {row["Name"]: row for row in page.table(".health", last)}
        ct.ok({name: row["May"] for name, row in listed.items()} == {"reader": "read", "writer": "write", "operator": "read, admin"}
              and listed["writer"]["Requests"] == "1" and all(":" in row["Last used"] for row in listed.values()),
              "with it: who may do what, and when they last did something", listed)
    server.end()


def check_coarse():
    """Data of three days ago, of which only sums are left."""
    day = int(time.time()) // DAY * DAY - 3 * DAY
    server = Server("acts-coarse")
    server.request("POST", "/ingest", b"a.B.c 50\n", name="old{host=h}", format="folded", **{"from": day + 3600, "until": day + 3660})
    ct.ok(ct.wait_until(lambda: server.get("/v1/storage")["services"][0].get("oldest_days") == day), "sums are made")
    server.end()
    server = Server("acts-coarse", "--retain", "1d")
    ct.ok(ct.wait_until(lambda: not server.get("/v1/storage")["services"][0]["segment_bytes"]), "samples are deleted")
    with Fleet(server) as page:
        page.go(f"#view=service&service=old&zone=utc&from={day}&to={day + DAY}")
        text = page.text("#coarse")
        ct.ok("sums by the hour" in text and "--retain" in text, "coarse times are explained", text)
        page.go(f"#view=service&service=old&zone=utc&from={day + 3660}&to={day + DAY}")
        page.wait_for("return !document.getElementById('partial').hidden", seconds=60)
        page.click_on("#partial summary")
        ct.ok("Choose whole hours or days" in page.text("#partial"), "a part of an hour: what is missing, why, and what to do",
              page.text("#partial"))
        page.go("#view=service&service=old&zone=utc&range=15m")
        ct.ok(page.run("return document.getElementById('coarse').hidden"), "a time with samples has no such note")
    server.end()


def main():
    why = browser.missing()
    if why:
        ct.skip("the page", why)
        ct.done()
    server = Server("acts", "--analyze-cpu", "100%")
    fleetdata.waits(server)
    fleetdata.hostile(server)
    with Fleet(server) as page:
        page.window(1440, 1000)
        check_findings(page, server)
        check_evidence(page, server)
        check_on_demand(page, server)
        messages = [one for one in page.messages() if "404 (Not Found)" not in one]
        ct.ok(not messages, "no message in the browser's console", messages)
    server.end()
    check_not_permitted()
    check_coarse()
    ct.done()


if __name__ == "__main__":
    main()
