"""candor report and candor convert on recordings with known content.

tier: quick
timeout: 120
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import flamedata
from recordings import COLD, HOT, MAKER, MS, RUN, by_name, example, make, report_json


def test_json(path):
    r = report_json(path)
    methods = by_name(r.get("methods", []))
    ct.ok(r.get("samples") == 101 and r["execution_samples"] == 98, "every sample of both chunks is read", r)
    hot, run = methods["demo.Work.hot"], methods["demo.Work.run"]
    ct.ok(hot["self"] == 710 * MS and hot["total"] == 710 * MS and run["self"] == 0 and run["total"] == 990 * MS,
          "self and total in ns", methods)
    ct.ok(hot["self_low"] < hot["self_share"] == 0.71 < hot["self_high"], "a share and its interval", hot)
    ct.ok(hot["types"] == {"JIT compiled": 710 * MS}, "frame types", hot)
    ct.ok(all(sum(row["types"].values()) == row["total"] for row in r["methods"] + r["lines"]), "which add up to the total", r)
    ct.ok("[gc_active] libjvm.so!evacuate" in methods and "[truncated]" not in methods,
          "a failed sample is named by its reason, a truncation is no method", methods)
    ct.ok(any(line["name"] == "demo.Work.hot" and line["line"] == 23 for line in r["lines"]), "lines")
    threads = by_name(r["threads"])
    ct.ok(threads["main"]["cpu_ns"] == 990 * MS and threads["main"]["os_id"] == 4711 and threads["main"]["java_id"] == 1
          and threads["GC Thread#0"]["self"] == 10 * MS, "threads, with the last of their CPU times", threads)
    ct.ok(threads["GC Thread#0"]["cpu_ns"] == 13 * MS, "two threads that had one id after another add up", threads)
    books = r["books"]
    accounts = sum(books[k] for k in ("complete_ns", "truncated_ns", "residual_ns"))
    accounts += sum(sum(books[k].values()) for k in ("failed_ns", "lost_ns", "unseen_ns"))
    ct.ok(accounts == books["cpu_ns"] == 1049 * MS, "the books are those of the last lines, and close", books)
    ct.ok(books["complete"] == 98 and books["failed"] == {"gc_active": 2} and books["lost"] == {"queue_full": 2}
          and books["clock"] == "perf" and books["clock_resolution_ns"] == 1 and books["own_cost_ns"] == 4 * MS,
          "counts, clock and own cost", books)
    ct.ok(r["interval_ns"] == 10 * MS and r["settings"]["clock"] == "perf", "settings", r)
    ct.ok([p["text"] for p in r["problems"]] == ["something to know"], "what the agent logged is a problem", r["problems"])


def test_own_code():
    """A method of the program that calls the JDK, which calls more of the JDK; a pool; a thread without own code."""
    pool = [("thread", f"pool-1-thread-{n}", n, n) for n in range(1, 5)]
    path = make("own.jfr", [*pool, ("thread", "GC Thread#0", 9, 0),
                            ("sample", 1, 30 * MS, "complete",
                             "Java|shop.Cart.total:1;Java|java.util.HashMap.get:2;Java|java.util.HashMap.hash:3"),
                            ("sample", 2, 20 * MS, "complete", "Java|shop.Cart.total:1;Java|java.util.HashMap.get:2"),
                            ("sample", 3, 10 * MS, "complete", "Java|shop.Cart.pay:5;Java|java.util.HashMap.hash:3"),
                            ("sample", 4, 25 * MS, "complete", "Java|shop.Cart.pay:5"),
                            ("sample", 5, 15 * MS, "complete", "Native|GCTaskThread::run")])
    text = ct.candor("report", path).out
    row = r"^\((?:t [\d. ]+,)?s +([\d.]+)\) \[[\d.]+\.\.[\d.]+\] +(.*)$"
    own = re.findall(row, text[text.index("Your own code"):text.index("Hot methods")], re.M)
    ct.ok(own == [("50.0", "shop.Cart.total > java.util.HashMap.hash (60 %)"), ("35.0", "shop.Cart.pay"),
                  ("15.0", "[no own method on the stack]")], "the program's own code, and what it called", own)
    hot = dict((name, share) for share, name in re.findall(row, text[text.index("Hot methods"):text.index("Hot lines")], re.M))
    ct.ok(hot.get("java.util.HashMap.hash < shop.Cart.total (75 %)") == "40.0"
          and hot.get("java.util.HashMap.get < shop.Cart.total") == "20.0" and "shop.Cart.pay" in hot and "GCTaskThread::run" in hot,
          "code that is not the program's is shown with its caller", hot)
    ct.ok("pool-1-thread-* (4 threads)" in text and "pool-1-thread-1" not in text and "GC Thread#0" in text, "a pool is one row", text)
    ct.ok("pool-1-thread-1 (tid 1)" in ct.candor("report", "--sections", "threads", path).out, "each of its threads if they are requested")


def test_pool():
    """All time is either a pool's or one other thread's, so the intervals of both are equally wide."""
    samples = [("sample", n, MS, "complete", "Java|shop.Cart.total:1") for n in [1, 2, 3] * 100 + [4] * 2]
    threads = [("thread", f"pool-1-thread-{n}", n, n) for n in (1, 2, 3)] + [("thread", "other", 9, 9)]
    text = ct.candor("report", make("pool.jfr", [("setting", "clock", "timer"), *threads, *samples])).out
    found = re.search(r"\[ *([\d.]+)\.\. *([\d.]+)\].*pool-1-thread-\* .*\n.*\[ *([\d.]+)\.\. *([\d.]+)\].*other", text)
    low, high, least, most = map(float, found.groups()) if found else (0, 0, 0, 0)
    ct.ok(found and most > least and abs(100 - high - least) < 0.11 and abs(100 - low - most) < 0.11,
          "the interval of a row of several threads", text)


def test_text(path):
    text = ct.candor("report", path).out
    match = re.search(r"\(t ([\d.]+),s ([\d.]+)\) \[([\d.]+)\.\.([\d.]+)\] demo\.Work\.hot$", text, re.M)
    ct.ok(match and match.groups()[:2] == ("71.0", "71.0"), "a line of the text report", text)
    ct.ok("demo.Work.hot:23" in text and "main (tid 4711)" in text, "lines and threads", text)
    ct.ok("Tree" not in text and "Tree" in ct.candor("report", "--tree", path).out, "the tree, when requested")
    ct.ok(text.index("Books") > text.index("Threads") > text.index("Hot lines") > text.index("Hot methods"),
          "in this order, the books last")
    ct.ok("warning: something to know" in text and "\033" not in text, "warnings; no colors in a pipe", text)
    deep = make("kinds.jfr", [("thread", "main", 1, 1), ("sample", 1, MS, "complete", RUN + ";Kernel|kernel.vfs_read")])
    kinds = ct.candor("report", "--tree", deep).out
    ct.ok(len(re.findall(r"vfs_read \(kernel\)$", kinds, re.M)) >= 2 and "run (" not in kinds,
          "functions of the kernel are marked, in the table and in the tree", kinds)
    only = ct.candor("report", "--sections", "threads,books", path).out
    ct.ok("Hot" not in only and "Threads" in only and "Books" in only, "--sections", only)
    ct.ok(len(re.findall(r"^\(t", ct.candor("report", "--sections", "methods", "-n", "1", path).out, re.M)) == 1, "--top")
    with open(path, "rb") as f:
        piped = subprocess.run([ct.PROGRAM, "report", "-"], stdin=f, capture_output=True, text=True)
    ct.ok(piped.stdout == text, "from standard input", piped.stderr)


def safepoint():
    """60 ms of running, 240 ms of waiting, 100 ms in an unknown state, and a thread that had ended; the books balance."""
    lines = [("setting", "event", "safepoint"), ("setting", "interval_ns", MS), ("thread", "main", 0, 1),
             ("thread", "idle", 0, 9), ("thread", "Signal Dispatcher", 0, 4)]
    for i in range(4):
        lines += [("safepoint", 1, 15 * MS, "complete", "STATE_IN_NATIVE" if i else "STATE_RUNNABLE", "Java|demo.Work.hot:23"),
                  ("safepoint", 2, 60 * MS, "complete", "STATE_PARKED", "Java|demo.Work.idle:7;Native|jdk.Unsafe.park"),
                  ("safepoint", 3, 25 * MS, "no_java_stack", "STATE_UNKNOWN", "Failed|no_java_stack.")]
    lines += [("execution", 1, "Java|demo.Work.hot:23")] * 6
    return lines + [("book", "thread_time", "", 410 * MS, 40), ("book", "running", "runnable", 15 * MS, 1),
                    ("book", "running", "in_native", 45 * MS, 3), ("book", "waiting", "parked", 240 * MS, 4),
                    ("book", "failed", "no_java_stack", 100 * MS, 4), ("book", "lost", "ended", 10 * MS, 1),
                    ("book", "not_chosen", "", 0, 27), ("book", "stopped", "", 2 * MS, 4), ("book", "own_cost", "", 1 * MS, 12)]


def test_host():
    """The host is in the report, in the page, and in OTLP; of recordings from several hosts none is named."""
    paths = [make(f"host-{host}.jfr", [("setting", "host", host), ("jvm", "25", "demo.Main", 4711), ("thread", "main", 1, 1),
                                       ("sample", 1, 10 * MS, "complete", HOT)]) for host in ("web-3", "web-4")]
    one = ct.candor("report", paths[0])
    ct.ok("Process   demo.Main (pid 4711) on web-3\n" in one.out, "the report says where", one)
    both = ct.candor("report", *paths)
    ct.ok(both.status == 0 and "Process   demo.Main" in both.out and " on " not in both.out.split("Recorded")[0], "several hosts", both)
    page, otlp, scrubbed = (ct.WORK / f"host.{end}" for end in ("html", "otlp", "jfr"))
    ct.candor("convert", paths[0], page)
    ct.ok(flamedata.read(page.read_text())["host"] == "web-3", "the page knows the host")
    ct.candor("convert", paths[0], otlp)
    ct.ok(report_json(otlp)["settings"] == {"host": "web-3"}, "OTLP has it as host.name", report_json(otlp))
    ct.candor("scrub", paths[0], scrubbed)
    ct.ok(report_json(scrubbed)["settings"] == {"host": "web-3"}, "scrub keeps it: it is no secret", report_json(scrubbed))
    perf = ct.WORK / "perf.txt"
    perf.write_text("# ========\n# hostname : web-5\n# ========\n#\njava 1 1.0: 5 cycles:\n\t7f00aa main (/bin/x)\n\n")
    result = ct.candor("report", perf)
    ct.ok(" on web-5\n" in result.out or "Host      web-5\n" in result.out, "perf script --header", result)


def test_filtered_page():
    """A page of some samples has them of every kind, as the report of each kind has them."""
    path = make("somepage.jfr", [*wall("cpu,wall,alloc"), ("sample", 1, 10 * MS, "complete", HOT),
                                 ("alloc", 1, 3000, "demo.Item", "Java|demo.Work.hot:23"),
                                 ("sample", 2, 5 * MS, "complete", COLD), ("alloc", 2, 700, "demo.Item", "Java|demo.Work.cold:3"),
                                 ("book", "cpu", "", 15 * MS, 0), ("book", "complete", "", 15 * MS, 2), ("book", "residual", "", 0, 0)])
    page = ct.WORK / "somepage.html"
    for options in (("--thread", "main"), ("--not-method", "hot"), ("--time", "..+1s")):
        made = ct.candor("report", *options, "-o", page, path)
        html = page.read_text()
        parts = re.findall(r'<script type="application/json" (?:id="candor-data"|class="candor-data"[^>]*)>([^<]*)</script>', html)
        found = {part["kind"]: part["total"] for part in map(json.loads, parts)}
        want = {kind: report_json(path, "--kind", kind, *options).get("sampled") for kind in found}
        ct.ok(made.status == 0 and set(found) >= {"cpu", "alloc"} and found == want and 'application/json" class="candor-part"' not in html,
              f"{options[0]}: every kind of sample, and only those that are chosen", (made, found, want))


def test_source():
    """--source: the text and the page have the lines of the methods that cost most."""
    path = make("source.jfr", [("thread", "main", 1, 1), ("sample", 1, 30 * MS, "complete", "shop.Cart.total:3;java.util.HashMap.get:9"),
                               ("sample", 1, 10 * MS, "complete", "shop.Cart.total:3;shop.Cart.item:7")])
    (ct.WORK / "src" / "shop").mkdir(parents=True)
    (ct.WORK / "src" / "shop" / "Cart.java").write_text("".join(f"line {n}; \x1b[31m\n" for n in range(1, 10)))
    text = ct.candor("report", "--source", ct.WORK, path)
    block = text.out[text.out.index("Source lines"):text.out.index("Threads")]
    ct.ok("shop.Cart.total  shop/Cart.java\n" in block and re.search(r"^\(t 100\.0,s  0\.0\)     3  line 3; \?\[31m$", block, re.M)
          and re.search(r"^ +1  line 1", block, re.M) and " line 6" not in block.split("shop.Cart.item")[0], "lines with costs", block)
    ct.ok(re.search(r"^\(t 25\.0,s 25\.0\)     7  line 7", block, re.M) and "HashMap" not in block, "of another method", block)
    page = ct.WORK / "source.html"
    made = ct.candor("convert", "--source", ct.WORK / "src", path, page)
    data = flamedata.read(page.read_text())
    rows = {data["strings"][name]: lines for name, file, beyond, lines in data["source"] if file == "shop/Cart.java" and beyond == 0}
    ct.ok(made.status == 0 and [line for line in rows["shop.Cart.total"] if line[2]] == [[3, 0, 40 * MS, "line 3; \x1b[31m"]]
          and [line[0] for line in rows["shop.Cart.item"]] == [5, 6, 7, 8, 9], "the page has them", rows)
    none = ct.candor("report", "--source", ct.WORK / "none", "-o", page, path)
    ct.ok(none.status == 0 and "--source" in none.err and "has no file" in none.err, "no file: said", none)
    ct.ok("has no file" in ct.candor("report", "--source", ct.WORK / "none", path).out, "in the text, too")
    for arguments in (("report", "--source", ct.WORK, "--json", path), ("convert", "--source", ct.WORK, path, ct.WORK / "x.collapsed")):
        wrong = ct.candor(*arguments)
        ct.ok(wrong.status == 2 and "--source" in wrong.err, "not for other outputs", wrong)


def test_safepoint():
    path = make("safepoint.jfr", safepoint())
    text, r = ct.candor("report", path).out, report_json(path)
    ct.ok(list(by_name(r["methods"])) == ["demo.Work.hot"] and r["sampled"] == 60 * MS and r["source"] == "candor.SafepointSample"
          and r["kind"] == "running" and r["safepoint_samples"] == 12, "safepoints: the running threads, and no others", r)
    ct.ok(r["books"] is None and r["thread_time"]["thread_time_ns"] == 410 * MS and r["thread_time"]["not_chosen"] == 27
          and r["thread_time"]["waiting_ns"] == {"parked": 240 * MS} and r["thread_time"]["rounds"] == 4,
          "books of the threads' time, none of CPU time", r)
    ct.ok(not r["problems"], "which close", r["problems"])
    head = text[:text.index("Hot methods")]
    ct.ok("biased" in head and "safepoint" in head and "Running   60.0 ms" in head and "CPU  " not in head, "the header says so", head)
    ct.ok("% of running time" in text and "sampled CPU" not in text and "cannot account for CPU time" in text
          and re.search(r"^ {6}no_java_stack +100 ms +24\.39 +4$", text, re.M), "and the books say why they balance no CPU time", text)
    waiting, w = ct.candor("report", "--kind", "waiting", path).out, report_json(path, "--kind", "waiting")
    ct.ok(w["kind"] == "waiting" and w["sampled"] == 240 * MS and not w["problems"]
          and w["methods"][0]["name"] == "jdk.Unsafe.park" and w["methods"][0]["self"] == 240 * MS, "--kind waiting: those that waited", w)
    ct.ok("Waiting methods" in waiting and "exact" in waiting and "biased" not in waiting, "whose stacks are exact", waiting)
    none = ct.candor("report", "--kind", "waiting", make("cpu.jfr", example()))
    ct.ok(none.status == 1 and "record with -e safepoint" in none.err and none.err.count("\n") == 1,
          "a recording of CPU time has none, and how to get them", none)
    page = ct.WORK / "safepoint.html"
    ct.ok(ct.candor("convert", path, page).status == 0 and "safepoint samples: biased" in page.read_text(), "the flame graph's title")
    lines = [line if line[:2] != ("book", "waiting") else ("book", "waiting", "parked", 200 * MS, 4) for line in safepoint()]
    broken = report_json(make("open.jfr", lines), "--kind", "waiting")
    ct.ok(any("do not balance" in p["text"] for p in broken["problems"]) and any("is incomplete" in p["text"] for p in broken["problems"]),
          "books that do not close, and samples that are not those of the books, are problems", broken["problems"])
    mixed = report_json(make("mixed.jfr", [*safepoint(), ("sample", 1, 10 * MS, "complete", COLD)]))
    ct.ok(mixed["source"] == "candor.CpuSample" and mixed["sampled"] == 10 * MS, "CPU samples in the same file are better")


def wall(event):
    """200 ms of two threads: 30 ms of running, 20 ms of waiting for a processor, the rest parked, 10 ms of it as a guess."""
    lines = [("setting", "event", event), ("setting", "wall_interval_ns", MS), ("setting", "interval_ns", 5 * MS),
             ("thread", "main", 0, 1), ("thread", "idle", 0, 9)]
    for i in range(10):
        state = "STATE_RUNNABLE" if i < 3 else "STATE_WAITING_FOR_CPU" if i < 5 else "STATE_IN_NATIVE_IO"
        lines += [("wall", 1, 10 * MS, "complete", state, "clock" if i < 5 else "method", "Java|demo.Work.hot:23"),
                  ("wall", 2, 10 * MS, "complete", "STATE_BLOCKED_ON_MONITOR_ENTER" if i == 9 else "STATE_PARKED",
                   "guess" if i == 9 else "method", "Java|demo.Work.idle:7;Native|jdk.Unsafe.park")]
    return lines + [("book", "wall_time", "", 203 * MS, 0), ("book", "wall_running", "runnable", 30 * MS, 3),
                    ("book", "wall_waiting", "waiting_for_cpu", 20 * MS, 2), ("book", "wall_waiting", "native_io", 50 * MS, 5),
                    ("book", "wall_waiting", "parked", 90 * MS, 9), ("book", "wall_waiting", "monitor", 10 * MS, 1),
                    ("book", "wall_pending", "", 0, 0), ("book", "wall_unseen", "ended", 4 * MS, 1),
                    ("book", "wall_unseen", "began", -1 * MS, 1), ("book", "wall_residual", "", 0, 0),
                    ("book", "wall_guessed", "", 10 * MS, 1), ("book", "wall_rounds", "", 11 * MS, 10),
                    ("book", "wall_not_chosen", "", 0, 0), ("book", "wall_own_cost", "", 1 * MS, 20)]


def test_wall():
    alone = make("wall.jfr", [*wall("wall"), *[("execution", 1, "Java|demo.Work.hot:23")] * 3])
    r, text = report_json(alone), ct.candor("report", alone).out
    ct.ok(r["kind"] == "wall" and r["source"] == "candor.WallSample" and r["sampled"] == 200 * MS and r["interval_ns"] == MS
          and by_name(r["methods"])["jdk.Unsafe.park"]["self"] == 100 * MS, "a recording of the event wall alone is shown by itself", r)
    ct.ok(r["books"] is None and not r["problems"] and r["wall_time"]["wall_ns"] == 203 * MS and r["wall_time"]["rounds"] == 10
          and r["wall_time"]["waiting_ns"] == {"waiting_for_cpu": 20 * MS, "native_io": 50 * MS, "parked": 90 * MS, "monitor": 10 * MS}
          and r["wall_time"]["unseen_ns"] == {"ended": 4 * MS, "began": -MS}, "with its books, which close", r)
    books = ct.candor("report", "--sections", "books", alone).out
    ct.ok("Wall      200 ms" in text and "Methods, running or not" in text and "% of wall-clock time" in text
          and re.search(r"^ {6}parked +90\.0 ms +44\.33 +9$", books, re.M), "the text says what it is", text + books)
    ct.ok("\nBooks  98.5 % of the threads' time is in samples with a stack (1.5 % too little, by chance: threads that began or ended); "
          "failed 0.0 %, lost 0.0 %, unseen 0.0 %, residual 0.0 %" in text,
          "books that need no explanation are a line, unless they are requested", text)
    changed = {("wall_unseen", "began"): -8 * MS, ("wall_time", ""): 256 * MS}
    lines = [(*line[:3], changed.get(line[1:3], line[3]), *line[4:]) if line[0] == "book" else line for line in wall("wall")]
    lines += [("wall", 1, 60 * MS, "no_java_stack", "STATE_UNKNOWN", "guess", "Failed|no_java_stack."),
              ("book", "wall_failed", "no_java_stack", 60 * MS, 6)]
    text = ct.candor("report", make("walljvm.jfr", lines)).out
    ct.ok("(1.6 % too much, by chance: threads that began or ended), 23.4 % in threads of the JVM without Java frames; failed 0.0 %"
          in text, "threads of the JVM are no failure, and chance is no loss", text)
    ct.ok("[no_java_stack]: a thread without Java frames" in text, "what stands in place of a method is explained", text)
    parked = report_json(alone, "--state", "parked,waiting_for_cpu")
    ct.ok(parked["sampled"] == 110 * MS and parked["filtered"] == 90 * MS, "--state chooses", parked)
    piped = ct.run("sh", "-c", f"'{ct.PROGRAM}' report --json - < '{alone}'")
    ct.ok(piped.status == 0 and json.loads(piped.out)["kind"] == "wall", "from standard input, too", piped)
    cpu = ct.candor("report", "--kind", "cpu", alone)
    ct.ok(cpu.status == 1 and "no cpu samples" in cpu.err and cpu.err.count("\n") == 1, "it has no CPU time", cpu)
    both = make("both.jfr", [*wall("cpu,wall"), ("sample", 1, 10 * MS, "complete", COLD), ("book", "cpu", "", 12 * MS, 0),
                             ("book", "complete", "", 10 * MS, 1), ("book", "residual", "", 2 * MS, 0)])
    c, w = report_json(both), report_json(both, "--kind", "wall")
    ct.ok(c["kind"] == "cpu" and c["sampled"] == 10 * MS and c["books"]["cpu_ns"] == 12 * MS and c["interval_ns"] == 5 * MS
          and not c["problems"], "of both events the CPU time is what is shown, and not one wall-clock sample", c)
    ct.ok(w["kind"] == "wall" and w["sampled"] == 200 * MS and w["interval_ns"] == MS and not w["problems"],
          "--kind wall shows the other", w)
    none = ct.candor("report", "--kind", "wall", make("nowall.jfr", example()))
    ct.ok(none.status == 1 and "record with -e wall" in none.err and none.err.count("\n") == 1, "a recording without says how", none)
    stacks = ct.WORK / "wall.collapsed"
    ct.ok(ct.candor("convert", "--kind", "wall", "--unit", "ns", both, stacks).status == 0
          and sum(int(line.rsplit(" ", 1)[1]) for line in stacks.read_text().splitlines()) == 200 * MS, "convert --kind wall")
    parked = ("book", "wall_waiting", "parked")
    lines = [(*parked, 60 * MS, 9) if line[:3] == parked else line for line in wall("wall")]
    broken = report_json(make("wallopen.jfr", lines))
    ct.ok(any("do not balance" in p["text"] for p in broken["problems"]) and any("is incomplete" in p["text"] for p in broken["problems"]),
          "books that do not close are a problem", broken["problems"])


def on_terminal(*command):
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(command, stdout=slave, env=env)
    os.close(slave)
    out = b""
    try:
        while chunk := os.read(master, 65536):
            out += chunk
    except OSError:  # EIO: the last one has closed the terminal
        pass
    process.wait()
    os.close(master)
    return out.decode()


LOCK, PARK = "Java|demo.Pool.take:5", "Java|demo.Pool.get:9;Native|jdk.Unsafe.park"


def lock(event):
    """Three threads: 100 ms at two monitors and 60 ms parked. Two waits that go on are for each other, and the third thread waits for
    one of these two."""
    return [("setting", "event", event), ("setting", "lock_threshold_ns", MS), ("setting", "interval_ns", 5 * MS),
            ("thread", "first", 0, 11), ("thread", "second", 0, 12), ("thread", "third", 0, 13),
            ("monitor", 1, 30 * MS, "demo.Pool", 4096, 2, 0, LOCK), ("monitor", 3, 50 * MS, "demo.Pool", 4096, 1, 0, LOCK),
            ("monitor", 1, 12 * MS, "demo.Pool", 4096, 2, 1, LOCK), ("monitor", 2, 8 * MS, "demo.Other", 8192, 1, 1, LOCK),
            ("park", 3, 60 * MS, "demo.Sync", 512, 2, 1, PARK), ("holder", 2, 90 * MS, "demo.Pool", "Java|demo.Log.write:3"),
            ("book", "lock_time", "monitor", 101 * MS, 4), ("book", "lock_time", "park", 60 * MS, 1),
            ("book", "lock_whole", "", 159 * MS, 4), ("book", "lock_drawn", "", 1 * MS, 1), ("book", "lock_lost", "throttled", 2 * MS, 2),
            ("book", "lock_residual", "", -1 * MS, 0), ("book", "lock_open", "", 80 * MS, 3), ("book", "lock_threshold", "monitor", MS, 0),
            ("book", "lock_holders", "", 90 * MS, 1)]


def test_idle():
    """Three workers of a pool, of which one computes for a while; the JDK's cleaner; a thread of the program that sleeps."""
    park = "Java|java.lang.Thread.run;Java|java.util.concurrent.ThreadPoolExecutor$Worker.run;Java|java.util.concurrent.ThreadPoolExecutor"
    park += ".getTask;Java|java.util.concurrent.LinkedBlockingQueue.take;Java|jdk.internal.misc.Unsafe.park"
    work = "Java|java.util.concurrent.ThreadPoolExecutor.runWorker;Java|shop.Cart.total:7"
    threads = [("thread", f"pool-1-thread-{n}", n, n) for n in (1, 2, 3)] + [("thread", "Cleaner", 4, 4), ("thread", "poller", 5, 5)]
    samples = [*[("wall", n, 10 * MS, "complete", "STATE_PARKED", "method", park) for n in (1, 2, 3, 1)],
               ("wall", 2, 10 * MS, "complete", "STATE_RUNNABLE", "clock", work),
               ("wall", 4, 10 * MS, "complete", "STATE_IN_OBJECT_WAIT", "method", "Java|java.lang.Thread.run;Java|java.lang.Object.wait"),
               ("wall", 5, 10 * MS, "complete", "STATE_SLEEPING", "method", "Java|shop.Poller.run:3;Java|java.lang.Thread.sleep")]
    path = make("idle.jfr", [*threads, *samples])
    text, whole = ct.candor("report", path).out, ct.candor("report", "--idle", path).out
    ct.ok("Wall      70.0 ms" in text and "Idle      50.0 ms, 71.4 %, of 4 threads that waited for work" in text
          and "(s 50.0)" in text and "Unsafe.park" not in text and "Object.wait" not in text and "Thread.sleep < shop.Poller.run" in text,
          "threads that wait for work are left out of the tables, and counted", text)
    ct.ok("Wall      70.0 ms" in whole and "Idle" not in whole and "Unsafe.park" in whole, "--idle shows them", whole)
    ct.ok(report_json(path)["sampled"] == 70 * MS, "JSON has all")
    one = ct.candor("report", "--thread", "pool-1-thread-2", path).out
    ct.ok("shown 28.6 %, filtered 71.4 %" in one, "a filter's shares are of all samples, also of idle ones", one)
    none = ct.candor("report", make("rest.jfr", [*threads, *samples[:4]])).out
    ct.ok("Idle      40.0 ms, 100.0 %" in none and "none but those of idle threads" in none and "-e wall" not in none,
          "all threads are idle", none)
    cut = [("wall", 4, 10 * MS, "truncated", "STATE_IN_OBJECT_WAIT", "method", "Java|java.lang.Object.wait"),
           ("wall", 5, 30 * MS, "bad_anchor", "STATE_PARKED", "method", "Failed|bad_anchor.")]
    cut = ct.candor("report", make("cut.jfr", [*threads, *cut])).out
    ct.ok("Idle" not in cut and "Object.wait" in cut, "a stack that is not known to its end is nobody's idle time", cut)
    jvm = [("wall", 4, 30 * MS, "no_java_stack", "STATE_PARKED", "kernel", "Failed|no_java_stack."),
           ("wall", 5, 10 * MS, "no_java_stack", "STATE_RUNNABLE", "clock", "Failed|no_java_stack.")]
    jvm = ct.candor("report", make("jvm.jfr", [*threads, *jvm])).out
    ct.ok("Idle      30.0 ms, 75.0 %, of 1 thread" in jvm, "a thread of the JVM that waits is idle", jvm)


