#!/usr/bin/env python3
"""candor top in a real terminal, on a real JVM: every key, every size, saving, each way to end; and it leaves nothing behind. A JVM
cannot load a sanitized agent; tests/unit tests the parts of top that need no agent, sanitized.

tier: default
timeout: 900
sanitize: no
"""
import os
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import terminal

ct.need()
FILES = ct.WORK / "tmp"
FILES.mkdir()
FAST = ("-r", "500ms", "-i", "1ms")
HOT = "TwoMethods.heavy"
LOAD = "go seconds=100000 threads=1"


def top(jvm, *options, columns=80, lines=24, **environment):
    return terminal.Terminal([ct.PROGRAM, "top", *(options or FAST), str(jvm.pid)], columns, lines, TMPDIR=str(FILES), **environment)


def sees(t, text, what):
    return ct.ok(t.wait(lambda: text in t.text()), what, t.text())


def is_idle(jvm):
    """No recording runs, and the JVM has no open file of ours."""
    try:
        good, answer = jvm.control("status")
    except OSError:
        return True
    return good and answer["state"] == "idle" or not good


def leaves_nothing(t, jvm, what, status=0):
    got = t.end()
    ct.ok(got == status, f"{what}: status {status}", f"{got}\n{t.errors()}\n{t.text()}")
    ct.ok(t.restored(), f"{what}: the terminal is as it was")
    ct.ok(not t.screen.unknown, f"{what}: the screen understood all of it", t.screen.unknown[:5])
    ct.ok(is_idle(jvm), f"{what}: the JVM is not being recorded")
    ct.ok(not list(FILES.iterdir()), f"{what}: no file stays", list(FILES.iterdir()))
    t.close()


def shares(t):
    """{name: share} of the rows with an interval."""
    found = (re.match(r" *(\d+\.\d) \[(\d+\.\d)\.\.(\d+\.\d)\] +\S+ +(?:\S* +)??([A-Za-z][\w.$:<> *]*)$", row) for row in t.screen.rows())
    return {match[4].strip(): [float(match[i]) for i in (1, 2, 3)] for match in found if match}


def test_tables(jvm):
    t = top(jvm)
    sees(t, HOT, "methods: the hottest is there")
    t.wait(lambda: re.search(r"[1-9],\d\d\d samples", t.text()))
    rows = shares(t)
    heavy = rows.get(HOT, [0, 0, 0])
    ct.ok(heavy[1] <= heavy[0] <= heavy[2] and heavy[0] > 30, "with a share within its interval", f"{rows}\n{t.text()}")
    ct.ok(t.wait(lambda: all(word in t.row(2) for word in ("failed", "lost", "unseen", "residual"))), "the books are visible", t.text())
    ct.ok(t.wait(lambda: str(jvm.pid) in t.row(0) and "TwoMethods" in t.row(0) and "CPUs" in t.row(0)), "the head names the JVM", t.row(0))
    t.press("t")
    sees(t, "threads by", "t: threads")
    sees(t, "two-methods-0", "the thread that works is there")
    ct.ok(t.wait(lambda: "failed" in t.row(2)), "the books stay visible", t.text())
    t.press("enter")
    sees(t, "methods of thread two-methods-0", "Enter: its methods")
    sees(t, HOT, "the hot one among them")
    t.press("left")
    sees(t, "threads by", "Left: back")
    t.press("b")
    sees(t, "own cost", "b: all of the books")
    ct.ok(t.wait(lambda: re.search(r"^ *100\.0 +\S+ \w?s", t.text(), re.MULTILINE)), "with their times", t.text())
    t.press("m")
    sees(t, "methods by self", "m: methods")
    for word in ("total", "name", "self"):
        t.press("s")
        sees(t, f"methods by {word}", f"s: by {word}")
    t.press("q")
    leaves_nothing(t, jvm, "q")


def test_search_and_callers(jvm):
    t = top(jvm)
    sees(t, HOT, "a second time it begins anew")
    t.press("/")
    sees(t, "search:", "/: a prompt")
    t.press("HEAVX", "backspace", "y")
    ct.ok(t.wait(lambda: HOT in t.text() and "TwoMethods.light" not in t.text()), "only what matches stays, in any case", t.text())
    t.press("enter")
    ct.ok(t.wait(lambda: re.search(r"/HEAVy  [1-9]\d* of \d+ rows, self \d", t.text())), "Enter: the search stays, with its share",
          t.text())
    t.press("enter")
    sees(t, "callers of TwoMethods.heavy", "Enter on the row: who calls it")
    sees(t, "TwoMethods$Worker.run", "the caller")
    t.press("down", "enter")
    sees(t, "callers of TwoMethods$Worker.run", "Enter again: its callers")
    t.press("c")
    sees(t, "callees of TwoMethods$Worker.run", "c: what it calls")
    sees(t, HOT, "the hot one is called")
    t.press("backspace", "backspace")
    sees(t, "methods by self", "Backspace twice: back to the table")
    t.press("/nosuchname", "enter")
    sees(t, "no name in this list matches", "a search without a match says so")
    t.press("esc")
    sees(t, HOT, "Esc: all rows")
    t.press("q")
    leaves_nothing(t, jvm, "after all that")


