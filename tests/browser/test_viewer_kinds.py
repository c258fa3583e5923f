"""One page with every kind of sample of a recording: switching between kinds by mouse, by keys and by address. The figures of each kind
are those of `candor report --kind KIND --json`, and the user's choices are kept if the next kind has them.

tier: default
timeout: 600
"""

import collections
import json
import re

import flamepage
import profiles
from against_report import nodes, report
from flamepage import ct, reads_as_share, reads_as_time

KINDS = {"cpu": "CPU", "wall": "Wall clock", "alloc": "Allocations", "live": "Live heap", "lock": "Locks", "holder": "Lock holders"}
SWITCH = """return [...document.querySelectorAll("#kinds button")].map((b) => [b.innerText, b.getAttribute("aria-pressed"), b.disabled])"""
HOSTILE = '"></script><script>document.title = "owned"</script><img src=x onerror=alert(1)>'


def shown(page):
    return [title for title, pressed, _ in page.run(SWITCH) if pressed == "true"]


def choose(page, title):
    page.run("[...document.querySelectorAll('#kinds button')].find((b) => b.innerText === arguments[0]).click()", title)
    page.wait_for("return [...document.querySelectorAll('#kinds button')].some("
                  "(b) => b.innerText === arguments[0] && b.getAttribute('aria-pressed') === 'true')", title)
    page.settle()


def has_figures_of(page, file, kind):
    """All visible frames are those of the report's tree; the sums, the head, the sentence and the books belong to this kind."""
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
    ct.ok("does not say" not in page.text("#books-summary"), f"{kind}: with its books", page.text("#books-summary"))


def threads_of_the_jvm(page, file):
    """They have no Java frames, which is no failure: the bar of the books draws them apart."""
    failed = report(file, "--kind", "wall")["wall_time"]["failed_ns"]
    drawn = page.run("""return Object.fromEntries([...document.querySelectorAll("#books-drawing .part")].map(
        (part) => [part.className, Number(part.style.flexGrow)]))""")
    jvm = failed.pop("no_java_stack", 0)
    ct.ok(jvm > 0 and abs(drawn.get("part jvm", 0) - jvm) <= 1e-4 * jvm
          and abs(drawn.get("part failed wall_failed", 0) - sum(failed.values())) <= 1e-4 * jvm,
          "the bar tells threads of the JVM from failed samples", (jvm, failed, drawn))


def switch(page, file):
    page.file = file.with_suffix(".html")
    made = ct.candor("report", "-o", page.file, file)
    ct.ok(made.status == 0 and made.out == "", "report -o writes a page and prints nothing", made)
    page.reopen("#fold=no")
    ct.ok([title for title, _, _ in page.run(SWITCH)] == list(KINDS.values()), "the page has a button for each kind",
          (page.run(SWITCH), page.text("#empty"), page.messages()))
    for kind, title in KINDS.items():
        choose(page, title)
        has_figures_of(page, file, kind)
        if kind == "wall":
            threads_of_the_jvm(page, file)
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
    page.run("[...document.querySelectorAll('#lanes li')].find((row) => row.querySelector('.thread').title === 'till-*')"
             ".querySelector('.opener').click()")
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


PANEL = """return [...document.querySelectorAll("#panel .table")].map((t) => [...t.querySelectorAll("tbody tr")].map((tr) =>
    [...tr.querySelectorAll("td")].map((td) => td.innerText.trim())))"""


def open_panel(page, name):
    page.run("[...document.querySelectorAll('#panel-bar button')].find((b) => b.innerText.startsWith(arguments[0])).click()", name)
    page.settle()


def click_in_panel(page, text):
    page.run("[...document.querySelectorAll('#panel button')].find((b) => b.innerText === arguments[0]).click()", text)
    page.settle()


def lock_groups(locks):
    """The locks of each class and kind together, the most costly first."""
    groups = {}
    for lock in locks:
        groups.setdefault((lock["class"], lock["kind"]), []).append(lock)
    return sorted(groups.values(), key=lambda group: -sum(lock["weight"] for lock in group))


