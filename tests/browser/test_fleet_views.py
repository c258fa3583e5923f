#!/usr/bin/env python3
"""The server's page in a real browser: changes, alerts, recordings, health, a JVM over time, locks and memory. Figures are held against the
server's answers; names are hostile; states without data, without permission and with an error are looked at.

tier: default
timeout: 600
"""
import base64
import http.server
import json
import pathlib
import re
import sys
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
import fleetdata
from fleetdata import MARKUP, START, TIMES
from fleetpage import HERE as ADDRESS
from fleetpage import Fleet, share
from servers import Server

NOW = int(time.time()) // 60 * 60
QUIET = "Mon-Fri %02d:00-%02d:30" % ((time.gmtime().tm_hour + 12) % 24, (time.gmtime().tm_hour + 12) % 24)  # not now
WHEN = urllib.parse.urlencode(TIMES) + "&zone=utc"
AROUND = {"from": START - 120, "to": START + 300}
RULES = """
[send hook]
type = webhook
url = {hook}

[alert live-is-hot]
select = service="live"
each = service
value = total
method = ^org\\.live\\.Work
above = 20%
resolve = 10%
window = 10m
interval = 5s
quiet = {quiet}
label.team = <b>shop</b>
[alert idle]
each = host
value = cores
above = 4000
"""


class Hook:
    """Takes what the server sends to a target."""

    def __init__(self):
        hook = self
        self.got = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                hook.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d/hook" % self.server.server_address[1]


def points(value):
    return ("+" if value > 0 else "") + share(value).replace("%", " pt")


def check_changes(page, server):
    page.go("#view=changes&" + WHEN)
    page.ready()
    shown = {row["Service"]: row for row in page.table(".changes")}
    answer = server.get("/v1/changes", select='service="shop"', all="1", limit=300, **TIMES)
    sure = [row for row in answer["changes"] if row["figure"] == "self" and row["verdict"] not in ("moved", "not sure")]
    shop = shown["shop"]
    ct.ok(len(sure) == 1 and shop["Surely changed"] == "1" and shop["Largest change"] == f"Slow.hot {points(sure[0]['change'])}"
          and "1.0 → 1.1, 6 hosts" in shop["Compared"], "every service: what surely changed", (shown.get("shop"), sure))
    ct.ok(shown["metered"]["Surely changed"] == "–" and "one version" in shown["metered"]["Compared"], "one version: nothing to compare",
          shown)
    changed = "document.querySelector('.services tbody .column-changed')"
    page.go("#view=services&filter=metered&" + WHEN)
    page.wait_for(f"return {changed} && {changed}.textContent !== '…'", seconds=60)
    ct.ok(page.run(f"return [{changed}.textContent, {changed}.firstChild.title]") == ["–", "In this time it ran in one version"],
          "a dash says why", page.run(f"return {changed}.innerHTML"))
    page.go("#view=services&sort=-rate&filter=shop&" + WHEN)
    page.wait_for(f"return {changed} && {changed}.textContent !== '…'", seconds=60)
    ct.ok(page.run(f"return {changed}.textContent") == shop["Largest change"], "the list of services has it, too",
          page.run(f"return {changed}.textContent"))
    page.run(f"{changed}.querySelector('a').click()")
    page.ready()
    text = page.text(".changes .sentence")
    ct.ok(text.startswith("1 method surely changed: Slow.hot") and "2 methods only moved" in text, "a click: the service's changes", text)
    hot = page.table(".changes")[0]
    one = sure[0]
    ct.ok(hot["Verdict"] == "▲ dearer" and hot["Before"] == share(one["before"]) and hot["After"] == share(one["after"])
          and hot["Change"] == f"{points(one['change'])} ({points(one['low'])} to {points(one['high'])})"
          and hot["Least detectable"] == points(one["detectable"]) and "line 21" in hot["Method"], "the figures of the server", (hot, one))
    moved = [(row["Method"].split(" ")[0], row["Verdict"]) for row in page.table(".changes", 1)]
    ct.ok(sorted(moved) == [("Name.fresh", "↔ moved from Name.old"), ("Name.old", "↔ moved to Name.fresh")],
          "what only moved is told apart", moved)
    folded = page.run("""const d = document.querySelector('details.unsure');
        return [d.open, d.querySelector('summary').textContent]""")
    unsure = answer["tests"] - answer["sure"]
    ct.ok(folded == [False, f"{unsure} figures not sure: the difference may be chance"], "chance is folded away", folded)
    for against, words in (("yesterday", "Nothing can be sure here"), ("week", "Nothing can be sure here"),
                           ("hosts", "No method surely changed")):
        page.go(f"#view=changes&service=shop&against={against}&{WHEN}")
        page.ready()
        ct.ok(words in page.text(".changes"), f"against {against}", page.text(".changes"))
    page.go("#view=changes&service=metered&" + WHEN)
    ct.ok("nothing to compare with" in page.text(".changes"), "one version: the page says what to do", page.text(".changes"))