def test_idle_parks():
    """Two workers of a pool wait for work, and one of them for the lock of its queue, which the other has. A third thread waits for a
    permit."""
    work = "Java|java.lang.Thread.run;Java|java.util.concurrent.ThreadPoolExecutor$Worker.run;Java|java.util.concurrent.ThreadPoolExecutor"
    work += ".getTask;Java|java.util.concurrent.LinkedBlockingQueue.take;Java|jdk.internal.misc.Unsafe.park"
    permit = "Java|shop.Cart.total:7;Java|java.util.concurrent.Semaphore.acquire;Java|jdk.internal.misc.Unsafe.park"
    lock = "java.util.concurrent.ReentrantLock"
    path = make("idleparks.jfr", [
        ("setting", "event", "lock"), ("thread", "pool-1-thread-1", 1, 1), ("thread", "pool-1-thread-2", 2, 2), ("thread", "cart", 3, 3),
        ("park", 1, 40 * MS, "demo.Condition", 512, 0, 1, work), ("park", 2, 60 * MS, "demo.Condition", 512, 0, 1, work),
        ("park", 2, 3 * MS, lock, 768, 1, 1, work), ("park", 3, 20 * MS, "demo.Permits", 900, 0, 1, permit)])
    text, whole, r = ct.candor("report", path).out, ct.candor("report", "--idle", path).out, report_json(path)
    rows = re.findall(r"^ *([\d.]+) +\S+ ms +1  park +(\S+)", text, re.M)
    ct.ok("100 ms, 81.3 %, of 2 threads that waited for work" in text and [row[1] for row in rows] ==
          ["demo.Permits", lock] and "held by pool-1-thread-1" in text,
          "parks of idle workers are apart and counted, not those for a lock that somebody has", text)
    one = ct.candor("report", "--thread", "pool-1-thread-2", path).out
    ct.ok("60.0 ms, 95.2 %, of 1 thread that waited for work" in one, "one thread is no threads", one)
    ct.ok("Condition" in whole and "waited for work" not in whole and len(r["locks"]) == 3 and "idle" not in r,
          "--idle and JSON have all", whole)
    ct.ok({row["class"]: row["site"] for row in r["locks"]} == {"demo.Condition": None, lock: None, "demo.Permits": "shop.Cart.total"},
          "and say which method of the program waited, if one did", r["locks"])
    bill = permit.replace("shop.Cart.total:7", "shop.Bill.total:9")
    several = make("sites.jfr", [("setting", "event", "lock"), ("thread", "cart", 3, 3)] + [
        ("park", 3, ns, "demo.Permits", 900, 0, 1, stack) for ns, stack in ((20 * MS, permit), (30 * MS, bill), (15 * MS, permit))])
    ct.ok([row["site"] for row in report_json(several)["locks"]] == ["shop.Cart.total"], "of several methods the one that waited longest")


