#!/usr/bin/env python3
"""The view of requests in a real browser: endpoints, the requests that took longest, and the life of one of them across two processes.
Figures are held against the server's answers and against what the recordings were made of.

tier: default
timeout: 600
"""
import pathlib
import re
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
import fleetdata
from fleetdata import LIFE, MARKUP, OTHERS, TIMES, TRACE
from fleetpage import HERE as ADDRESS
from fleetpage import Fleet
from servers import Server

WHEN = urllib.parse.urlencode(TIMES) + "&zone=utc"
JAEGER = "https://jaeger.example/trace/"


def short(seconds):
    """A time of whole ms below 1 s, as the page shows it."""
    return f"{round(seconds * 1000)} ms"


def check_endpoints(page, server):
    page.go("#view=services&" + WHEN)
    page.click_on("#bar-views a[href*='view=requests']")
    page.ready()
    answer = server.get("/v1/endpoints", **TIMES)
    wanted = {(g["labels"]["service"], g["labels"]["endpoint"]): {t["type"]: t for t in g["types"]} for g in answer["groups"]}
    shown = page.table(".requests")
    named = [key for key in wanted if key[1]]
    ct.ok(len(named) == 4 and sum(row["Service"] in ("web", "stock") for row in shown) == len(shown) == 6,
          "each endpoint, and what has none in the services with endpoints", (shown, named))
    cart = next(row for row in shown if row["Endpoint"].startswith("GET /cart"))
    cpu, wall = (wanted["web", "GET /cart"][kind] for kind in ("cpu:ns", "wall:ns"))
    percent = [f"{100 * cpu['weight_' + part]:.1f}%" for part in ("share", "low", "high")]
    ct.ok(cart["CPU ▾"] == "%.2f s%s (%s to %s)" % (cpu["weight"] / 1e9, *percent)
          and cart["Wall clock"].startswith(short(wall["weight"] / 1e9)), "its figures are the server's, with intervals", (cart, cpu))
    pay = next(row for row in shown if row["Endpoint"].startswith("POST /pay") and row["Service"] == "web")
    waits = wanted["web", "POST /pay"]
    ct.ok(pay["Waiting"] == short((waits["wall:ns"]["weight"] - waits["cpu:ns"]["weight"]) / 1e9), "waiting is wall clock without CPU", pay)
    ct.ok(MARKUP in [row["Endpoint"].removesuffix(" profile") for row in shown], "an endpoint that is markup is text", shown)
    text = page.text(".requests .sentence")
    ct.ok(text.startswith("GET /cart of web has most CPU: %.2f s, %s" % (cpu["weight"] / 1e9, percent[0])), "the sentence", text)
    page.go("#view=requests&type=wall%3Ans&" + WHEN)
    page.ready()
    first = page.table(".requests")[0]
    ct.ok(first["Endpoint"].startswith("POST /pay") and first["Service"] == "web", "the kind in the bar orders the table", first)


def check_cost(page, server):
    fleetdata.counted(server)
    page.go("#view=requests&service=counted&" + WHEN)
    page.ready()
    answer = server.get("/v1/endpoints", select='service="counted"', **TIMES)
    cost = next(t for t in answer["groups"][0]["types"] if t["type"] == "cpu:ns")["per_request"]
    row = page.table(".requests")[0]
    ct.ok(row["Requests"] == "400" and row["Samples"] == "200" and list(row)[2:] == ["CPU ▾", "Requests", "Samples"],
          "requests have a column of their own, and are no kind of sample", row)
    text = "5 ms a request(%.2f ms to %.2f ms)" % (cost["low"] / 1e6, cost["high"] / 1e6)
    ct.ok(cost["value"] == 5e6 and row["CPU ▾"].endswith(text), "the cost of a request, with its interval", (row, cost))
    kinds = page.run("return [...document.querySelectorAll('#bar select option')].map(o => o.value)")
    ct.ok("requests:count" not in kinds, "nor are they a choice in the bar", kinds)


