"""One page with every kind of sample of a recording: the switch by mouse, by keys and by address. The figures of each kind are those of
`candor report --kind KIND --json`, and what was chosen stays chosen where the next kind has it.

tier: default
timeout: 600
"""

import json
import re

import flamepage
import profiles
from against_report import nodes, report
from flamepage import ct

KINDS = {"cpu": "CPU", "wall": "Wall clock", "alloc": "Allocations", "live": "Live heap", "lock": "Locks", "holder": "Lock holders"}
SWITCH = """return [...document.querySelectorAll("#kinds button")].map((b) => [b.innerText, b.getAttribute("aria-pressed"), b.disabled])"""
HOSTILE = '"></script><script>document.title = "owned"</script><img src=x onerror=alert(1)>'


def record():
    jdk = next((ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), None)
    if not jdk:
        ct.skip("a page with all kinds", "no JDK of 17 or later is cached: script/jdks")
        ct.done()
    file = ct.WORK / "kinds.jfr"
    made = ct.candor("record", "-e", "cpu,wall,alloc,live,lock", "-o", file, "--", jdk.java, "-Xmx256m", "-cp", ct.classes(jdk),
                     "Kinds", "4")
    ct.ok(made.status == 0, "a program is recorded with every event", made)
    return file


def shown(page):
    return [title for title, pressed, _ in page.run(SWITCH) if pressed == "true"]


def choose(page, title):
    page.run("[...document.querySelectorAll('#kinds button')].find((b) => b.innerText === arguments[0]).click()", title)
    page.wait_for("return [...document.querySelectorAll('#kinds button')].some("
                  "(b) => b.innerText === arguments[0] && b.getAttribute('aria-pressed') === 'true')", title)
    page.settle()


def has_figures_of(page, file, kind):
    """All frames in sight are those of the report's tree, and the sums, the head, the sentence and the books are of this kind."""
    want = report(file, "--kind", kind, "--sections", "tree,methods,books")
    truth, state = nodes(want["tree"]), page.state()
    wrong, seen = [], {}
    for f in page.frames():
        if f["depth"] and f["path"]:
            names = tuple(name for name, _ in f["path"])
            seen[names] = seen.get(names, 0) + f["total"]
    wrong = [(path, total, truth.get(path, {}).get("total")) for path, total in seen.items() if truth.get(path, {}).get("total") != total]
    ct.ok(len(seen) >= 3 and not wrong and state["all"] == want["sampled"],
          f"{kind}: {len(seen)} frames of {want['sampled']} are the report's", (wrong[:2], state["all"], want["sampled"]))
    ct.ok(page.text("#head").startswith(KINDS[kind] + " ") and "pid" in page.text("#title") and "UTC" in page.text("#head"),
          f"{kind}: the head says of what, and when", page.text("#head"))
    totals = {m["name"]: m["total"] for m in want["methods"]}
    method = page.text("#answer button")
    ct.ok(method in totals, f"{kind}: the sentence names a method that the report has", page.text("#answer"))
    unit = {"alloc": "iB", "live": "iB"}.get(kind, "s")
    ct.ok(re.search(rf"\d \S*{unit}\b", page.text("#head")), f"{kind}: in its unit", page.text("#head"))
    ct.ok("No books" not in page.text("#books-summary"), f"{kind}: with its books", page.text("#books-summary"))


def switch(page, file):
    page.file = file.with_suffix(".html")
    made = ct.candor("report", "-o", page.file, file)
    ct.ok(made.status == 0 and made.out == "", "report -o writes a page and prints nothing", made)
    page.reopen("#fold=no")
    ct.ok([title for title, _, _ in page.run(SWITCH)] == list(KINDS.values()), "the page has a button for each kind", page.run(SWITCH))
    for kind, title in KINDS.items():
        choose(page, title)
        has_figures_of(page, file, kind)
        here = page.run("return location.hash")
        page.reopen(here)
        ct.ok(shown(page) == [title] and page.state()["kind"] == ("" if kind == "cpu" else kind),
              f"{kind}: the address leads to it", (here, page.run(SWITCH)))


def keys(page):
    page.reopen("#fold=no")
    titles = list(KINDS.values())
    for key, title in (("k", titles[1]), ("k", titles[2]), ("K", titles[1]), ("K", titles[0]), ("K", titles[-1])):
        page.press(key)
        page.wait_for("return document.querySelector('#kinds [aria-pressed=true]').innerText === arguments[0]", title)
        ct.ok(shown(page) == [title], f"{key} leads to {title}", page.run(SWITCH))
    page.back()
    page.wait_for("return document.querySelector('#kinds [aria-pressed=true]').innerText === arguments[0]", titles[0])
    ct.ok(shown(page) == [titles[0]], "Back leads to the kind before")


