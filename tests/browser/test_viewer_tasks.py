"""What a reader wants to know from a recording takes at most two clicks from the opened page. Each question is asked of a page of a program
with a known answer, and each step of a mouse is counted. Then the files that the page saves, and the links to sources.

tier: default
timeout: 600
"""

import base64
import collections
import json
import pathlib
import re
import socket

import flamepage
from flamepage import ct
import flamedata

MOST_CLICKS = 2
JAR = ct.BUILD / "candor-context.jar"
CLOSE = "00000000000c105e00000000000c105e"
LINK = "https://traces.example/{trace}/{span}"


def record():
    jdk = next((ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), None)
    if not jdk:
        ct.skip("the tasks of a reader", "no JDK of 17 or later is cached: script/jdks")
        ct.done()
    file = ct.WORK / "tasks.jfr"
    classes = ct.own_classes(jdk, pathlib.Path(__file__).with_name("Tasks.java"), jars=[JAR])
    made = ct.candor("record", "-e", "cpu,wall,alloc,live,lock", "--jfr", "on", "-o", file, "--", jdk.java, "-Xmx256m", "-cp",
                     f"{classes}:{JAR}", "Tasks", "4")
    gap = re.search(r"^(\d{13}) (\d{13})$", made.out, re.MULTILINE)
    ct.ok(made.status == 0 and gap, "a program with an answer to each question is recorded", made)
    page = file.with_suffix(".html")
    made = ct.candor("report", "--trace-link", LINK, "--source", pathlib.Path(__file__).parent, "-o", page, file)
    ct.ok(made.status == 0, "its page is written", made)
    return file, page, [int(ms) * 1_000_000 for ms in gap.groups()]


def reads_as_bytes(text, value):
    number, unit = text.split(" ")
    return abs(float(number.replace(",", "")) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit) - value) <= 0.006 * value


class Reader(flamepage.Flame):
    """Opens the page anew for each question, and counts clicks."""

    def anew(self, file, fragment=""):
        self.file, self.clicks = file, 0
        self.reopen(fragment)
        return self

    def choose(self, group, begin):
        self.clicks += 1
        place = self.run("""const all = [...document.querySelectorAll(arguments[0] + " button")];
            const b = all.find((b) => b.innerText.startsWith(arguments[1]));
            b.scrollIntoView({block: "nearest"}); const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]""",
                         group, begin)
        self.click(*place)
        self.settle()
        return self

    def chosen_kind(self, title):
        self.choose("#kinds", title)
        self.wait_for("return document.querySelector('#kinds [aria-pressed=true]').innerText === arguments[0]", title)
        self.settle()
        return self

    def answers(self, question, good, seen):
        ct.ok(good and self.clicks <= MOST_CLICKS, f"{question}: {self.clicks} clicks", seen)