def check_compare(page):
    page.go("#view=compare&service=shop&against=version&" + WHEN)
    page.ready()
    ct.ok(page.text(".compare .sentence").startswith("1 method surely changed: Slow.hot"), "Compare judges as the server does",
          page.text(".compare .sentence"))
    marked = page.run("""return [...document.querySelectorAll('#methods-body tr')].filter(r => r.textContent.includes('▲')
        || r.textContent.includes('▼')).map(r => r.cells[2].textContent)""")
    ct.ok(sorted(marked) == ["Name.freshdemo", "Name.olddemo", "Slow.hotdemo"], "the viewer marks the same methods", marked)
    page.go("#view=changes&service=shop&" + WHEN)
    page.ready()
    said = page.text(".changes .sentence")
    page.click_on(".changes .aside a")
    page.ready()
    ct.ok(page.text(".compare .sentence") == said, "from Changes to the graph of the same sides", (page.text(".compare .sentence"), said))
    page.go("#view=changes&service=shop&against=hosts&two=h12&" + WHEN)
    page.ready()
    page.click_on(".changes .aside a")
    page.ready()
    ct.ok("After: host h12" in page.text(".compare"), "and of hosts", page.text(".compare"))
    page.go(f"#view=compare&service=shop&against=label&label=host&one=h00&two=h10&{WHEN}")
    page.ready()
    ct.ok("differences between hosts not counted" in page.text(".compare .sentence")
          and "Hosts could not be compared" in page.text(".judged"),
          "one host beside another one: sampling alone, and it says so", page.text(".compare"))


def check_recordings(page, server):
    page.go("#view=recordings&" + WHEN)
    page.ready()
    listed = server.get("/v1/recordings", limit=500, **TIMES)["recordings"]
    shown = page.run("return [...document.querySelectorAll('.recordings tbody tr')].map(r => Number(r.dataset.id))")
    ct.ok(shown == [one["id"] for one in listed], "the server's recordings, the latest first", shown)
    page.choose(".recordings .row select", "gc_longest")
    hits = server.get("/v1/search", order="gc_longest", limit=1000, **TIMES)["hits"]
    one = page.table(".recordings")
    ct.ok([row["Service"] for row in one] == ["metered"] and one[0]["longest GC pause"] == "700 ms" and hits[0]["value"] == 0.7
          and "order=gc_longest" in page.run(ADDRESS), "by a key metric", (one, hits))
    page.go(f"#view=recordings&service=shop&where=service%3D%22shop%22&{WHEN}")
    page.ready()
    first, second = page.run("return [...document.querySelectorAll('.recordings tbody tr')].slice(0, 2).map(r => Number(r.dataset.id))")
    by_id = {one["id"]: one for one in listed}
    content = server.request("GET", page.run("return document.querySelector('.recordings tbody a[download]').getAttribute('href')"))[2]
    ct.ok(len(content) == by_id[first]["bytes"], "the download is the recording", (len(content), by_id[first]))
    page.click_on(f".recordings tr[data-id='{first}'] button")
    page.idle()
    ct.ok(f"Recording {first}" in page.text(".recordings .part-bar"), "the first of two is chosen", page.text(".recordings"))
    page.click_on(f".recordings tr[data-id='{second}'] button")
    page.ready()
    wanted = [sum(content["weight"] for content in by_id[id]["contents"]) for id in (first, second)]
    sums = page.run("return candor.methods().reduce(([a, b], m) => [a + m.otherSelf, b + m.self], [0, 0])")
    ct.ok(sums == wanted, "compared with the second: both sides' samples", (sums, wanted, page.run(ADDRESS)))
    page.back()
    page.ready()
    ct.ok(page.text(".recordings h1") == "Recordings", "back: the list")
    page.click_on(f".recordings tr[data-id='{second}'] .actions a:nth-child(2)")
    page.ready()
    ct.ok(sum(one[1] for one in page.methods()) == wanted[1] and page.text(".service h1") == "shop", "its samples", page.run(ADDRESS))