def test_lock():
    alone = make("lock.jfr", lock("lock"))
    r, text = report_json(alone), ct.candor("report", "--tree", alone).out
    ct.ok(r["kind"] == "lock" and r["unit"] == "ns" and r["sampled"] == 160 * MS and not r["problems"]
          and by_name(r["methods"])["demo.Pool.take"]["self"] == 100 * MS, "a recording of the event lock alone is shown by itself", r)
    ct.ok([(row["class"], row["kind"], row["address"], row["weight"], row["samples"]) for row in r["locks"]] ==
          [("demo.Pool", "monitor", "0x1000", 92 * MS, 3), ("demo.Sync", "park", None, 60 * MS, 1),
           ("demo.Other", "monitor", "0x2000", 8 * MS, 1)], "the locks by weight", r["locks"])
    ct.ok([(one["name"], one["weight"]) for one in r["locks"][0]["holders"]] == [("first", 50 * MS), ("second", 42 * MS)],
          "with their holders", r["locks"][0])
    circle = [[(link["thread"], link["class"], link["owner"]) for link in one] for one in r["deadlocks"]]
    ct.ok(circle == [[("first", "demo.Pool", "second"), ("second", "demo.Other", "first")]],
          "two that wait for each other are a deadlock, who waits for them is not in it", r["deadlocks"])
    books = r["lock_time"]
    ct.ok(r["books"] is None and books["waited_ns"] == {"monitor": 101 * MS, "park": 60 * MS} and books["lost_ns"] == {"throttled": 2 * MS}
          and books["whole_ns"] + books["drawn_ns"] + 2 * MS + books["residual_ns"] == 161 * MS and books["lock_open"] == 3,
          "the books balance", books)
    ct.ok("Deadlock" in text and "first waits for the monitor of demo.Pool 0x1000, which second has" in text
          and "held by first 54 %, second 46 %" in text and re.search(r"demo\.Sync$", text, re.M), "the text says so", text)
    holder = report_json(alone, "--kind", "holder")
    ct.ok(holder["kind"] == "holder" and holder["sampled"] == 90 * MS and by_name(holder["methods"])["demo.Log.write"]["self"] == 90 * MS,
          "--kind holder shows what the holders did", holder)
    both = make("cpulock.jfr", [*lock("cpu,lock"), ("sample", 1, 10 * MS, "complete", COLD), ("book", "cpu", "", 10 * MS, 0),
                                ("book", "complete", "", 10 * MS, 1), ("book", "residual", "", 0, 0)])
    c, w = report_json(both), report_json(both, "--kind", "lock", "--label", "class=Sync")
    ct.ok(c["kind"] == "cpu" and c["sampled"] == 10 * MS and "locks" not in c and not c["problems"], "of both the CPU time comes first", c)
    ct.ok(w["sampled"] == 60 * MS and w["filtered"] == 100 * MS and not w["deadlocks"], "a lock's class can be chosen", w)
    none = ct.candor("report", "--kind", "lock", make("nolock.jfr", example()))
    ct.ok(none.status == 1 and "record with -e lock" in none.err and none.err.count("\n") == 1, "a recording without says how", none)
    stacks = ct.WORK / "lock.collapsed"
    ct.ok(ct.candor("convert", "--kind", "lock", both, stacks).status == 0 and f"demo.Pool.take;demo.Pool {92 * MS}" in stacks.read_text(),
          "convert --kind lock: nanoseconds, the class at the leaf", stacks.read_text())
    ct.ok(ct.candor("convert", "--kind", "holder", both, stacks).status == 0 and stacks.read_text() == f"demo.Log.write {90 * MS}\n",
          "convert --kind holder: what the holders did, and nothing at the leaf", stacks.read_text())
    as_json = ct.WORK / "lock.json"
    ct.ok(ct.candor("convert", "--kind", "lock", alone, as_json).status == 0 and json.loads(as_json.read_text()) == r,
          "convert to JSON has what report --json has, locks and deadlocks as well", as_json.read_text())


