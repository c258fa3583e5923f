"""speedscope itself imports our files, and its totals are ours: by thread, and by method.

speedscope is fetched from npm, as the system has configured it, once, into ~/.cache/candor/npm-speedscope.

tier: default
timeout: 600
sanitize: no
"""

import base64
import json
import pathlib
import re
import shutil
import sys

import browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings

ROOM = ct.JDKS.parent / "npm-speedscope"
PAGE = ROOM / "node_modules" / "speedscope" / "dist" / "release" / "index.html"
NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "": 1}
FIGURE = r"([\d,.]+)(ns|µs|ms|s|) \(<?[\d.]+%\)"
ROW = re.compile(rf"^{FIGURE}\n\t{FIGURE}\n\t(.+)$", re.MULTILINE)
THREADS = "return [...document.querySelectorAll('table tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"


def need():
    what = "speedscope's importer"
    if browser.missing():
        ct.skip(what, browser.missing())
        ct.done()
    if not PAGE.exists():
        if not shutil.which("npm"):
            ct.skip(what, "npm is not installed")
            ct.done()
        ROOM.mkdir(parents=True, exist_ok=True)
        done = ct.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", ROOM, "speedscope@1")
        if not PAGE.exists():
            ct.skip(what, f"npm cannot install speedscope: {done.err.strip().splitlines()[-1:]}")
            ct.done()


def number(digits, unit):
    return float(digits.replace(",", "")) * NS[unit]


def imported(page, path):
    """What speedscope shows for the file: name -> (self, total) of the profile that it opens first, and its console."""
    script = ct.WORK / f"{path.name}.js"
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(path.name)}, {json.dumps(base64.b64encode(path.read_bytes()).decode())})")
    page.messages()
    page.open(PAGE, f"#view=sandwich&localProfilePath={str(script).lstrip('/')}")
    text = page.wait_for("const text = document.body.innerText; "
                         "return text.includes('Symbol Name') && /[0-9](ns|µs|ms|s)? \\(<?[0-9.]+%/.test(text) && text") or ""
    rows = {name: (number(*row[2:]), number(*row[:2])) for *row, name in ROW.findall(text)}
    return rows, page.messages()


def close(a, b):
    """Figures are shown with two decimals."""
    unit = max(u for u in NS.values() if u <= max(b, 1))
    return abs(a - b) <= 0.0051 * unit


def same(found, wanted):
    return set(found) == set(wanted) and all(close(found[n][0], wanted[n][0]) and close(found[n][1], wanted[n][1]) for n in wanted)


def main():
    need()
    path = recordings.make("example.jfr", recordings.example())
    whole = recordings.report_json(path)
    of_main = recordings.report_json(path, "--thread", "^main$")
    with browser.Browser() as page:
        for extension, options, truth in (("speedscope.json", (), of_main), ("pb.gz", (), whole), ("collapsed", ("--unit", "ns"), whole)):
            out = ct.WORK / f"example.{extension}"
            ct.ok(ct.candor("convert", *options, path, out).status == 0, f"written: .{extension}")
            found, console = imported(page, out)
            wanted = {m["name"]: (m["self"], m["total"]) for m in truth["methods"]}
            found.pop("[truncated]", None)
            ct.ok(same(found, wanted), f".{extension}: every method's self and total", (found, wanted, console))
            if extension == "speedscope.json":
                threads = {row[1]: row[2] for row in page.run(THREADS) if len(row) == 3 and row[0].isdigit()}
                sums = {t["name"]: f"{t['self'] / 1e6:.2f}ms" for t in whole["threads"] if t["self"]}
                ct.ok(threads == sums, "every thread's total", (threads, sums))
    ct.done()


main()