def check_local(page):
    """A page of candor convert is read in the browser; nothing is sent."""
    made = ct.WORK / "local.html"
    source = ct.WORK / "metered.jfr"
    ct.ok(ct.candor("convert", source, made).status == 0, "a page to drop")
    page.go("#view=recordings&" + WHEN)
    page.ready()
    before = page.run("return performance.getEntriesByType('resource').length")
    element = page.ask("POST", "/element", {"using": "css selector", "value": ".recordings input[type=file]"})
    put = lambda path: page.ask("POST", "/element/%s/value" % next(iter(element.values())), {"text": str(path)})
    put(made)
    page.wait_for("return !document.querySelector('.local').hidden", seconds=60)
    page.settle()
    names = [name for name, _, _ in page.methods()]
    ct.ok("demo.Work.hot" in names and page.run("return performance.getEntriesByType('resource').length") == before,
          "a local file in the viewer, and nothing was asked of the server", names)
    page.choose(".local select", "shop")
    page.wait_for("return candor.methods().some(m => m.otherSelf > 0)", seconds=60)
    both = {name: (other, own) for name, other, own in page.run("return candor.methods().map(m => [m.name, m.otherSelf, m.self])")}
    ct.ok(both["demo.Slow.hot"][0] > 0 == both["demo.Slow.hot"][1] and both["demo.Work.hot"][1] > 0, "beside the fleet's", both)
    put(source)
    page.wait_for("return /The server made/.test(document.querySelector('.local').textContent)", seconds=60)
    ct.ok("metered.jfr" in page.text(".local h2"), "a recording: the server makes the page", page.text(".local"))


def check_health(page, server):
    page.go("#view=health&" + WHEN)
    page.ready()
    hosts = {row["Host"]: row for row in page.table(".health")}
    asked = server.get("/v1/metrics", metric="own_cost_share,unseen_share,cpu", by="host", step="all", select='host="web-1"', **TIMES)
    value = {one["name"]: one["series"][0]["points"][0][1] for one in asked["metrics"]}
    web = hosts["web-1"]
    ct.ok(web["Own cost"] == share(value["own_cost_share"]) == "1.00%" and web["Not visible"] == share(value["unseen_share"]) == "2.00%"
          and web["CPU"] == f"{value['cpu']:.2f} cores" and web["JVMs"] == "1" and web["Services"] == "metered",
          "a host: what the profiler costs and misses", (web, value))
    labels = {tuple(sorted(one["labels"].items())) for one in server.get("/v1/recordings", limit=2000, **TIMES)["recordings"]}
    ct.ok(page.text(".health .sentence").startswith(f"{len(labels)} JVMs on {len(hosts)} hosts"), "how many JVMs",
          page.text(".health .sentence"))
    ct.ok("silent" in web["Last recording"]
          and "candor daemon --status" in page.run("return document.querySelector('.health').textContent"),
          "who has fallen silent, and who knows why", web)
    agents = {(one["service"], one["agent"]) for one in server.get("/v1/recordings", limit=2000, **TIMES)["recordings"]}
    ct.ok((web["Agent"], hosts["f"]["Agent"], hosts["h00"]["Agent"]) == ("0.9.0 older", "0.10.0", "–")
          and {("metered", "0.9.0"), ("log", "0.10.0"), ("shop", None)} <= agents, "which version the agents have",
          (web, hosts["f"], agents))
    storage = server.get("/v1/storage")["services"]
    shown = [row["Service"] for row in page.table(".health", 2)]
    ct.ok(len(shown) == len(storage) and shown.count("shop") == 1, "storage by service", (shown, storage))
    ct.ok(ct.wait_until(lambda: server.get("/v1/pull")["targets"][0]["state"] == "failing"), "a program cannot be reached")
    page.go("#view=health&zone=utc&" + WHEN)
    page.ready()
    (pulled,), (one,) = page.table(".health", 3), server.get("/v1/pull")["targets"]
    shown, problem = (re.sub(r"after \d+ ms", "", text) for text in (pulled["State"], one["problem"]))  # it is tried every second
    ct.ok(pulled["Program"] == one["url"] and shown == f"failing: {problem}" and pulled["Last good"] == "never"
          and "fetches 1 profile from programs; 1 fails now" in page.text(".health"), "it is named, with the reason", (pulled, one))
    page.click_on(".health .pill")
    books = server.get("/v1/series", type="cpu:ns", step=7200, **TIMES)["books"]
    text = page.text("#bar-books")
    whole = sum(line["amount"] for line in books["lines"] if line["role"] == "whole")
    ct.ok("Without a stack" in text and f"of {whole / 10**9:.0f} s" in text.lower().replace("  ", " "), "the books in plain words",
          (text, books))
    page.press("Escape")
    early = {"from": NOW + 3600, "until": NOW + 3660}  # as if it had been recorded by a clock that is ahead
    status, answer = server.send(b"a.Early.run 1\n", service="early", host="ahead", format="collapsed", **early)
    ct.ok(status == 200, "a recording from a host whose clock is ahead is taken", answer)
    page.go(f"#view=health&from={NOW + 3000}&to={NOW + 4000}&zone=utc")
    page.ready()
    ahead = {row["Host"]: row["Arrives"] for row in page.table(".health")}
    ct.ok(list(ahead) == ["ahead"] and re.fullmatch(r"clock [\d,]+ \w+ ahead or more", ahead["ahead"]) and
          re.fullmatch(r"after [\d,]+ \w+", web["Arrives"]), "whose clock is ahead, and how late others' recordings come", (ahead, web))