def test_terminal():
    long = "com.example.shop.inventory.reservation.service.ReservationService.reserveEverything"
    path = make("long.jfr", [("thread", "main", 1, 1), ("sample", 1, 5, "complete", long)])
    text = on_terminal(ct.PROGRAM, "report", path)
    ct.ok("\033[1m" in text, "colors on a terminal", text)
    plain = re.sub("\033\\[\\d*m", "", text)
    ct.ok(re.search(r" c\.e\.s\.i\.r\.s\w*\.ReservationService\.reserveEverything", plain), "names are shortened to fit", plain)
    lines = [line for line in plain.splitlines() if line.startswith("(t")]
    ct.ok(lines and max(map(len, lines)) <= 80, "a terminal without a size is taken as 80 columns wide", plain)


def test_convert(path):
    out = ct.WORK / "out.collapsed"
    ct.ok(ct.candor("convert", path, out).status == 0 and sorted(out.read_text().splitlines()) == sorted([
        "java.lang.Thread.run;demo.Work.run;demo.Work.hot 70", "java.lang.Thread.run;demo.Work.run;demo.Work.cold 28",
        "[truncated];java.lang.Thread.run;demo.Work.run;demo.Work.hot 1", "[gc_active] libjvm.so!evacuate 1"]),
        "collapsed stacks", out.read_text())
    ns = ct.candor("convert", "--unit", "ns", "--threads", "--to", "collapsed", path, "-").out
    ct.ok(f"GC Thread#0;[gc_active] libjvm.so!evacuate {10 * MS}\n" in ns, "in ns, by thread, to standard output", ns)
    out = ct.WORK / "out.html"
    ct.candor("convert", "--title", "<i>a & b", path, out)
    html = out.read_text()
    data, graph = flamedata.text(html), flamedata.read(html)
    nodes, slices = graph["nodes"], graph["slices"]
    ct.ok(not re.search("[<>&]", data) and graph["title"] == "<i>a & b", "the page's data are escaped", data)
    ct.ok(graph["total"] == nodes["total"][0] == 1000 * MS, "its weights add up", graph)
    ct.ok(all(p < i for i, p in enumerate(nodes["parent"]) if i), "parents before children")
    ct.ok(all(nodes["parent"][i] > nodes["parent"][i - 1] or nodes["total"][i] <= nodes["total"][i - 1]
              for i in range(2, nodes["count"])), "siblings side by side, the heaviest first", nodes)
    report = report_json(path)
    by_thread, by_node = {}, [0] * nodes["count"]
    for thread, node, weight in zip(slices["thread"], slices["node"], slices["weight"]):
        by_thread[graph["threads"][thread]] = by_thread.get(graph["threads"][thread], 0) + weight
        by_node[node] += weight
    ct.ok(by_node == nodes["self"], "each node's self is in the slices", slices)
    ct.ok(by_thread == {t["name"]: t["self"] for t in report["threads"] if t["self"]}, "each thread's time too", by_thread)
    ct.ok(all(t < slices["buckets"] for t in slices["time"]) and slices["time"] == sorted(slices["time"]), "in order of time")
    ct.ok(graph["approximate_share"] == report["approximate_share"], "the share of approximate frames")
    foreign = make("foreign.jfr", [line for line in example() if line[0] != "book"])
    ct.candor("convert", foreign, ct.WORK / "foreign.html")
    ct.ok(flamedata.read((ct.WORK / "foreign.html").read_text())["approximate_share"] is None, "which only our recordings tell")
    ct.candor("convert", "--threads", path, ct.WORK / "threads.html")
    ct.ok(flamedata.read((ct.WORK / "threads.html").read_text())["by_thread"] and not graph["by_thread"], "by thread where requested")
    names = {graph["strings"][i] for i in nodes["name"]}
    ct.ok({"demo.Work.hot", "[truncated]"} <= names and graph["books"]["complete"] == 98, "names and books", names)
    out = ct.WORK / "out.json"
    ct.candor("convert", path, out)
    ct.ok(json.loads(out.read_text()) == report_json(path), ".json is the report's JSON")