def check_spans(page, server):
    page.go("#view=requests&" + WHEN)
    page.ready()
    answer = server.get("/v1/spans", order="duration", limit=50, **TIMES)
    shown = page.table(".requests", 1)
    wanted = [(str(s["samples"]), short(s["sampled_ns"] / 1e9)) for s in answer["spans"]]
    ct.ok(len(wanted) == OTHERS + 2 and [(row["Samples"], row["Took at least ▾"]) for row in shown] == wanted, "the longest first", shown)
    links = page.run("return [...document.querySelectorAll('.requests td a[target]')].map(a => [a.href, a.rel])")
    ct.ok(links[0] == [JAEGER + answer["spans"][0]["trace_id"], "noreferrer"], "each leads to the tracing system", links[:2])
    page.click_on(".requests .tabs a:nth-child(2)")
    page.ready()
    by_cpu = [row["CPU ▾"] for row in page.table(".requests", 1)]
    wanted = [short(s["cpu_ns"] / 1e9) if s["cpu_ns"] else "–" for s in server.get("/v1/spans", order="cpu", limit=50, **TIMES)["spans"]]
    ct.ok(by_cpu == wanted and "slow=cpu" in page.run(ADDRESS), "most CPU time first", (by_cpu, wanted))
    page.click_on(".requests tr[data-endpoint='POST /pay'] a")
    page.ready()
    ct.ok([row["Request"] for row in page.table(".requests", 1)] == ["POST /pay"]
          and page.text("#bar-matchers").count("POST /pay") == 1, "a click on an endpoint: its requests only", page.table(".requests", 1))
    page.click_on("#bar-views a[href*='view=health']")
    page.ready()
    ct.ok(page.run("return document.getElementById('problem').hidden && document.querySelectorAll('#bar-matchers .idle').length === 1"),
          "a view about recordings leaves the label of samples out, and says so")


def check_heat(page, server):
    """A cell of the heat map: its requests, and the profile of their samples."""
    around = {"from": TIMES["from"] + 3540, "to": TIMES["from"] + 3660}
    page.go("#view=requests&zone=utc&" + urllib.parse.urlencode(around))
    page.ready()
    heat = server.get("/v1/spans", order="duration", heat=60, **around)["heat"]
    boxes = page.run("return document.querySelectorAll('.heat [class^=shade]').length")
    ct.ok(boxes == len(heat["cells"]), "a box for each cell", (boxes, heat))
    column, row, count = heat["cells"][-1]
    page.click(*page.run("const b = [...document.querySelectorAll('.heat [class^=shade]')].pop().getBoundingClientRect();"
                         "return [b.left + b.width / 2, b.top + b.height / 2]"))
    page.ready()
    began, (least, most) = heat["from"] + column * heat["step"], heat["bounds"][row:row + 2]
    chosen = server.get("/v1/spans", order="duration", began=f"{began}..{began + heat['step']}", value=f"{least}..{most}",
                        **around)["spans"]
    shown = [row["Began"] for row in page.table(".requests", 1)]
    ct.ok(len(shown) == len(chosen) == count and f"{count} request" in page.text(".requests .part-bar"),
          "a click: the requests of the cell", (shown, chosen))
    ct.ok("is below" in page.text(".requests .part-bar") and page.run("return document.activeElement.matches('.heat')"),
          "the map has the focus again", page.text(".requests .part-bar"))
    ct.ok(sum(self for _, self, _ in page.methods()) == sum(one["cpu_ns"] for one in chosen), "and their profile", page.methods())
    address = page.run(ADDRESS)
    page.go(address)
    page.ready()
    ct.ok(page.run("return document.querySelectorAll('.heat .brush:not(.cursor)').length") == 1 and page.table(".requests", 1),
          "the address holds it", address)
    page.go(re.sub("cell=[^&]*", "cell=" + urllib.parse.quote(f"{began}-{began + heat['step']}:{10 ** 15}-"), address))
    page.ready()
    ct.ok("No request in this cell" in page.text(".requests") and page.run("return document.getElementById('viewer').hidden"),
          "a cell without requests: the page says so", page.text(".requests"))
    page.run("""const field = document.querySelector('.heat'), box = field.getBoundingClientRect();
        const fire = (type, button) => field.dispatchEvent(new PointerEvent(type, {pointerId: 1, button, clientX: box.right - 20,
            clientY: box.top + 40}));
        fire('pointerup', 0); fire('pointerdown', 2); fire('pointerup', 2);""")
    ct.ok(str(10 ** 15) in page.run(ADDRESS), "a press that began elsewhere, or of another button, chooses nothing", page.run(ADDRESS))
    page.run("document.querySelector('.heat').focus()")
    page.press("Escape")
    page.ready()
    ct.ok("cell=" not in page.run(ADDRESS) and page.run("return document.getElementById('viewer').hidden"), "Escape: all requests")
    page.go(address)
    page.press("]")
    page.ready()
    ct.ok("cell=" not in page.run(ADDRESS), "the time after: a cell of this one chooses nothing there", page.run(ADDRESS))