def check_timeline(page, server):
    around = urllib.parse.urlencode(AROUND) + "&zone=utc"
    page.go("#view=timeline&service=metered&" + around)
    page.ready()
    charts = page.run("""return Object.fromEntries([...document.querySelectorAll('.of-metric')].map(s =>
        [s.dataset.metric, s.querySelector('.readout').textContent]))""")
    answer = server.get("/v1/metrics", select='service="metered"', step="60", metric="cpu,gc_longest", **AROUND)
    values = {one["name"]: [value for _, value in one["series"][0]["points"]] for one in answer["metrics"]}
    ct.ok(charts["gc_longest"] == f"{max(values['gc_longest']) * 1000:.0f} ms at most" == "700 ms at most"
          and charts["cpu"] == f"{sum(values['cpu']) / len(values['cpu']):.2f} cores on average", "charts of key metrics", (charts, values))
    axes = page.run("""return [document.querySelectorAll('.of-metric .time').length > 4,
        document.querySelector('.of-metric .unit').textContent]""")
    ct.ok(axes == [True, "cores"], "with axes", axes)
    gaps = page.run("return document.querySelector('.of-metric .line').getAttribute('d').split('M').length - 1")
    ct.ok(gaps == 1, "a line where there is data, and none where there is not", gaps)
    page.brush(0.02, 0.2, ".of-metric .chart")
    page.ready()
    ct.ok("part=" in page.run(ADDRESS) and "No samples in this part" in page.text(".timeline"), "a part without samples",
          page.text(".timeline"))
    page.run("document.querySelector('.of-metric .chart').focus()")
    page.press("Escape")
    page.ready()
    ct.ok("part=" not in page.run(ADDRESS) and page.methods(), "Escape: the whole time, with its profile")
    page.go(f"#view=timeline&service=shop&{WHEN}")
    page.ready()
    ct.ok("12 JVMs together" in page.text(".timeline .sentence"), "several JVMs say so", page.text(".timeline .sentence"))
    page.choose(".timeline .row select", "3")
    page.ready()
    ct.ok(page.run(ADDRESS).count("where=") == 2 and "together" not in page.text(".timeline .sentence"), "one of them", page.run(ADDRESS))


def check_classes(page, server):
    page.go("#view=locks&service=log&" + WHEN)
    page.ready()
    locks = page.table(".of-classes:not([hidden])")
    report = server.get("/v1/methods", select='service="log"', type="lock:ns", limit=100, **TIMES)["report"]["methods"]
    own = {one["name"]: one for one in report if one["self"]}
    ct.ok([row["Lock"] for row in locks] == ["Log demo"] and locks[0]["Share"].startswith(share(own["demo.Log"]["self_share"]) + " ("),
          "locks for which threads waited", (locks, own))
    idle = page.run("return document.querySelector('.of-classes:not([hidden]) details').textContent")
    ct.ok("ConditionObject" in idle and "waited for work" in idle, "threads that wait for work are folded away", idle)
    page.click_on(".of-classes:not([hidden]) tbody a")
    page.ready()
    ct.ok(page.run("return [candor.state().query, candor.state().view]") == ["demo.Log", "callers"], "a click: who waited for it")
    page.go("#view=memory&service=heap&" + WHEN)
    page.ready()
    shown = [(row["Class"], row["Share"].split(" ")[0]) for row in page.table(".of-classes:not([hidden])")]
    ct.ok(shown == [("Basket com.shop", "60.0%"), ("byte[]", "30.0%"), ("String java.lang", "10.0%")], "what is allocated", shown)
    page.go("#view=locks&service=heap&" + WHEN)
    page.ready()
    ct.ok("Not recorded in this time" in page.text(".of-classes:not([hidden])"), "no locks: what to do")


def check_two_people(page, server, read):
    """Somebody changes a rule while the page edits it: nothing is saved over that unseen. Then the rule gets another name."""
    of = lambda name: next((one["above"] for one in read() if one["name"] == name), None)
    fill = lambda key, value: page.run("""const f = document.querySelector(`.rule-form [data-key=${arguments[0]}]`);
        f.value = arguments[1]; f.dispatchEvent(new Event('input'))""", key, value)
    press = lambda words: page.run("""const all = [...document.querySelectorAll('.alerts button')].filter(b => b.offsetParent !== null);
        all.find(b => b.textContent === arguments[0]).click()""", words)
    page.go("#view=alerts&rule=idle&zone=utc")
    page.ready()
    press("Edit")
    page.ready()
    fill("above", "4001")
    theirs = {"text": "[alert idle]\neach = host\nvalue = cores\nabove = 5000\n", "replaces": "idle"}
    ct.ok(server.request("POST", "/v1/alerts/rules", json.dumps(theirs))[0] == 200, "somebody else changes a rule that is being edited")
    press("Save")
    page.wait_for("return /somebody changed/.test(document.querySelector('.rule-form output').textContent)", seconds=60)
    page.ready()
    ct.ok(of("idle") == "5000" and "above = 5000" in page.text(".rule-form pre")
          and "above = 4001" in page.run("return document.querySelector('.rule-form textarea').value"),
          "theirs stays, and is shown beside the own text", page.text(".rule-form"))
    press("Save")
    page.wait_for("return new URLSearchParams(location.hash.slice(1)).get('rule') === 'idle'", seconds=60)
    page.ready()
    ct.ok(of("idle") == "4001", "saved again, the own text replaces it", read())
    check_rename(page, server, read, fill, press)
    for name, new in (("idle", "still"), ("still", "idle")):
        press("Edit")
        page.ready()
        fill("name", new)
        press(f"Save, and rename {name} to {new}")
        page.wait_for("return new URLSearchParams(location.hash.slice(1)).get('rule') === arguments[0]", new, seconds=60)
        page.ready()
        ct.ok(of(new) == "4001" and of(name) is None, f"{name} is renamed to {new}", read())