def test_time(jvm):
    t = top(jvm)
    sees(t, HOT, "a picture")
    t.press("w")
    sees(t, "since start", "w: since the start")
    t.press("w")
    sees(t, "last ", "w: the window again")
    t.press("<", "<", "<")
    ct.ok(t.wait(lambda: re.search(r"last [56]\.\d+ s", t.text())), "<: five seconds, and up to one more", t.text())
    t.press("p")
    sees(t, "PAUSED", "p: pause")
    t.wait(lambda: False, 1)
    before = t.row(1)
    t.wait(lambda: False, 3)
    ct.ok(t.row(1) == before, "nothing moves", f"{before}\n{t.row(1)}")
    t.press("s")
    sees(t, "methods by total", "but keys still work")
    t.press(" ")
    ct.ok(t.wait(lambda: "PAUSED" not in t.text() and t.row(1) != before), "Space: it continues", t.text())
    t.press("?")
    sees(t, "quit\n", "?: help")
    ct.ok(t.wait(lambda: all(f" {key} " in t.text() for key in ("s", "/", "w", "q", "c"))), "with all keys", t.text())
    t.press("x")
    ct.ok(t.wait(lambda: HOT in t.text()), "any key ends it", t.text())
    t.press("down", "down", "pgdn", "pgup", "end", "home", "j", "k", "\f", "\x1b[31~", "Z", "é")
    sees(t, HOT, "keys that do nothing do nothing")
    t.press("q")
    leaves_nothing(t, jvm, "pause and help")


def test_sizes(jvm):
    t = top(jvm)
    sees(t, HOT, "80x24")
    for columns, lines in ((132, 50), (40, 12), (20, 5), (7, 3), (1, 1), (300, 10), (80, 24)):
        t.resize(columns, lines)
        title = "candor top 4"[:columns].rstrip(" 4")
        ct.ok(t.wait(lambda: t.row(0).startswith(title)), f"{columns}x{lines}: drawn again", t.text())
        if columns >= 40:
            ct.ok(t.wait(lambda: "failed" in t.row(2)) and t.wait(lambda: "heavy" in t.text()), f"{columns}x{lines}: books and rows",
                  t.text())
    t.press("q")
    leaves_nothing(t, jvm, "sizes")


def test_saving(jvm):
    t = top(jvm)
    sees(t, HOT, "a picture")
    file = ct.WORK / "saved.jfr"
    t.press("S")
    sees(t, "save to: candor-TwoMethods-", "S: a name is proposed")
    t.press("\x15", str(file), "enter")
    sees(t, "saved ", "saved")
    ct.ok(HOT in {row["name"] for row in ct.report(file)["methods"]}, "it is a recording of the same")
    t.press("S", "\x15", str(file), "enter")
    sees(t, "File exists", "an existing file is not written over")
    t.press("q")
    leaves_nothing(t, jvm, "saving")
    kept = ct.WORK / "kept.jfr"
    t = top(jvm, *FAST, "-o", str(kept))
    sees(t, HOT, "-o: a picture")
    t.press("q")
    leaves_nothing(t, jvm, "-o")
    ct.ok(ct.report(kept)["methods"], "-o: the file stays")


def test_signals(jvm):
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        t = top(jvm)
        sees(t, HOT, f"{name}: a picture before")
        os.kill(t.pid, getattr(signal, name))
        leaves_nothing(t, jvm, name)
    t = top(jvm)
    sees(t, HOT, "Ctrl-C: a picture before")
    t.press("\x03")
    leaves_nothing(t, jvm, "Ctrl-C")
    t = top(jvm)
    sees(t, HOT, "SIGKILL: a picture before")
    os.kill(t.pid, signal.SIGKILL)
    t.end()
    ct.ok(ct.wait_until(lambda: is_idle(jvm)), "SIGKILL: the recording in the JVM is ended all the same")
    ct.ok(ct.wait_until(lambda: not list(FILES.iterdir())), "SIGKILL: and its file removed", list(FILES.iterdir()))
    t.close()