def hostile_names():
    evil = 'a"b</script>\\&\x01'
    path = make("evil.jfr", [("thread", evil, 1, 1), ("sample", 1, 5, "complete", f"Evil.{evil}"),
                             ("setting", evil, evil), ("log", "warning", evil), ("book", "failed", evil, 1, 1)])
    r = report_json(path)
    ct.ok(r["methods"][0]["name"] == f"Evil.{evil}" and r["settings"] == {evil: evil}
          and r["books"]["failed"] == {evil: 1}, "hostile names survive in JSON as they are", r)
    ct.ok("\x01" not in ct.candor("report", "--tree", path).out, "and do not reach the terminal")
    ct.candor("convert", "--to", "html", path, ct.WORK / "evil.html")
    html = (ct.WORK / "evil.html").read_text()
    ct.ok('b</script>' not in html, "nor end the page's data")


def fails(status, text, *arguments):
    result = ct.candor(*arguments)
    ct.ok(result.status == status and text in result.err and result.err.count("\n") == 1 and not result.out,
          f"status {status}: {' '.join(map(str, arguments))[:80]}", result)


def test_errors(path):
    fails(2, "FILE", "report")
    fails(2, "section", "report", "--sections", "methods,nonsense", path)
    fails(2, "--top", "report", "--top", "-3", path)
    fails(2, "--threshold", "report", "--threshold", "101", path)
    fails(2, "--kind", "report", "--kind", "nonsense", path)
    fails(1, "no wall samples", "report", "--kind", "wall", path)
    fails(1, "No such file", "report", ct.WORK / "missing.jfr")
    for extension in (".jfr", ".collapsed", ".pb.gz", ".html"):
        fails(2, extension, "convert", path, ct.WORK / "out.pdf")
    fails(2, "--to", "convert", path, "-")
    fails(1, "No such file", "convert", path, ct.WORK / "missing" / "out.html")
    fails(1, "No space left", "convert", path, "--to", "html", "/dev/full")
    garbage = ct.WORK / "garbage.jfr"
    garbage.write_bytes(b"this is no recording at all" * 100)
    fails(1, "not a JFR recording", "report", garbage)
    fails(1, "not a JFR recording", "convert", garbage, ct.WORK / "garbage.html")
    ct.ok(not (ct.WORK / "garbage.html").exists(), "nothing is written for a bad file")
    full = subprocess.run([ct.PROGRAM, "report", path], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True)
    ct.ok(full.returncode == 1 and "No space left" in full.stderr, "a report that cannot be printed fails", full)