def check_rename(page, server, read, fill, press):
    """A rename says which version of the rule it replaces, and is refused if somebody has changed that one."""
    press("Edit")
    page.ready()
    fill("name", "other")
    version = next(one["version"] for one in read() if one["name"] == "idle")
    page.run("""const real = window.fetch; window.sent = [];
        window.fetch = (address, how) => {
            window.sent.push([String(address), how?.headers ?? {}, how?.body ?? ""]);
            return real(address, how);
        }""")
    theirs = {"text": "[alert idle]\neach = host\nvalue = cores\nabove = 6000\n", "replaces": "idle"}
    ct.ok(server.request("POST", "/v1/alerts/rules", json.dumps(theirs))[0] == 200, "somebody changes a rule that is being renamed")
    press("Save, and rename idle to other")
    page.wait_for("return /somebody changed/.test(document.querySelector('.rule-form output').textContent)", seconds=60)
    page.ready()
    (sent,) = [one for one in page.run("return window.sent") if one[0].endswith("/v1/alerts/rules")]
    ct.ok(sent[1] == {"If-Match": f'"{version}"'} and json.loads(sent[2])["replaces"] == "idle",
          "the rename names the rule and the version that it was made from", (sent, version))
    rules = {one["name"]: one["above"] for one in read()}
    ct.ok(rules["idle"] == "6000" and "other" not in rules, "nothing is renamed over their change", rules)
    fill("name", "idle")
    fill("above", "4001")
    press("Save")
    page.wait_for("""return document.querySelector('.rule-form').hidden
        && new URLSearchParams(location.hash.slice(1)).get('rule') === 'idle'""", seconds=60)
    page.ready()