def drag_over(page, span):
    """Drags over the columns of the heat map that lie within the span completely."""
    page.clicks += 1
    slices = page.run("return JSON.parse(document.getElementById('candor-data').textContent).slices")
    box = page.run("const r = document.getElementById('heat').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
    columns, buckets = flamepage.heat_columns(slices)
    length = slices["bucket_ns"] * buckets
    first, last = -(-(span[0] - slices["start_ns"]) // length), (span[1] - slices["start_ns"]) // length - 1
    at = lambda column: box[0] + box[2] * (column + 0.5) / columns
    move = lambda x, y: {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}
    page.act(page.pointer(move(at(first), box[1] + 1), {"type": "pointerDown", "button": 0}, move(at(last), box[1] + box[3] - 2),
                          {"type": "pointerUp", "button": 0}))


def read_marks(file):
    """The events in the page, as (kind, thread, start in ns, length in us)."""
    marks = next(json.loads(text) for text in re.findall(r'data-part="marks">([^<]*)', file.read_text()))
    columns = [flamedata.column(marks[key], key == "start_us") for key in ("kind", "thread", "start_us", "length_us")]
    return marks, [(marks["kinds"][kind], marks["texts"][thread], marks["start_ns"] + us * 1000, length)
                   for kind, thread, us, length in zip(*columns)]


def lanes(page, file, recording):
    """Pools open into their threads; the axis zooms to the millisecond; the events are those of the halts report."""
    marks, events = read_marks(file)
    want = json.loads(ct.candor("report", "--kind", "halt", "--json", "--top", "0", recording).out)
    waits = [(h["kind"], h["thread"] or "") for h in want["halts"] if h["scope"] == "thread"]
    of_threads = {h["kind"] for h in want["halts"] if h["scope"] == "thread"}
    seen = sorted(event[:2] for event in events if event[0] in of_threads)
    ct.ok(seen == sorted(waits) and marks["all"] == len(events) >= len(waits) > 50,
          f"the page has the report's {len(waits)} waits, each with its thread", (len(events), marks["all"]))
    ct.ok(sum(length for kind, _, _, length in events if kind in of_threads) * 1000
          <= sum(h["overlap_ns"] for h in want["halts"] if h["scope"] == "thread") + 1000 * len(waits), "and their lengths")
    page.anew(file, "#kind=wall")
    page.click_on("#lanes .opener")
    inside = page.run("return [...document.querySelectorAll('#lanes .inside .thread')].map((b) => b.title)")
    ct.ok(sorted(inside) == ["till-0", "till-1", "till-2"], "a pool opens into its threads", inside)
    told = page.text("#lanes-text")
    ct.ok("running" in told and "waiting for a monitor" in told and "I/O" in told, "the states have a legend", told)
    read = max((event for event in events if event[0] == "socket_read"), key=lambda event: event[3])
    slices = page.run("return JSON.parse(document.querySelector('.candor-data[data-kind=wall]').textContent).slices")
    first = (read[2] - slices["start_ns"]) // slices["bucket_ns"]
    page.anew(file, "#kind=wall&axis=%d.%d" % (max(0, first - 20), first + 100))
    ct.ok("a column is 1 ms" in page.text("#heat-text"), "the axis shows the millisecond", page.text("#heat-text"))
    place = page.run("""const rows = [...document.querySelectorAll('#lanes li')];
        const row = rows.find((li) => li.querySelector('.thread').title === arguments[0]); row.scrollIntoView({block: "nearest"});
        const r = row.querySelector('canvas').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]""", read[1])
    at = (read[2] + min(read[3] * 500, 40_000_000) - slices["start_ns"]) / slices["bucket_ns"] - max(0, first - 20)
    point = place[0] + place[2] * at / (first + 100 - max(0, first - 20)), place[1] + place[3] / 2
    page.move(*point)
    ct.ok("clerk: read of a socket" in page.text("#heat-text"), "an event under the pointer is described", page.text("#heat-text"))
    page.click(*point)
    page.settle()
    state = page.state()
    ct.ok(state["from"] <= first <= state["to"], "a click on it chooses its time", (state["from"], first, state["to"]))
    page.click_on("#axis-all")
    ct.ok("a column is 1 ms" not in page.text("#heat-text"), "Whole time shows all of it", page.text("#heat-text"))
    page.click_on("#axis-chosen")
    before = page.state()["axis"]
    ct.ok(0 < before[1] - before[0] < slices["buckets"], "Zoom to choice shows the chosen time", before)
    page.run("document.getElementById('heat').focus()")
    page.press("-")
    wider = page.state()["axis"]
    page.press("+")
    length = lambda axis: axis[1] - axis[0]
    ct.ok(length(wider) == 2 * length(before) and length(page.state()["axis"]) == length(before), "- and + zoom",
          (before, wider, page.state()["axis"]))


def why(page, file, gap):
    page.anew(file)
    drag_over(page, gap)
    page.wait_for("return document.querySelector('#panel .used')?.innerText.includes('processors')")
    page.wait_for("return document.querySelector('#panel li strong') && document.getElementById('panel').innerText.includes('seen most')")
    text = page.text("#panel")
    page.answers("why did nothing run", page.state()["panel"] == "why" and re.search(r"threads waited for closer", text)
                 and re.search(r"That thread was in: sleep .*Tasks\.sleepWithLock", text) and "no gap" not in text, text)
    page.choose("#panel", "Show their stacks")
    page.wait_for("return document.querySelector('#kinds [aria-pressed=true]').innerText === 'Wall clock'")
    page.answers("and the evidence", "Time" in page.text("#chips") and page.state()["all"] > 0, page.text("#chips"))
    page.anew(file, "#from=0&to=500").choose("#sight", "Why did nothing run?")
    page.wait_for("return document.querySelector('#panel .used')?.innerText.includes('processors')")
    ct.ok("this is no gap" in page.text("#panel .used"), "a busy time is no gap", page.text("#panel"))


def tasks(page, file, recording):
    page.anew(file)
    answer = page.text("#answer")
    page.answers("what is the hottest own method", "Tasks." in answer and "Your hottest method" in answer, (answer, page.text("#empty")))
    lane = page.run("return document.querySelector('#lanes .thread bdi').textContent")
    sums = collections.Counter()
    for thread in json.loads(ct.candor("report", "--json", "--sections", "threads", recording).out)["threads"]:
        sums[re.sub(r"\d+$", "*", thread["name"])] += thread["self"]
    page.answers("which threads", lane == "till-* (3)" and sums["till-*"] == max(sums.values()), (lane, sums.most_common(3)))
    books = page.text("#books-summary")
    page.clicks += 1
    page.click_on("#books")
    unseen = page.text("#books-body")
    page.answers("what could the profiler not see", "unseen" in books.lower() and "Unseen" in unseen, (books, unseen))
    text = page.anew(file).chosen_kind("Allocations").text("#answer")
    page.answers("who allocates", "Tasks.garbage" in text or "Tasks.keep" in text, text)
    text = page.anew(file).choose("#panel-bar", "Locks").text("#panel")
    page.answers("who holds the lock", "closer" in text or "till-" in text, text)
    live = json.loads(ct.candor("report", "--kind", "live", "--json", recording).out)
    text = page.anew(file).choose("#panel-bar", "Live and growing").text("#panel")
    told = re.search(r"Alive after collections: (\S+ \S+) ", text)
    page.answers("what is live and grows", told and reads_as_bytes(told[1], live["live"]["sets"][0]["bytes"])
                 and (live["leaks"] is not None or "too few collections" in text)
                 and all(c["class"] in text for c in (live["leaks"] or {"candidates": []})["candidates"]), (text, live["live"]["sets"][:1]))
    text = page.anew(file).choose("#panel-bar", "Halts").text("#panel")
    page.answers("what waits for I/O", "read of a socket" in text and "clerk" in text, text)
    page.answers("what did the collector cost", re.search(r"GC pause\s+\d+\s+[\d.]+ .s", text), text)
    page.anew(file)
    page.clicks += 1
    page.run("document.getElementById('legend').open || document.querySelector('#legend summary').click()")
    page.settle()
    kernel = page.text("#legend-list")
    page.answers("what is the kernel's part", re.search(r"kernel\D+\d+(\.\d+)?%", kernel), kernel)


def traces_of(file):
    """The weights of each trace in the page's data, and their lengths in us."""
    part = next(json.loads(text) for text in re.findall(r'data-part="spans">([^<]*)', file.read_text()))
    column = lambda key: flamedata.column(part[key], False)
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for trace, *weights in zip(*map(column, ("trace", "cpu_ns", "wall_ns", "alloc_bytes", "lock_ns"))):
        sums[part["texts"][trace]] = [a + b for a, b in zip(sums[part["texts"][trace]], weights)]
    spans = collections.defaultdict(list)
    for trace, start, length in zip(column("trace"), flamedata.column(part["start_us"], True), column("length_us")):
        spans[part["texts"][trace]].append((start, start + length))
    lengths = {trace: max(end for _, end in each) - min(start for start, _ in each) for trace, each in spans.items()}
    return part, sums, lengths


def traces(page, file, recording, gap):
    """The slowest trace is in sight after one click, and what it did after the next. On a busy machine a sale may be slower than the
    closer."""
    part, sums, lengths = traces_of(file)
    slowest = {trace for trace, length in lengths.items() if length == max(lengths.values())}
    page.anew(file).choose("#panel-bar", "Traces")
    ids = page.run("return [...document.querySelectorAll('#panel tbody a')].map((a) => a.title)")
    page.answers("which trace was slow", ids[0] in slowest and CLOSE in ids and lengths[CLOSE] > 400_000, (ids[:3], slowest))
    ct.ok(re.match(rf"The slowest of {len(lengths):,} traces: POST /\w+, at least", page.text("#panel p")), "it is in the first sentence",
          page.text("#panel p"))
    address = page.run("return document.querySelector('#panel tbody a').href")
    ct.ok(address == LINK.replace("{trace}", ids[0]).replace("{span}", ""), "it leads to the tracing system", address)
    page.anew(file, "#kind=wall").choose("#panel-bar", "Traces").choose("#panel", "POST /close")
    page.wait_for("return candor.state().to > 0")
    page.settle()
    state, chips = page.state(), page.text("#chips")
    slices = page.run("return JSON.parse(document.querySelector('.candor-data[data-kind=wall]').textContent).slices")
    at = [slices["start_ns"] + state[key] * slices["bucket_ns"] for key in ("from", "to")]
    names = {f["name"] for f in page.frames()}
    middle = (gap[0] + gap[1]) / 2
    page.answers("and what did it do", at[0] < gap[0] < middle < at[1] and "Thread closer" in chips and "Tasks.close" in names,
                 (at, gap, chips, names))
    told = page.text("#lanes-text")
    ct.ok("span of a request" in told and "Spans in the chosen time" in page.text("#panel"), "its spans are listed and on the lanes", told)
    want = json.loads(ct.candor("trace", "--json", recording, CLOSE).out)
    ct.ok(part["traces"] == len(sums) > 20 and sums[CLOSE] == [want["cpu_ns"], want["wall_ns"], want["allocated_bytes"], want["lock_ns"]],
          f"{part['traces']} traces; the slowest weighs what candor trace says", (sums[CLOSE], want))
    place = page.run("""const rows = [...document.querySelectorAll('#lanes li')];
        const row = rows.find((li) => li.querySelector('.thread').title === 'closer'); row.scrollIntoView({block: "nearest"});
        const r = row.querySelector('canvas').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]""")
    page.move(place[0] + place[2] * (middle - slices["start_ns"]) / (slices["buckets"] * slices["bucket_ns"]), place[1] + place[3] - 1)
    told = page.text("#heat-text")
    ct.ok("closer: span of POST /close, at least" in told, "a span under the pointer is described", told)


def endpoints(page, file, recording):
    """What each endpoint cost is what the report says of its label; the order can be chosen."""
    part = traces_of(file)[0]
    for kind, key in (("cpu", "cpu_ns"), ("wall", "wall_ns"), ("alloc", "alloc_bytes"), ("lock", "lock_ns")):
        said = json.loads(ct.candor("report", "--kind", kind, "--group-by", "endpoint", "--json", recording).out)["label"]["values"]
        want = {row["value"] or "": row["self"] for row in said}
        seen = {row["name"]: row[key] for row in part["endpoints"] if row[key]}
        ct.ok(seen == want and len(seen) > 1, f"the endpoints have the report's {kind}", (seen, want))
    for title, key in (("CPU", "cpu_ns"), ("Allocated", "alloc_bytes")):
        first = max((row for row in part["endpoints"] if row["name"]), key=lambda row: row[key])["name"]
        page.anew(file).choose("#panel-bar", "Endpoints")
        if title != "CPU":
            page.choose("#panel .tools", title)
        rows = page.run("return [...document.querySelectorAll('#panel tbody tr')].map((tr) => tr.innerText)")
        page.answers(f"which endpoint has most of {title}", page.text("#panel p").startswith(first + " ") and rows[0].startswith(first)
                     and "samples without an endpoint" in rows[-1], (first, page.text("#panel p"), rows))
    page.choose("#panel tbody", first)
    page.wait_for("return candor.state().to > 0")
    ct.ok(page.state()["threads"], "a click on an endpoint chooses its slowest trace", page.state())
    none = file.with_name("unnamed.html")
    none.write_text(re.sub(r'("name":"[^"]+","traces":\d+,"cpu_ns":)\d+', r"\g<1>0", file.read_text()))
    page.anew(none).choose("#panel-bar", "Endpoints")
    ct.ok(page.text("#panel p") == "No sample of this kind has an endpoint.", "CPU time of no endpoint is told", page.text("#panel p"))


def in_order(page, file, gap):
    """In time order the threads' stacks follow each other, and a frame is one stay: that of the closer spans the gap."""
    page.anew(file, "#kind=wall&fold=no").choose("[aria-label=View]", "Time order")
    frames, state = page.frames(), page.state()
    threads = [f for f in frames if f["depth"] == 1]
    ct.ok(state["inTime"] and {f["name"] for f in threads} >= {"closer", "clerk", "till-0"} and state["total"] == state["all"],
          "time order has a frame per thread, and all of the weight", [f["name"] for f in threads])
    rows = {}
    for f in frames:
        rows.setdefault((f["parent"], f["depth"]), []).append((f["x"], f["seen"]))
    late = [row for (parent, depth), row in rows.items() if depth > 1
            and any(a[1][1] > b[1][0] + 1 for a, b in zip(sorted(row), sorted(row)[1:]))]
    beside = sum(len(row) - 1 for row in rows.values())
    ct.ok(not late and beside > 10, "what is further right came later", (late[:1], beside))
    slices = page.run("return JSON.parse(document.querySelector('.candor-data[data-kind=wall]').textContent).slices")
    middle = ((gap[0] + gap[1]) / 2 - slices["start_ns"]) / slices["bucket_ns"]
    page.anew(file, "#kind=wall&fold=no&order=time&threads=%d" % page.run(
        "return JSON.parse(document.querySelector('.candor-data[data-kind=wall]').textContent).threads.indexOf('closer')"))
    closing = [f for f in page.frames() if f["name"] == "Tasks.close" and f["seen"][0] <= middle < f["seen"][1]]
    ct.ok(len(closing) == 1, "the closer's long stay is one frame", (middle, [f["seen"] for f in page.frames()][:9]))
    page.click_frame(closing[0])
    ct.ok(re.search(r"seen from \d\d:\d\d:\d\d\.\d+ to \d\d:\d\d:\d\d\.\d+", page.text("#details-text")), "a frame says when",
          page.text("#details-text"))
    page.run("document.getElementById('canvas').focus()")
    page.press("w")
    ct.ok(not page.state()["inTime"] and page.state()["order"] == "size", "w shows the widest first again", page.state()["order"])


def changed(page):
    """The first thing that the page of two profiles says is what changed."""
    files = [ct.WORK / f"{name}.collapsed" for name in ("shop-1.0", "shop-1.1")]
    for file, price in zip(files, (400, 900)):
        rest = "main;Shop.pay;Shop.json 1000\nmain;Shop.log 30\n" + "".join(
            f"main;Shop.rest{i} {750 - price // 2}\n" for i in (1, 2))
        file.write_text(f"main;Shop.pay;Shop.price {price}\n" + rest)
    made = ct.candor("diff", "-o", ct.WORK / "changed.html", *files)
    ct.ok(made.status == 0, "two profiles are compared", made)
    text = page.anew(ct.WORK / "changed.html").text("#answer")
    page.answers("what changed", text.startswith("The own share of 3 methods surely changed, most of all that of "
                                                 "Shop.price: 15.8% before, 35.6% after"), text)
    ct.ok(not page.run("return document.getElementById('head').checkVisibility()"), "sides without times have no head", page.text("#head"))
    listed, further = page.text("#methods-body"), page.text("#unsure")
    ct.ok("Shop.price" in listed and "Shop.json" not in listed and "15.8% → 35.6%, least" in listed
          and re.match(r"[1-9]\d* further", further),
          "the table has what surely changed, and counts the rest", (listed, further))


DROP = """const files = new DataTransfer(); files.items.add(new File([arguments[1]], arguments[0]));
    document.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}))"""


def dropped(page):
    """Another page that is dropped on this one is compared with it, and has a button of its own."""
    pages = [ct.WORK / f"{name}.html" for name in ("shop-1.0", "shop-1.1")]
    for file in pages:
        made = ct.candor("convert", file.with_suffix(".collapsed"), file)
        ct.ok(made.status == 0, f"{file.name} is written", made)
    page.anew(pages[1])
    page.run(DROP, "shop-1.0.html", pages[0].read_text())
    page.wait_for("return document.querySelectorAll('#kinds button').length === 3")
    page.settle()
    text = page.text("#answer")
    ct.ok("most of all that of Shop.price: 15.8% before, 35.6% after" in text, "a dropped page is compared", text)
    page.run("document.querySelectorAll('#kinds button')[1].click()")
    page.wait_for("return document.querySelectorAll('#kinds button')[1].getAttribute('aria-pressed') === 'true'")
    page.settle()
    shares = {m["name"]: m["self"] for m in page.run("return candor.methods()")}
    ct.ok(shares["Shop.price"] == 400, "and shown by itself", shares)
    page.run("document.querySelector('#kinds button').click()")
    page.wait_for("return document.querySelector('#kinds button').getAttribute('aria-pressed') === 'true'")
    page.run(DROP, "notes<b>.txt", "no page")
    page.wait_for("return document.getElementById('other-text').innerText.includes('candor convert')")
    ct.ok("notes<b>.txt: not a page of Candor" in page.text("#other-text"), "a file that is no page is named, with the remedy",
          page.text("#other-text"))


SAVED = """const done = arguments[arguments.length - 1];
const old = URL.createObjectURL;
URL.createObjectURL = (blob) => { const reader = new FileReader(); reader.onload = () => done([blob.type, reader.result]);
    reader.readAsDataURL(blob); URL.createObjectURL = old; return old.call(URL, blob); };
document.getElementById(arguments[0]).click();"""


def saves(page, file):
    page.anew(file)
    kind, data = page.ask("POST", "/execute/async", {"script": SAVED, "args": ["save-png"]})
    png = base64.b64decode(data.split(",")[1])
    width, height = (int.from_bytes(png[at:at + 4], "big") for at in (16, 20))
    rows = page.state()["rows"]
    ct.ok(kind == "image/png" and png[:8] == b"\x89PNG\r\n\x1a\n" and width > 1000 and height > 2 * 10 * rows,
          "the graph is saved as a picture, with all rows", (kind, width, height, rows))


def sources(page, file):
    page.anew(file, "#fold=no&source=" + "https://git.example/{path}%23{method}")
    page.click_frame(page.frame(lambda f: f["name"] == "Tasks.work"))
    link = page.run("const a = document.getElementById('source-link'); return [a.hidden, a.href, a.rel]")
    ct.ok(link == [False, "https://git.example/Tasks.java#work", "noopener noreferrer"], "a method leads to its source", link)
    page.anew(file, "#fold=no&source=javascript://{path}")
    page.click_frame(page.frame(lambda f: f["name"] == "Tasks.work"))
    ct.ok(page.run("return document.getElementById('source-link').hidden"), "a template that would run a script makes no link")


LINES = """return [...document.querySelectorAll("#lines-body tr")].map((row) =>
    [...row.cells].map((cell) => cell.innerText).concat(getComputedStyle(row.cells[3]).getPropertyValue("--share")))"""


def source_lines(page, file, recording):
    """The lines of a method with their costs, as the report has them, by the button and by a key; and none of a method of the JDK."""
    costs = {row["line"]: row for row in json.loads(ct.candor("report", "--json", recording).out)["lines"] if row["name"] == "Tasks.price"}
    truth = pathlib.Path(__file__).with_name("Tasks.java").read_text().splitlines()
    for act in (lambda: page.click_on("#lines"), lambda: page.press("u")):
        page.anew(file, "#fold=no")
        page.click_frame(page.frame(lambda f: f["name"] == "Tasks.price"))
        act()
        rows = page.run(LINES)
        hot = {int(row[2]): row for row in rows if row[0]}
        ct.ok(rows and hot and set(hot) <= set(costs) and all(row[3].strip() == truth[int(row[2]) - 1].strip() for row in rows),
              "the lines of a method are those of its file", (rows, sorted(costs)))
        ct.ok(all(abs(float(row[0].rstrip("%")) - 100 * costs[n]["total_share"]) < 0.06 for n, row in hot.items()),
              "with the cost that the report has", (hot, costs))
        ct.ok(max(float(row[4]) for row in rows) == 1, "the hottest line of the method has the whole bar", rows)
        ct.ok("Tasks.java" in page.text("#lines-about") and "behind its end" not in page.text("#lines-about"), "and the file is named")
        page.click_on("#lines-dialog form button")
    ct.ok("host " + socket.gethostname() in page.text("#head"), "the head names the host", page.text("#head"))


def main():
    flamepage.need()
    ct.need(JAR)
    recording, file, gap = record()
    with Reader(1400, 1300) as page:
        tasks(page, file, recording)
        lanes(page, file, recording)
        why(page, file, gap)
        traces(page, file, recording, gap)
        endpoints(page, file, recording)
        in_order(page, file, gap)
        changed(page)
        dropped(page)
        saves(page, file)
        sources(page, file)
        source_lines(page, file, recording)
        ct.ok(not page.messages(), "the browser reports no errors", page.messages())
    ct.done()


main()