def test_joining(jvm):
    file = ct.WORK / "running.jfr"
    ct.attach(jvm, file)
    t = top(jvm, "-r", "500ms")
    sees(t, "showing the recording that is already running", "a recording that runs is joined")
    sees(t, HOT, "and shown")
    t.press("q")
    ct.ok(t.end() == 0 and t.restored(), "q: the end", t.errors())
    t.close()
    good, status = jvm.control("status")
    ct.ok(good and status.get("state") == "running" and status.get("file") == str(file), "the recording continues", status)
    beside = ct.candor("top", "-b", "-n", "1", "-r", "500ms", "-o", ct.WORK / "other.jfr", jvm.pid)
    ct.ok(beside.status == 0 and (ct.WORK / "other.jfr").exists(), "with -o, top makes a recording beside it", beside)
    good, status = jvm.control("status")
    ct.ok(good and "," not in status.get("recordings", ",") and status.get("file") == str(file), "and ends that alone", status)
    t = top(jvm, "-r", "500ms")
    sees(t, HOT, "joined once more")
    ct.candor("stop", jvm.pid)
    sees(t, "another client has stopped the recording", "when it is stopped, top says so")
    ct.ok(t.wait(lambda: HOT in t.text()), "and keeps the picture", t.text())
    t.press("q")
    leaves_nothing(t, jvm, "joined")
    ct.ok(file.exists(), "the file is there still")


def test_terminals(jvm):
    t = top(jvm)
    sees(t, HOT, "xterm-256color")
    ct.ok(t.wait(lambda: t.screen.colours & {36, 38}), "has colors", t.screen.colours)
    ct.ok(t.wait(lambda: "\u2588" in t.text()), "and bars of blocks", t.text())
    t.press("q")
    leaves_nothing(t, jvm, "xterm-256color")
    for name, environment in (("NO_COLOR", {"NO_COLOR": "1"}), ("vt100", {"TERM": "vt100"})):
        t = top(jvm, **environment)
        sees(t, HOT, f"{name}: a picture")
        ct.ok(not t.screen.colours, f"{name}: no colors", t.screen.colours)
        t.press("q")
        leaves_nothing(t, jvm, name)
    t = top(jvm, LC_ALL="C")
    sees(t, HOT, "the locale C: a picture")
    ct.ok(t.wait(lambda: t.text().isascii() and "####" in t.text()), "in ASCII", t.text())
    t.press("q")
    leaves_nothing(t, jvm, "the locale C")
    t = top(jvm, TERM="no-such-terminal")
    ct.ok(t.end() == 1 and "cannot draw on a terminal of type 'no-such-terminal'" in t.errors(), "an unknown terminal is an error",
          t.errors())
    ct.ok(is_idle(jvm) and not list(FILES.iterdir()), "which leaves nothing")
    t.close()
    refused = ct.candor("top", jvm.pid)
    ct.ok(refused.status == 1 and "--batch" in refused.err and refused.err.count("\n") == 1, "no terminal is an error, with its remedy",
          refused)


def test_batch(jvm):
    printed = ct.candor("top", "-b", "-n", "2", "-r", "2s", "-i", "1ms", "--top", "5", jvm.pid, env={**os.environ, "TMPDIR": str(FILES)})
    pictures = printed.out.count("candor top ")
    ct.ok(printed.status == 0 and not printed.err and pictures == 2, "--batch -n 2 prints two pictures", printed)
    ct.ok(HOT in printed.out and "books: failed" in printed.out and "\033" not in printed.out, "as plain text, books included", printed)
    ct.ok(len(printed.out.split("candor top ")[2].splitlines()) <= 10, "--top 5: of five rows", printed.out)
    threads = ct.candor("top", "-b", "-n", "1", "-r", "2s", "--threads", "--search", "two-meth", jvm.pid)
    ct.ok("two-methods-0" in threads.out and "1 of " in threads.out, "--threads, --search", threads)
    ct.ok(is_idle(jvm) and not list(FILES.iterdir()), "it leaves nothing")
    for wrong in (["-n", "1"], ["-b", "-n", "0"], ["-r", "1ms"], ["--sort", "age"], []):
        result = ct.candor("top", *wrong, *([jvm.pid] if wrong else []))
        ct.ok(result.status == 2 and result.err.count("\n") == 1, f"wrong usage: {' '.join(wrong)}", result)
    process = ct.spawn([ct.PROGRAM, "top", "-b", "-r", "500ms", jvm.pid], stdout=-1, stderr=-1, env={**os.environ, "TMPDIR": str(FILES)})
    first = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate()
    ct.ok(first.startswith(b"candor top") and process.returncode == 0 and not err, "SIGTERM ends it in good order", err)
    ct.ok(is_idle(jvm) and not list(FILES.iterdir()), "and leaves nothing")