def check_alerts(page, server, hook):
    read = lambda: json.loads(server.request("GET", "/v1/alerts")[2])["rules"]
    found = lambda: [one for row in read() for one in row["alerts"] if one["state"] == "firing"]
    until = time.monotonic() + ct.PATIENCE
    while not found() and time.monotonic() < until:
        time.sleep(0.2)
    page.go("#view=alerts&zone=utc")
    page.ready()
    shown, alert = page.table(".alerts")[0], found()[0]
    ct.ok(page.text(".alerts .sentence") == "1 alert fires; 2 rules." and shown["State"].startswith("firing") and shown["Of"] == "live"
          and shown["Value"].startswith(share(alert["value"]) + " ("), "what fires now", (shown, alert))
    rules = {row["Rule"]: row for row in page.table(".alerts", 1)}
    ct.ok(rules["live-is-hot"]["Quiet (UTC)"] == QUIET and rules["idle"]["Bound"] == "> 4000", "the rules", rules)
    check_silence(page, server)
    page.click_on(".alerts table a")
    page.ready()
    text = page.text(".past")
    ct.ok("in the last week it would have fired once" in text.lower() and page.run("return !!document.querySelector('.past .threshold')"),
          "its past week, with the threshold", text)
    week = {"from": NOW - 7 * 86400, "to": NOW}
    answer = server.get("/v1/alerts/preview", rule="live-is-hot", **week)
    page.go("#view=alerts&rule=live-is-hot&zone=utc&" + urllib.parse.urlencode(week))
    page.ready()
    text, firing = page.text(".past"), page.table(".past")[0]
    ct.ok(answer["count"] == 1 and f"{answer['windows']:,} windows, {answer['windows_without_data']:,} without data" in text
          and firing["From"] == time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(answer["firings"][0]["from"])) and firing["Sent"] == "yes",
          "when it would have fired", (text, firing, answer["firings"]))
    ct.ok("label.team = <b>shop</b>" in text and "resolve = 10%" in text, "the rule as text", text)
    before = len(hook.got)
    page.click_on(".past button")
    page.wait_for("return /hook: /.test(document.querySelector('.past .tested').textContent)", seconds=60)
    tests = [one for body in hook.got[before:] for one in body["alerts"] if one["test"]]
    ct.ok(page.text(".past .tested") == "hook: sent" and len(tests) == 1, "a test arrives at the target",
          (page.text(".past .tested"), hook.got))
    page.run("[...document.querySelectorAll('.past button')].find(b => b.textContent === 'Edit').click()")
    page.ready()
    ct.ok(page.run("return document.querySelector('.rule-form [data-key=quiet]').value") == QUIET, "a copy in the form")
    page.run("""const f = document.querySelector('.rule-form [data-key=above]'); f.value = '80%'; f.dispatchEvent(new Event('input'));
        const g = document.querySelector('.rule-form [data-key=resolve]'); g.value = ''; g.dispatchEvent(new Event('input'))""")
    draft = page.run("return document.querySelector('.rule-form textarea').value")
    ct.ok("above = 80%" in draft and "resolve" not in draft and "label.team = <b>shop</b>" in draft, "the text follows the form", draft)
    page.run("document.querySelector('.rule-form button').click()")
    page.ready()
    ct.ok("would have fired 0 times" in page.text(".past") and "draft=" in page.run(ADDRESS), "a preview of the changed rule",
          page.text(".past"))
    address = page.run(ADDRESS)
    page.go(address)
    ct.ok(page.run("return document.querySelector('.rule-form textarea').value") == draft, "the address holds it")
    page.run("""const f = document.querySelector('.rule-form [data-key=name]'); f.value = 'saved'; f.dispatchEvent(new Event('input'));
        [...document.querySelectorAll('.rule-form button')].find(b => b.textContent === 'Save as a new rule').click()""")
    page.wait_for("return new URLSearchParams(location.hash.slice(1)).get('rule') === 'saved'", seconds=60)
    page.ready()
    ct.ok([one["above"] for one in read() if one["name"] == "saved"] == ["80%"] and "3 rules" in page.text(".alerts .sentence"),
          "the rule is saved, and the server uses it", (read(), page.text(".alerts")))
    for _ in range(2):
        page.run("[...document.querySelectorAll('.past button')].find(b => b.textContent.startsWith('Delete')).click()")
    page.wait_for("return !new URLSearchParams(location.hash.slice(1)).get('rule')", seconds=60)
    ct.ok(sorted(one["name"] for one in read()) == ["idle", "live-is-hot"], "and deleted again", read())
    check_two_people(page, server, read)
    page.go("#view=alerts&draft=" + urllib.parse.quote("[alert x]\nvalue = nothing\n"))
    page.ready()
    ct.ok("value 'nothing'" in page.text(".past"), "a rule with an error: the server's words", page.text(".past"))


def check_silence(page, server):
    """A silence is begun from the alert's row and ended in the list; the server has the same."""
    silences = lambda: server.get("/v1/alerts/silences")["silences"]
    said = lambda: [(row["Rule"], row["Of"], row["Because"], row["State"]) for row in page.table(".silences")]
    page.click_on(".alerts td .actions button")
    page.type("a <b>fix</b> is on its way")
    page.press("Enter")
    page.wait_for("return document.querySelector('.silences tbody tr')", seconds=60)
    (one,) = silences()
    ct.ok((one["rule"], one["of"], one["note"], one["lasts"], one["until"] - one["created"]) ==
          ("live-is-hot", "live", "a <b>fix</b> is on its way", True, 7200), "Silence: the server keeps it", one)
    ct.ok(said() == [("live-is-hot", "live", one["note"], "lasts End")] and "not sent: silence 1" in page.table(".alerts")[0]["State"],
          "the page shows it, and whose alerts are not sent", (said(), page.table(".alerts")))
    page.click_on(".silences td .actions button")
    page.wait_for("return /ended/.test(document.querySelector('.silences tbody').textContent)", seconds=60)
    ct.ok(said()[0][3] == "ended by anybody" and not silences()[0]["lasts"], "End: it is over", (said(), silences()))
    page.run("""document.querySelector('.silences select').value = ''; document.querySelector('.silences input').value = '';
        document.querySelector('.silences form button').click()""")
    page.wait_for("return document.querySelector('.silences output').textContent !== ''", seconds=60)
    ct.ok("which alerts" not in page.text(".silences table") and "rule, of" in page.text(".silences output"),
          "a silence of everything is refused, in the server's words", page.text(".silences output"))


def check_hostile(page):
    """No name becomes markup, turns the text around, or breaks the layout."""
    service = urllib.parse.quote(MARKUP)
    for view in ("changes", "compare", "timeline", "locks", "memory", "recordings", "health", "service"):
        page.go(f"#view={view}&service={service}&against=hosts&{WHEN}")
        page.ready()
        ct.ok(page.run("return document.querySelectorAll('img').length") == 0
              and "\u202e" not in page.run("return document.body.innerText"),
              f"{view}: hostile names are text")