def is_group(row, group, waited):
    """The row of the panel has the sums of these locks, and the method that waited most."""
    weight, sites = sum(lock["weight"] for lock in group), collections.Counter()
    for lock in group:
        sites[lock["site"] or "no own code"] += lock["weight"]
    return (row[0].split("\n")[0] == group[0]["class"] and row[1] == group[0]["kind"] and reads_as_time(row[2], weight)
            and reads_as_share(row[3], weight / waited) and row[4] == f"{sum(lock['samples'] for lock in group):,}"
            and sites[row[5]] == max(sites.values()) and (len(group) > 1) == ("addresses" in row[0]))


def locks(page, file):
    """The holder of a lock: two clicks from the opened page to what the holder did."""
    of_all = report(file, "--kind", "lock")["locks"]
    want = [lock for lock in of_all if lock["kind"] == "monitor"]  # its parks are those of idle workers
    waited = sum(lock["weight"] for lock in want)
    page.reopen()
    open_panel(page, "Locks")
    rows, groups = page.run(PANEL)[0], lock_groups(want)
    wrong = [(row, group) for row, group in zip(rows, groups) if not is_group(row, group, waited)]
    ct.ok(len(rows) == min(50, len(groups)) > 0 and not wrong, f"the panel has the report's {len(want)} locks, by class", wrong[:2])
    ct.ok(any(lock["site"] and lock["site"].startswith("Kinds.") for lock in want), "and where threads waited", want[:2])
    ct.ok(len(want) == len(of_all) or "waited for work" in page.text("#panel"), "and counts the idle workers beside them")
    contended = next(lock for lock in want if lock["holders"][0]["name"])
    holder = contended["holders"][0]["name"]
    click_in_panel(page, holder)
    page.wait_for("return candor.state().kind === 'holder'")
    page.settle()
    ct.ok(shown(page) == ["Lock holders"] and f"Thread {holder}" in page.text("#chips"), "a holder leads to what it did",
          page.text("#chips"))
    page.reopen("#panel=locks")
    click_in_panel(page, contended["class"])
    page.wait_for("return candor.state().kind === 'lock'")
    page.settle()
    all_ = sum(lock["weight"] for lock in want if lock["class"] == contended["class"])
    ct.ok(page.state()["all"] == all_, "and a lock to the stacks that waited for it", (page.state()["all"], all_))


def halts(page, file):
    want = json.loads(ct.candor("report", "--kind", "halt", "--json", "--top", "500", file).out)
    page.reopen("#panel=halts&timeline=shown")
    kinds, rows = page.run(PANEL)
    told = [kind for kind in want["kinds"].values() if kind["count"]]
    wrong = [(row, kind) for row, kind in zip(kinds, told) if not (
        row[1] == f"{kind['count']:,}" and reads_as_time(row[2], kind["total_ns"])
        and (not kind["max_ns"] or reads_as_time(row[4], kind["max_ns"])))]
    ct.ok(len(kinds) == len(told) > 0 and not wrong, f"the panel has the report's {len(told)} kinds of halts", wrong[:2])
    pauses = sorted((h["duration_ns"] for h in want["halts"] if h["scope"] == "all"), reverse=True)
    ct.ok(pauses and reads_as_time(rows[0][1], pauses[0]) and rows[0][3] == "all", "the longest pause comes first", rows[:2])
    ct.ok(re.search(rf"{len(pauses):,} GC pauses?", page.text("#marks-text")), "the axis marks the pauses", page.text("#marks-text"))
    page.run("document.querySelector('#panel .when').click()")
    page.settle()
    within = page.run(PANEL)[1]
    ct.ok("Time " in page.text("#chips") and within[0] == rows[0] and len(within) <= len(rows), "and a time leads to it",
          (page.text("#chips"), within[:1]))