def test_input_as_output(path):
    """A file that is read is never replaced by the output made from it, whatever its name."""
    whole, link = path.read_bytes(), ct.WORK / "link.jfr"
    link.symlink_to(path)
    for out in (path, link, path.parent / "." / ".." / path.parent.name / path.name):
        for words in (["report", "--json", "-o", out, path], ["report", "--format", "html", "-o", out, path],
                      ["report", "--kind", "halt", "--json", "-o", out, path], ["diff", "-o", out, path, path],
                      ["convert", path, out], ["convert", "--to", "json", path, out], ["convert", "--to", "perfmap", path, out],
                      ["convert", "--to", "collapsed", path, path, out]):
            fails(2, "another name", *words)
            ct.ok(path.read_bytes() == whole, "and the recording is as it was")
    link.unlink()
    other = ct.WORK / "other.json"
    for _ in range(2):
        ct.ok(ct.candor("report", "--json", "-o", other, path).status == 0, "an earlier report is replaced")


def test_foreign():
    """Only jdk.ExecutionSample, without a period: as any other profiler might write it."""
    path = make("foreign.jfr", [("thread", "main", 1, 1), *[("execution", 1, HOT)] * 3, *[("execution", 1, "...;" + COLD)] * 2,
                                ("execution", 1, "-")])
    r = report_json(path)
    ct.ok(r["unit"] == "samples" and r["sampled"] == 6 and r["samples"] == 0 and r["execution_samples"] == 6
          and r["books"] is None and by_name(r["methods"])["demo.Work.hot"]["self"] == 3, "counts without a period", r)
    ct.ok("[no stack]" in by_name(r["methods"]), "a sample without a stack is one of no method", r["methods"])
    text = ct.candor("report", path).out
    ct.ok("16.7 % of them without a stack, 33.3 % truncated" in text, "outcomes are told from the stacks", text)
    plain = ct.WORK / "plain.collapsed"
    plain.write_text("main;work 3\nmain;rest 1\n")
    text = ct.candor("report", plain).out
    ct.ok("Hot methods" in text and "Hot lines" not in text, "without lines there is no table of lines", text)
    text = ct.candor("report", "--sections", "lines", plain).out
    ct.ok("Hot lines" in text, "unless it is asked for alone", text)