def check_keys(page):
    page.go("#view=changes&" + WHEN)
    page.ready()
    page.press("?")
    ct.ok(page.run("return document.getElementById('bar-keys').open") and "earlier or later" in page.text("#bar-keys"),
          "?: a sheet of keys")
    page.press("Escape")
    page.press("[")
    page.ready()
    length = TIMES["to"] - TIMES["from"]
    ct.ok(f"from={TIMES['from'] - length}&to={TIMES['from']}" in page.run(ADDRESS), "[: the time before", page.run(ADDRESS))
    page.press("-")
    page.ready()
    ct.ok("view=alerts" in page.run(ADDRESS), "a digit: a view", page.run(ADDRESS))
    page.back()
    page.ready()
    ct.ok("view=changes" in page.run(ADDRESS) and page.text(".changes h1") == "Changes", "back: the view before")
    page.press("y")
    page.wait_for("return document.getElementById('bar-copy').textContent !== 'Copy link'", seconds=60)


STATES = {
    "changes": "view=changes&", "changes of one": "view=changes&service=shop&", "versions": "view=compare&service=shop&against=version&",
    "recordings": "view=recordings&order=gc_longest&", "health": "view=health&", "timeline": "view=timeline&service=metered&",
    "locks": "view=locks&service=log&", "memory": "view=memory&service=heap&", "alerts": "view=alerts&",
    "a rule": "view=alerts&rule=live-is-hot&",
    "the editor": "view=alerts&draft=%5Balert%20x%5D%0Avalue%20%3D%20cores%0Aabove%20%3D%201%0A&",
    "hostile": f"view=changes&service={urllib.parse.quote(MARKUP)}&against=hosts&", "nothing": "view=changes&where=host%3D%22none%22&",
    "no recordings": "view=recordings&where=host%3D%22none%22&", "no health": "view=health&where=host%3D%22none%22&",
}


def check_early(page):
    """A chart comes before its graph; nothing beside it is about what was in sight before."""
    page.go("#view=service&service=shop&type=lock:ns&" + WHEN)
    page.ready()
    empty = "No samples of this kind"
    before = page.text(".service")
    page.run("""const real = window.fetch;
        window.fetch = (...asked) => asked[0].startsWith("/v1/flamegraph") ? new Promise(() => undefined) : real(...asked);
        location.hash = arguments[0]""", "#view=service&service=shop&" + WHEN)
    drawn = page.wait_for("return document.querySelector('.service .chart').checkVisibility()", seconds=60)
    ct.ok(empty in before and drawn and empty not in page.text(".service"),
          "a chart without its graph: nothing says that there are no samples", (before, page.text(".service")))


def check_parts(page):
    """The rows of a long list come in parts, also while it is sorted again or filtered. The focus stays where the user put it."""
    page.go("#view=service&service=shop&" + WHEN)
    page.ready()
    page.run("""const real = window.fetch;
        window.fetch = async (...asked) => {
            const answer = await real(...asked);
            if (!asked[0].startsWith("/v1/services")) return answer;
            const given = await answer.json();
            const services = Array.from({ length: 100 }, (_, i) => ({ ...given.services[0], name: "s" + (100 + i) }));
            return new Response(JSON.stringify({ ...given, services }));
        };
        location.hash = arguments[0]""", "#view=services&sort=name&" + WHEN)
    names = "[...document.querySelectorAll('.services tbody a[data-service]')].map(a => a.dataset.service)"
    focus = "document.activeElement.dataset.service || document.activeElement.id"
    whole = [f"s{100 + i}" for i in range(100)]
    lists = lambda wanted: page.wait_for(f"return JSON.stringify({names}) === JSON.stringify(arguments[0])", wanted, seconds=60)
    ct.ok(lists(whole), "a hundred services, in order", page.run("return " + names))
    sort = "document.querySelector('.services th.column-name button').click();"
    at_once = page.run(f"""document.querySelector('[data-service="s150"]').focus(); {sort} const kept = {focus};
        document.getElementById("bar-filter").focus(); return kept""")
    ct.ok(at_once == "s150" and lists(whole[::-1]) and page.run("return " + focus) == "bar-filter",
          "the other way round: the focus stays with its row, and the rows that come later do not take it back",
          (at_once, page.run("return " + focus)))
    page.run(sort + """const filter = document.getElementById("bar-filter");
        filter.value = "s19";
        filter.dispatchEvent(new Event("input"))""")
    ct.ok(lists(whole[90:]), "filtered before the rest was sorted: only those", page.run("return " + names))


