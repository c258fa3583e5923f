#!/usr/bin/env python3
"""The server's page in a real browser: services, one over time, its flame graph in the viewer, a brushed part, all of it in the address.

tier: default
timeout: 240
"""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
from servers import Server

READY = "return document.documentElement.dataset.ready"
FLAME = """
const page = document.getElementById('flame').contentWindow;
if (!page || !page.candor || !page.document.documentElement.dataset.ready)
    return null;
const names = page.candor.methods().map(m => m.name);
return (arguments[0] || []).some(n => names.includes(n)) ? null : names;"""  # of the frame; not before these names are gone
HOSTILE = "<img/src=x/onerror=alert(1)>"


def fill(server):
    """Two services: shop for 40 minutes, of two kinds of work one after the other, and cart with a hostile name in it."""
    now = int(time.time())
    for minute in range(40):
        hot = "early" if minute < 20 else "late"
        begun = now - 2400 + 60 * minute
        server.request("POST", "/ingest", f"shop.Main.run;shop.Work.{hot} 100\n".encode(), name="shop{host=%s}" % "ab"[minute % 2],
                       format="folded", **{"from": begun, "until": begun + 60})
    server.send(b"cart.Main.run;cart.Count.only 7\n", service="cart")
    server.request("POST", "/ingest", f"cart.Main.run;{HOSTILE} 50\n".encode(), name="cart", format="folded",
                   **{"from": now - 60, "until": now})


def text(page, selector):
    return page.run("return document.querySelector(arguments[0]).textContent", selector)


def go(page, server, fragment):
    page.ask("POST", "/url", {"url": "about:blank"})
    page.ask("POST", "/url", {"url": f"http://127.0.0.1:{server.port}/{fragment}"})
    return page.wait_for(READY)