def check_trace(page, server):
    """From the opened page two clicks: Requests, and the slowest one."""
    page.go("#" + WHEN)
    page.click_on("#bar-views a[href*='view=requests']")
    page.ready()
    page.click_on(f".requests tr[data-trace='{TRACE}'] a")
    page.ready()
    page.wait_for("return document.querySelector('.life') && !document.getElementById('viewer').hidden")
    life = [(service, *of) for service, all_of in LIFE.items() for of in all_of]
    begin, end = min(of[2] for of in life) - 5, max(of[2] + 10 * of[3] for of in life) - 5
    text = page.text(".requests .sentence")
    ct.ok(f"at least {end - begin} ms, in 3 threads of 2 processes" in text
          and re.search(r"waits for a monitor in org.shop.Log.write, 60(\.0)? ms", text), "the sentence of the request", text)
    lanes = page.run("return [...document.querySelectorAll('.life-row')].slice(2).map(r => r.querySelector('span').innerText.trim())")
    ct.ok(lanes == ["exec-1 web on r1", "exec-2 web on r1", "exec-1 stock on r2"], "a lane for each thread, in their order", lanes)
    path = page.table(".requests")
    # Weights of the wall clock are rounded.
    shown = {(row["State"], row["Where"].split(" ")[0]): row["Time"].replace(".0 ms", " ms") for row in path}
    # Parked from 60 to 180 ms. The other process works from 70 to 160 ms.
    wanted = {("waits for a monitor", "Log.write"): "60 ms", ("on CPU", "Table.scan"): "50 ms", ("on CPU", "Pay.check"): "40 ms",
              ("input or output", "Disk.read"): "40 ms", ("parked, waits", "Stock.await"): "30 ms", ("on CPU", "Pay.book"): "30 ms",
              ("waits for a processor", "Mail.send"): "20 ms"}
    ct.ok(shown == wanted, "the critical path: who waits for another process is not on it while that works", (shown, wanted))
    ct.ok(re.search(r"No sample: 10(\.0)? ms, 3.57%", page.text(".requests")), "what is unknown is said")
    (wait,) = page.table(".requests", 1)
    ct.ok([wait[head] for head in ("Lock", "Thread", "Held by", "Waited")] == ["Log org.shop", "exec-1", "exec-2", "60 ms"],
          "the wait for a lock names its owner", wait)
    scan = server.get(f"/v1/spans/{TRACE}", **TIMES)["trace"]
    methods = {name: weight for name, weight, _ in page.methods() if weight}
    ct.ok(sum(methods.values()) == scan["cpu_ns"] and methods["org.stock.Table.scan"] == 50_000_000, "its flame graph has its samples only",
          (methods, scan))
    address = page.run(ADDRESS)
    page.go(address)
    page.ready()
    ct.ok(page.text(".requests h1") == "Request POST /pay", "the address leads to the same request", address)
    page.go("#view=requests&trace=" + "f" * 32 + "&" + WHEN)
    page.ready()
    ct.ok("No sample of this request" in page.text(".requests") and page.run("return document.getElementById('viewer').hidden"),
          "a request that is not there says why, and what to do")
    page.go("#view=requests&service=heap&" + WHEN)
    page.ready()
    ct.ok("No endpoints in this time" in page.text(".requests"), "a service without endpoints: how to get some")


def main():
    why = browser.missing()
    if why:
        ct.skip("the view of requests", why)
        ct.done()
    server = Server("requests", "--trace-link", JAEGER + "{trace}")
    fleetdata.requests(server)
    fleetdata.memory(server)
    with Fleet(server) as page:
        page.window(1440, 1000)
        check_endpoints(page, server)
        check_spans(page, server)
        check_heat(page, server)
        check_trace(page, server)
        check_cost(page, server)
        page.check_looks({view: f"#view=requests{words}&{WHEN}" for view, words in
                          (("requests", ""), ("a request", "&trace=" + TRACE), ("no requests", "&service=heap"))})
        ct.ok(not page.messages(), "no message in the browser's console", page.messages())
    ct.ok(server.end() == 0, "ends")
    ct.done()


if __name__ == "__main__":
    main()