def check_print(page):
    """On paper, 1032 px are the width of A4 across."""
    page.devtools("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.window(1032, 700)
    for words in ("view=services&", "view=service&service=shop&", "view=requests&service=web&", "view=health&"):
        page.go("#" + words + WHEN)
        page.ready()
        ground, controls, cut = page.run("""const seen = (all) => [...document.querySelectorAll(all)].filter(e => e.checkVisibility());
            return [getComputedStyle(document.body).backgroundColor,
                seen('#bar input, #bar button, .viewer .tools').filter(e => !e.closest('#bar-matchers')).length,
                seen('.table').filter(t => t.scrollHeight > t.clientHeight + 1).length]""")
        faults = page.faults()
        ct.ok((ground, controls, cut) == ("rgb(255, 255, 255)", 0, 0) and not faults, f"{words} on paper: light, whole tables, no controls",
              (ground, controls, cut, faults))
    pdf = page.devtools("Page.printToPDF", preferCSSPageSize=True)["data"]
    ct.ok(base64.b64decode(pdf).startswith(b"%PDF"), "it can be printed")
    page.devtools("Emulation.setEmulatedMedia", media="", features=[])


def check_permissions():
    """A token without a scope: what it may not do is said; without a token, the page says that the user is signed out."""
    hook = Hook()
    rules = ct.WORK / "bound.conf"
    rules.write_text(RULES.format(hook=hook.url, quiet=QUIET))
    file = ct.WORK / "tokens"
    token = {name: ct.candor("server", "--token-file", file, "--new-token", wanted).out.strip() for name, wanted in
             (("reader", "reader:read"), ("bound", "bound:read:service=shop"), ("writer", "writer:write"))}
    server = Server("permitted", "--token-file", file, "--alerts", rules, token=token["writer"])
    fleetdata.present(server, NOW, 2)
    with Fleet(server) as page:
        def sign_in(name):
            page.devtools("Network.enable")
            page.devtools("Network.setExtraHTTPHeaders", headers={"Authorization": "Bearer " + token[name]})
        sign_in("reader")
        page.go("#view=alerts&rule=live-is-hot")
        page.ready()
        page.click_on(".past button")
        page.wait_for("return /Not permitted/.test(document.querySelector('.past .tested').textContent)", seconds=60)
        sent = [one for body in hook.got for one in body["alerts"] if one["test"]]
        ct.ok("scope write" in page.text(".past .tested") and not sent, "a test without the scope write", page.text(".past .tested"))
        sign_in("bound")
        page.go("#view=alerts")
        page.ready()
        ct.ok("may not read the alerts" in page.text(".alerts"), "alerts with a token of one service", page.text(".alerts"))
        # The browser asks for a password when the server answers 401, which nobody gives here. This is the answer when it was cancelled.
        status, _, answer = server.request("GET", "/v1/services", headers={"Authorization": "Bearer none"})
        page.run("""const [status, answer] = arguments; window.fetch = () => Promise.resolve(new Response(answer, { status }));
            document.getElementById('bar-refresh').click()""", status, answer.decode())
        page.wait_for("return /signed out/.test(document.getElementById('problem').textContent)", seconds=60)
        ct.ok("scope read" in page.text("#problem"), "signed out", page.text("#problem"))
    server.end()


def check_faults(page, server):
    """Data that is missing, and a server that is gone."""
    for segment in server.data.rglob("*.seg"):
        segment.unlink()
    for view in ("changes&service=shop", "timeline&service=metered", "locks&service=log", "health"):
        page.go(f"#view={view}&{WHEN}")
        page.ready()
        ct.ok(" missing (" in page.text("#partial"), f"{view}: what is missing is said", page.text("#partial"))
    server.end()
    page.run("document.getElementById('bar-refresh').click()")
    page.wait_for("return !document.getElementById('problem').hidden", seconds=60)
    ct.ok("does not answer" in page.text("#problem") and "The picture is from" in page.text("#problem")
          and page.text(".health h1") == "Health",
          "a server that is gone: the picture stays, with its time", page.text("#problem"))


def main():
    missing = browser.missing()
    if missing:
        ct.skip("the page", missing)
        ct.done()
    hook = Hook()
    rules = ct.WORK / "alerts.conf"
    rules.write_text(RULES.format(hook=hook.url, quiet=QUIET))
    pull = ct.WORK / "pull.conf"
    pull.write_text("[pull gone]\nurl = http://127.0.0.1:9\nservice = gone\ninterval = 1s\nprofiles = cpu\n")
    server = Server("views", "--alerts", rules, "--pull", pull)
    fleetdata.everything(server, NOW)
    with Fleet(server) as page:
        check_changes(page, server)
        check_compare(page)
        check_recordings(page, server)
        check_local(page)
        check_health(page, server)
        check_timeline(page, server)
        check_classes(page, server)
        check_alerts(page, server, hook)
        check_hostile(page)
        check_keys(page)
        page.check_looks({name: f"#{words}{WHEN}" for name, words in STATES.items()})
        check_print(page)
        check_early(page)
        check_parts(page)
        messages = [one for one in page.messages() if "400 (Bad Request)" not in one and "412 (Precondition Failed)" not in one]
        ct.ok(not messages, "the browser has nothing to complain about", messages)
        check_faults(page, server)
    check_permissions()
    ct.done()


if __name__ == "__main__":
    main()