def brush(page, begin, end):
    box = page.run("const b = document.getElementById('chart').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    x, y = (lambda share: round(box[0] + box[2] * share)), round(box[1] + box[3] / 2)
    move = lambda share: {"type": "pointerMove", "duration": 0, "x": x(share), "y": y}
    page.act(page.pointer(move(begin), {"type": "pointerDown", "button": 0}, move((begin + end) / 2), move(end),
                          {"type": "pointerUp", "button": 0}))


BOOKS = """
const ask = window.fetch;
window.fetch = async (path, ...rest) => {
    const response = await ask(path, ...rest);
    if (!String(path).startsWith("/v1/series"))
        return response;
    const lines = [["whole", 8e9], ["seen", 5e9], ["failed", 1e9], ["unseen", 2e9], ["within", 7e9]];
    const books = {text: "of 8.00 s <b>CPU</b> time", lines: lines.map(([role, amount]) => ({role, amount}))};
    return new Response(JSON.stringify({...await response.json(), books}));
};
document.getElementById("refresh").click();"""


def check_coverage(page):
    """What the books say is in words above the graph."""
    ct.ok(page.run("return document.getElementById('coverage').hidden"), "recordings without books: nothing is said of coverage")
    page.run(BOOKS)
    said = page.wait_for("const pill = document.getElementById('coverage'); return pill.hidden ? null : pill.textContent")
    ct.ok(said == "75.0 % sampled: of 8.00 s <b>CPU</b> time", "how much of the time is sampled, and the server's words, as text", said)


def check_pruned(page, server):
    """The page's table is of all samples, however little of the graph is left."""
    page.ask("POST", "/url", {"url": f"http://127.0.0.1:{server.port}/v1/flamegraph?select=service%3D%22shop%22&format=html&max_nodes=1"})
    page.wait_for(READY)
    methods = page.run("return candor.methods().map(m => [m.name, m.self, m.total])")
    second = 10**9
    ct.ok(sorted(methods) == [["shop.Main.run", 0, 40 * second], ["shop.Work.early", 20 * second, 20 * second],
                              ["shop.Work.late", 20 * second, 20 * second]], "a pruned graph has the table of the whole", methods)
    rows = page.run("return [...document.querySelectorAll('#methods-body tr')].map(r => r.textContent)")
    ct.ok(len(rows) == 3 and any("early" in row and "50.0" in row for row in rows), "and shows it", rows)


def main():
    missing = browser.missing()
    if missing:
        ct.skip("the page", missing)
        ct.done()
    server = Server("fleet")
    fill(server)
    with browser.Browser() as page:
        ct.ok(go(page, server, ""), "the page shows")
        rows = page.run("return [...document.querySelectorAll('#services tr')].map(r => r.textContent)")
        ct.ok(len(rows) == 2 and rows[0].startswith("cart") and rows[1] == "shop40.00 s40", "the services with their CPU time", rows)
        page.run("const s = document.getElementById('type'); s.value = 'cpu:samples'; s.dispatchEvent(new Event('change'))")
        counted = page.wait_for(FLAME, [HOSTILE])
        ct.ok(counted == ["cart.Count.only", "cart.Main.run"] or counted == ["cart.Main.run", "cart.Count.only"],
              "of another type its samples", counted)
        rows = page.run("return [...document.querySelectorAll('#services tr')].map(r => r.textContent)")
        ct.ok(rows == ["cart72", "shop–40"] and text(page, "#amount") == "cpu:samples", "and the amounts are of that type", rows)
        check_coverage(page)
        ct.ok(go(page, server, ""), "back to CPU time")
        methods = page.wait_for(FLAME)
        ct.ok(methods and "shop.Work.early" in methods and HOSTILE in methods, "all in one flame graph", methods)
        page.click_on("#services tr:nth-child(2) button")
        page.wait_for("return location.hash.includes('service=shop') && document.querySelector('tr.chosen') !== null")
        ct.ok(text(page, "#title") == "shop", "a service is chosen by a click")
        methods = page.wait_for(FLAME, [HOSTILE])
        ct.ok(methods, "the flame graph is its own")
        brush(page, 0.34, 0.6)
        ct.ok(page.wait_for("return /from=\\d+&to=\\d+/.test(location.hash)"), "a brushed part stands in the address")
        address = page.run("return location.hash")
        early = page.wait_for(FLAME, ["shop.Work.late"])
        ct.ok(early and "shop.Work.early" in early, "its flame graph shows the work of that part alone", page.run("return location.hash"))
        ct.ok(go(page, server, address) and text(page, "#title") == "shop" and page.run("return document.querySelector('.brush') !== null"),
              "the same address shows the same", address)
        page.run("const s = document.getElementById('by'); s.value = 'host'; s.dispatchEvent(new Event('change'))")
        ct.ok(page.wait_for("return document.querySelectorAll('#chart path').length === 2"), "split by a label: a line for each value")
        page.run("const s = document.getElementById('where'); s.value = 'host='; s.dispatchEvent(new Event('change'))")
        ct.ok("selector" in (page.wait_for("return document.getElementById('problem').textContent") or ""), "a wrong selector is told")
        check_pruned(page, server)
        ct.ok(go(page, server, address), "back to the page")
        for segment in server.data.rglob("*.seg"):
            segment.unlink()
        page.run("const s = document.getElementById('where'); s.value = ''; s.dispatchEvent(new Event('change'))")
        ct.ok(page.wait_for("return document.getElementById('problem').textContent.startsWith('incomplete: ')"), "what is missing is told")
        page.ask("POST", "/url", {"url": "about:blank"})
        messages = [m for m in page.messages() if "400 (Bad Request)" not in m]
        ct.ok(not messages, "the browser has nothing to complain about", messages)
        if ct.os.environ.get("CANDOR_KEEP"):
            go(page, server, address)
            page.wait_for(FLAME)
            page.screenshot(ct.WORK / "fleet.png")
            ct.note(ct.WORK / "fleet.png")
    server.end()
    ct.done()


if __name__ == "__main__":
    main()