def findings(page, file):
    want = json.loads(ct.candor("analyze", "--json", file).out)["findings"]
    page.reopen()
    if not want:
        ct.ok("Findings" not in page.text("#panel-bar"), "without findings there is no panel for them")
        return
    open_panel(page, "Findings")
    titles = page.run("return [...document.querySelectorAll('#panel article h2')].map((e) => e.innerText)")
    texts = page.run("return [...document.querySelectorAll('#panel article p:first-of-type')].map((e) => e.innerText)")
    ct.ok(titles == [f["title"] for f in want] and texts == [f["text"] for f in want], f"the panel has the {len(want)} findings of analyze",
          (titles, texts))
    at = next((i for i, f in enumerate(want) if f["evidence"]["report"] in ("--kind lock", "--kind alloc")), None)
    if at is not None:
        kind = want[at]["evidence"]["report"].split()[1]
        page.run("document.querySelectorAll('#panel article')[arguments[0]].querySelector('button').click()", at)
        page.wait_for("return candor.state().kind === arguments[0]", kind)
        page.settle()
        site = want[at]["evidence"]["site"].split(":")[0]
        ct.ok(f"Only with {site}" in page.text("#chips"), "a finding leads to its evidence", (want[at], page.text("#chips")))


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
          "from standard input there is one kind, and this is reported", piped)


def damaged(page):
    """If a kind cannot be shown, the previous kind stays visible. No name is executed, whichever kind contains it."""
    first = json.loads(profiles.everyday().json())
    second = json.loads(profiles.everyday().json())
    first.update(kind="cpu", kind_title=HOSTILE, jvm=HOSTILE, agent=HOSTILE)
    second.update(kind="wall", title=HOSTILE, command=HOSTILE, jvm=HOSTILE, unit=HOSTILE, whole=HOSTILE)
    second["strings"] = [HOSTILE + name for name in second["strings"]]
    part = '</script>\n<script type="application/json" class="candor-data" data-kind="%s" data-title="%s">%s'
    finding = {"severity": HOSTILE, "title": HOSTILE, "text": HOSTILE, "remedy": HOSTILE, "evidence": {"report": HOSTILE, "site": HOSTILE}}
    halt = {"kind": HOSTILE, "scope": "thread", "start_ns": 1, "duration_ns": 5, "what": HOSTILE, "thread": HOSTILE, "by": HOSTILE}
    lock = {"class": HOSTILE, "kind": HOSTILE, "weight": 5, "share": "1", "holders": [{"name": HOSTILE, "weight": []}, None, 7]}
    more = {"findings": {"findings": [finding, 3, None]}, "halts": {"kinds": {HOSTILE: {"count": 1}, "x": 5}, "halts": [halt, "x"]},
            "locks": {"locks": [lock, []]}}
    text = json.dumps(first).replace("<", "\\u003c") + part % ("wall", "&lt;b&gt;Wall", json.dumps(second).replace("<", "\\u003c")) \
        + part % ("lock", "Locks", "[1]") + "".join(
            '</script>\n<script type="application/json" class="candor-part" data-part="%s">%s' % (
                name, json.dumps(data).replace("<", "\\u003c")) for name, data in more.items())
    page.file = ct.WORK / "hostile.html"
    page.file.write_text(flamepage.template().replace(profiles.DATA_MARK, text), encoding="utf-8")
    page.reopen()
    choose(page, "<b>Wall")
    for name in ("Findings", "Halts", "Locks"):
        open_panel(page, name)
        ct.ok("<img src=x" in page.text("#panel"), f"{name}: a name is a text", page.text("#panel")[:200])
    title, images, scripts = page.run("return [document.title, document.images.length, document.scripts.length]")
    ct.ok(page.state()["all"] > 0 and title != "owned" and images == 0 and scripts == 7,
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
    file = flamepage.record_kinds()
    with flamepage.Flame(1400, 1500) as page:
        switch(page, file)
        keys(page)
        carries(page)
        locks(page, file)
        halts(page, file)
        findings(page, file)
        chosen_kind(page, file)
        damaged(page)
        ct.ok(not page.messages(), "the browser reports no errors", page.messages())
    options(file)
    ct.done()


main()