def test_end_of_jvm(jdk):
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        jvm.say(LOAD)
        t = top(jvm)
        sees(t, HOT, "a picture")
        jvm.process.send_signal(signal.SIGSTOP)
        sees(t, "no new samples for", "a JVM that is stopped: top says that nothing comes")
        jvm.process.send_signal(signal.SIGCONT)
        ct.ok(t.wait(lambda: "no new samples" not in t.text()), "and continues with it", t.text())
        jvm.process.kill()
        sees(t, "has exited", "a JVM that is killed: top says so")
        ct.ok(t.wait(lambda: HOT in t.text()), "and keeps the last picture", t.text())
        t.press("t")
        sees(t, "two-methods-0", "which can still be looked at")
        file = ct.WORK / "last.jfr"
        t.press("S", "\x15", str(file), "enter")
        sees(t, "saved ", "and saved")
        t.press("q")
        ct.ok(t.end() == 0 and t.restored() and not list(FILES.iterdir()), "q: the end", t.errors())
        ct.ok("has exited" in t.errors(), "and a line that says why", t.errors())
        ct.ok(ct.report(file)["methods"], "what was saved is a recording")
        t.close()
        batch = ct.candor("top", "-b", jvm.pid)
        ct.ok(batch.status == 1 and batch.err.count("\n") == 1, "a process that is gone is an error", batch)


HOSTILE = r"""
public class Hostile {
    static volatile long sink;
    static long NAMES(long x) { for (int i = 0; i < 100000; i++) x = x * 31 + i; return x; }
    public static void main(String[] args) throws Exception {
        for (String name : new String[] {"\u001b[2J\u001b[1;1Hgone", "a\nb\rc", "\u05e9\u05dc\u05d5\u05dd", "\u202egnorw",
                                         "\u65e5\u672c\u8a9e", "e\u0301\u0301\u0301\u0301", "\ud83d\ude00", "%s%n", ""}) {
            Thread t = new Thread(() -> { for (;;) { sink = CALLS; } }, name);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("ready");
        System.in.read();
    }
}
"""


def test_hostile_names(jdk):
    names = ["\\u05e9\\u05dc\\u05d5\\u05dd", "\\u65e5\\u672c\\u8a9e", "e\\u0301\\u0301\\u0301", "x" * 10000]
    line = re.search("    static long NAMES.*", HOSTILE)[0]
    methods = "\n".join(line.replace("NAMES", name) for name in names)
    calls = " + ".join(f"{name}(sink)" for name in names)
    source = ct.WORK / "Hostile.java"
    source.write_text(HOSTILE.replace(line, methods).replace("CALLS", calls))
    classes = ct.own_classes(jdk, source)
    process = ct.spawn([jdk.java, "-cp", classes, "Hostile"], stdin=-1, stdout=-1)
    process.stdout.readline()
    t = terminal.Terminal([ct.PROGRAM, "top", *FAST, str(process.pid)], TMPDIR=str(FILES))
    for keys, what in (((), "methods"), (("enter",), "callers"), (("esc", "t"), "threads"), (("enter",), "of one thread")):
        t.press(*keys)
        ct.ok(t.wait(lambda: re.search(r"^ *\d+\.\d \[", t.text(), re.MULTILINE)), f"hostile names, {what}: rows", t.text())
        t.wait(lambda: False, 1.5)
        ct.ok(t.wait(lambda: t.row(0).startswith("candor top") and t.row(2).startswith("books:") and t.row(23).startswith("q quit")),
              f"hostile names, {what}: the screen is whole", t.text())
        ct.ok(not t.screen.unknown and not re.search("[\u202a-\u202e]", t.text()), f"hostile names, {what}: nothing to obey",
              t.screen.unknown[:5])
    ct.ok(all(sum(map(terminal.width, row)) <= 80 for row in t.screen.rows()), "no row is longer than the screen")
    t.press("q")
    ct.ok(t.end() == 0 and t.restored(), "hostile names: the end", t.errors())
    t.close()
    process.kill()


jdk = [one for one in map(ct.jdk, (21, 17, 11)) if one][0]
with ct.Jvm(jdk, "TwoMethods") as jvm:
    jvm.expect("ready")
    jvm.say(LOAD)
    for test in (test_tables, test_search_and_callers, test_time, test_sizes, test_saving, test_signals, test_joining, test_terminals,
                 test_batch):
        test(jvm)
test_end_of_jvm(jdk)
test_hostile_names(jdk)
ct.done()