def test_not_whole(path):
    whole = path.read_bytes()
    for size in (len(whole) // 3, len(whole) * 2 // 3, len(whole) - 1):
        cut = ct.WORK / "cut.jfr"
        cut.write_bytes(whole[:size])
        result = ct.candor("report", "--json", cut)
        ct.ok(result.status in (0, 1) and (result.status or json.loads(result.out)["problems"]),
              f"cut after {size} of {len(whole)} bytes: said", result)
    lines = [line for i, line in enumerate(example()) if line[0] != "sample" or i % 2]
    r = report_json(make("missing.jfr", lines))
    ct.ok(any("is incomplete" in p["text"] for p in r["problems"]), "samples that the books know and the file lacks", r["problems"])
    lines = [line for line in example() if line[:2] != ("book", "lost")]
    r = report_json(make("open.jfr", lines))
    ct.ok(any("do not balance" in p["text"] for p in r["problems"]), "books that do not close", r["problems"])


def test_nothing_readable(path):
    """A JFR header without anything readable after it: every command reports an error, and none prints an empty result."""
    whole, damaged, out = path.read_bytes(), ct.WORK / "damaged.jfr", ct.WORK / "out.jfr"
    damaged.write_bytes(whole[:68] + bytes(len(whole) - 68))
    for words in (["report"], ["report", "--json"], ["report", "--kind", "halt"], ["report", "--kind", "live"], ["summary"],
                  ["summary", "--json"], ["print"], ["print", "--json"], ["analyze"], ["analyze", "--json"], ["asm"], ["asm", "--json"],
                  ["trace"], ["diff", path], ["convert", "--to", "html"], ["convert"], ["convert", "--compress", "list"], ["scrub"]):
        more = {"trace": ["0af7651916cd43dd8448eb211c80319c"], "scrub": [out], "convert": [out] if "list" not in words else []}
        files = [damaged, *more.get(words[0], [])]
        result = ct.candor(*words, *files)
        ct.ok(result.status == 1 and not result.out and result.err.count("\n") == 1 and "no part of which can be read" in result.err and
              str(damaged) in result.err and not out.exists(),
              f"{' '.join(map(str, words))[:40]}: one line", result)


ct.need(MAKER, ct.PROGRAM)
recording = make("example.jfr", example())
test_json(recording)
test_text(recording)
test_own_code()
test_terminal()
test_convert(recording)
hostile_names()
test_errors(recording)
test_input_as_output(recording)
test_foreign()
test_not_whole(recording)
test_nothing_readable(recording)
test_host()
test_filtered_page()
test_source()
test_safepoint()
test_wall()
test_idle()
test_idle_parks()
test_pool()
test_lock()
ct.done()