def carries(page):
    """A method and a thread by name, and a time."""
    page.reopen("#fold=no")
    number = page.run("""const frame = candor.frames().find((f) => f.name === "Kinds.pay"); return frame.frame""")
    page.run("document.getElementById('canvas').focus()")
    page.click_frame(next(f for f in page.frames() if f["frame"] == number))
    page.click_on("#focus")
    page.run("[...document.querySelectorAll('#lanes .thread')].find((b) => b.title === 'till-2').click()")
    before = page.text("#chips")
    choose(page, "Wall clock")
    chips, state = page.text("#chips"), page.state()
    ct.ok("Only with Kinds.pay" in chips and "Thread till-2" in chips and state["kind"] == "wall" and state["all"] > 0,
          "a method and a thread stay chosen", (before, chips))
    page.reopen("#from=100&to=200")
    here = page.text("#chips")
    ct.ok(re.search(r"Time \d\d:\d\d:\d\d\.\d+ to \d\d:\d\d:\d\d\.\d+", here), "times are those of the day", here)
    choose(page, "Wall clock")
    ct.ok(page.text("#chips") == here, "and a time stays chosen", (here, page.text("#chips")))


def chosen_kind(page, file):
    page.file = ct.WORK / "one.html"
    made = ct.candor("report", "--kind", "lock", "-o", page.file, file)
    page.reopen()
    ct.ok(made.status == 0 and page.run(SWITCH) == [] and page.text("#head").startswith("Locks "), "--kind writes a page of one kind",
          page.text("#head"))
    converted = ct.WORK / "converted.html"
    ct.candor("convert", file, converted)
    ct.ok(converted.read_text() == file.with_suffix(".html").read_text(), "convert writes the same page as report")
    piped = ct.run("sh", "-c", f"{ct.BUILD / 'candor'} report -o {page.file} - < {file}")
    page.reopen()
    ct.ok(piped.status == 0 and "read only once" in piped.err and page.run(SWITCH) == [] and page.state()["all"] > 0,
          "from standard input there is one kind, which is said", piped)


def damaged(page):
    """A kind that cannot be shown leaves the one before in sight; and no name acts, whichever kind it comes with."""
    first = json.loads(profiles.everyday().json())
    second = json.loads(profiles.everyday().json())
    first.update(kind="cpu", kind_title=HOSTILE, jvm=HOSTILE, agent=HOSTILE)
    second.update(kind="wall", title=HOSTILE, command=HOSTILE, jvm=HOSTILE, unit=HOSTILE, whole=HOSTILE)
    second["strings"] = [HOSTILE + name for name in second["strings"]]
    part = '</script>\n<script type="application/json" class="candor-data" data-kind="%s" data-title="%s">%s'
    text = json.dumps(first).replace("<", "\\u003c") + part % ("wall", "&lt;b&gt;Wall", json.dumps(second).replace("<", "\\u003c")) \
        + part % ("lock", "Locks", "[1]")
    page.file = ct.WORK / "hostile.html"
    page.file.write_text(flamepage.template().replace(profiles.DATA_MARK, text), encoding="utf-8")
    page.reopen()
    choose(page, "<b>Wall")
    title, images, scripts = page.run("return [document.title, document.images.length, document.scripts.length]")
    ct.ok(page.state()["all"] > 0 and title != "owned" and images == 0 and scripts == 4,
          "names are texts in every kind", (title, images, scripts))
    page.run("[...document.querySelectorAll('#kinds button')].find((b) => b.innerText === 'Locks').click()")
    page.wait_for("return [...document.querySelectorAll('#kinds button')].some((b) => b.disabled)")
    ct.ok(shown(page) == ["<b>Wall"] and "damaged" in page.run("return document.querySelector('#kinds button:disabled').title"),
          "a damaged kind says so, and the one before stays", page.run(SWITCH))


def options(file):
    for arguments, want in ((("-o", "x.pdf"), ".html, .json or .txt"), (("--format", "html", "--json"), "exclude each other"),
                            (("-o", "x.html", "--tree"), "leave it out"), (("-o", "x.html", "--kind", "halt"), "leave --kind out")):
        made = ct.candor("report", *arguments, file)
        ct.ok(made.status == 2 and want in made.err, f"report {' '.join(arguments)} is refused with the remedy", made)
    for name, begin in (("x.json", "{"), ("x.txt", "Process")):
        made = ct.candor("report", "-o", ct.WORK / name, file)
        ct.ok(made.status == 0 and (ct.WORK / name).read_text().startswith(begin), f"report -o {name} writes that", made)


def main():
    flamepage.need()
    file = record()
    with flamepage.Flame(1400, 1500) as page:
        switch(page, file)
        keys(page)
        carries(page)
        chosen_kind(page, file)
        damaged(page)
        ct.ok(not page.messages(), "the browser has nothing to complain about", page.messages())
    options(file)
    ct.done()


main()
