#!/usr/bin/env python3
"""candor top in a real terminal, with a script (fake_agent.py) in place of the agent and a recording with known content: every key,
compared with `candor report --json`; small windows; other locales and terminals; a slow save, and a user who does not wait for it.

tier: default
timeout: 300
sanitize: no
"""
import os
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
import terminal
from recordings import COLD, HOT, MS, RUN

FAKE = pathlib.Path(__file__).with_name("fake_agent.py")
FILES = ct.WORK / "tmp"
CLOSED = 67  # byte of a chunk's header whose second bit says that the recording has ended
HELP_TEXTS = ("choose a row", "go further", "open the row: callers of the method, methods of the thread",
              "callers or callees of the method", "back", "methods, threads, books", "sort by self, total, name", "search; Esc ends it",
              "window: the last seconds, or since the start", "a shorter or a longer window", "pause and continue",
              "save the recording to a file", "this help", "quit")
ROW = re.compile(r"^ *(\d+\.\d) \[(\d+\.\d)\.\.(\d+\.\d)\] +(\d+(?:\.\d)?) [█▒]* *(?:\+ )?(\S.*)$")


def content():
    """Two threads; forty methods with one sample each besides the hot ones, so that the table is longer than a screen."""
    lines = [("setting", "clock", "perf"), ("setting", "interval_ns", 10 * MS),
             ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2), ("thread", "\u05e9\u05dc\u05d5\u05dd", 4713, 3)]
    for i in range(100):
        lines.append(("sample", 1, 10 * MS, "complete", HOT if i < 70 else COLD))
    for i in range(40):
        lines.append(("sample", 2, 10 * MS, "complete", f"{RUN};demo.Many.m{i:02}:{i + 1}"))
    lines += [("sample", 3, 10 * MS, "complete", f"{RUN};demo.\u65e5\u672c.\u00e9t\u00e9:3")] * 3
    lines += [("book", "complete", "", 1430 * MS, 143), ("book", "failed", "gc_active", 20 * MS, 2),
              ("book", "lost", "queue_full", 10 * MS, 1), ("book", "unseen", "kernel", 30 * MS, 0),
              ("book", "residual", "", 10 * MS, 0), ("book", "own_cost", "", 4 * MS, 0), ("book", "cpu", "", 1500 * MS, 0), ("flush",)]
    return lines


class Fake(ct.Script):
    """A process with the scripted agent, which writes `recording` for each client that asks it to start."""

    def __init__(self, recording, *behaviours):
        super().__init__(FAKE, recording, *behaviours)

    def commands(self):
        """All requests so far; ends the process."""
        return re.findall(r'"command": "(\w+)"', self.said())


def top(fake, *options, columns=120, lines=24, **environment):
    command = [ct.PROGRAM, "top", "-r", "100ms", "--timeout", "5s", *options, str(fake.pid)]
    return terminal.Terminal(command, columns, lines, TMPDIR=str(FILES), **environment)


def sees(t, text, what):
    return ct.ok(t.wait(lambda: text in t.text()), what, t.text())


def leaves(t, what, status=0):
    got = t.end()
    ct.ok(got == status and t.restored() and not t.screen.unknown, f"{what}: status {status}, the terminal is as it was",
          (got, t.errors(), t.screen.alternate, t.screen.cursor_shown, t.screen.unknown[:3]))
    ct.ok(ct.wait_until(lambda: not list(FILES.iterdir())), f"{what}: no file stays", list(FILES.iterdir()))
    t.close()


def table(t):
    """The rows with an interval: [(share, low, high, second figure, name)]."""
    return [match.groups() for match in map(ROW.match, t.screen.rows()[4:]) if match]


def percent(value):
    return f"{100 * value:.1f}"


def expected(rows, first, second):
    return [(*(percent(row[f"{first}_{end}"]) for end in ("share", "low", "high")), second(row), row["name"]) for row in rows]


# -- every key -------------------------------------------------------------------------------------------------------

def tables(fake, report):
    """m, t, b, s: rows, order and figures are the report's."""
    t = top(fake, lines=60)
    sees(t, "demo.Work.hot", "a picture")
    methods = report["methods"]
    orders = {"self": methods, "total": sorted(methods, key=lambda m: (-m["total"], methods.index(m))),
              "name": sorted(methods, key=lambda m: m["name"].encode())}
    for press, word in (("m", "self"), ("s", "total"), ("s", "name"), ("s", "self")):
        t.press(press)
        sees(t, f"methods by {word}", f"{press}: methods by {word}")
        if word == "total":
            want = expected(orders[word], "total", lambda m: percent(m["self_share"]))
        else:
            want = expected(orders[word], "self", lambda m: percent(m["total_share"]))
        ct.ok(t.wait(lambda: table(t) == want), f"by {word}: {len(want)} rows with the report's shares and intervals",
              f"{table(t)[:6]}\n{want[:6]}\n{t.text()}")
    t.press("t")
    sees(t, "threads by self", "t: threads")
    want = expected(report["threads"], "self", lambda row: str(row["samples"]))
    ct.ok(t.wait(lambda: table(t) == want), "with the report's shares and counts", f"{table(t)}\n{want}")
    t.press("b")
    sees(t, "own cost", "b: books")
    books = report["books"]
    shown = lambda: {row.split()[-1]: row.split()[0] for row in t.screen.rows()[4:-1] if row.strip()}
    want = {"CPU": 1, "complete": books["complete_ns"] / books["cpu_ns"], "gc_active": books["failed_ns"]["gc_active"] / books["cpu_ns"],
            "queue_full": books["lost_ns"]["queue_full"] / books["cpu_ns"], "kernel": books["unseen_ns"]["kernel"] / books["cpu_ns"],
            "residual": books["residual_ns"] / books["cpu_ns"], "cost": books["own_cost_ns"] / books["cpu_ns"]}
    ct.ok(t.wait(lambda: all(shown().get(name) == percent(value) for name, value in want.items())), "with the report's shares",
          f"{shown()}\n{want}")
    t.press("q")
    leaves(t, "q")


def moving(fake, report):
    """Each key that moves, tested by the row that it selects; each key that opens a row, and each that leads back."""
    t = top(fake)
    names, page = [m["name"] for m in report["methods"]], 24 - 5
    ct.ok(t.wait(lambda: len(table(t)) == page) and len(names) > 2 * page, f"{len(names)} rows, {page} of them on the screen", t.text())
    at = 0
    for number, (key, move) in enumerate((("down", 1), ("j", 1), ("down", 1), ("up", -1), ("k", -1), ("pgdn", page), ("pgup", -page),
                                          ("end", len(names)), ("up", -1), ("home", -len(names)))):
        at = min(max(at + move, 0), len(names) - 1)
        into, out = ("enter", "right")[number % 2], ("left", "backspace", "esc")[number % 3]
        t.press(key, into)
        sees(t, f"callers of {names[at]}", f"{key}, {into}: row {at}")
        t.press(out)
        sees(t, "methods by self", f"{out}: back")
    t.press("down", "enter")
    sees(t, f"callers of {names[1]}", "looked into once more")
    tree = recordings.report_json(ct.WORK / "known.jfr", "--callers", f"^{re.escape(names[1])}$")["callers"]
    node, chain = tree["children"][0], []
    while node:
        chain.append((percent(node["total"] / report["sampled"]), node["name"]))
        node = node["children"][0] if node["children"] else None
    shown = lambda: [(row[0], row[4]) for row in table(t)]
    ct.ok(len(chain) > 2 and t.wait(lambda: shown() == chain), "its callers have the report's shares", f"{shown()}\n{chain}")
    t.press("c")
    sees(t, f"callees of {names[1]}", "c: callees")
    t.press("c")
    sees(t, f"callers of {names[1]}", "c: callers")
    t.press("m", "c")
    sees(t, "open a method with Enter first", "c where there is no method says what to do")
    t.press("t", "down", "enter")
    sees(t, "methods of thread worker", "of a thread: its methods")
    own = recordings.report_json(ct.WORK / "known.jfr", "--thread", "^worker$")["methods"]
    sampled = sum(m["self"] for m in own)
    ct.ok(t.wait(lambda: [(row[0], row[4]) for row in table(t)] == [(percent(m["self"] / sampled), m["name"]) for m in own][:page]),
          "with the shares of the report for that thread", f"{table(t)[:4]}\n{own[:4]}")
    t.press("q")
    leaves(t, "after moving about")


def paused(t):
    """If a recording does not grow, a message after a while says that nothing is new; not while paused."""
    sees(t, "demo.Work.hot", "a picture")
    t.press("p")
    sees(t, "PAUSED", "p: pause")
    return t


def searching(fake, report):
    t = paused(top(fake))
    t.press("/", "MANY.M1", "x", "backspace")
    sees(t, "search: MANY.M1", "/: what is typed")
    found = [m for m in report["methods"] if "many.m1" in m["name"].lower()]
    share = percent(sum(m["self"] for m in found) / report["sampled"])
    t.press("enter")
    sees(t, f"/MANY.M1  {len(found)} of {len(report['methods'])} rows, self {share} %", "Enter: the rows and their share")
    ct.ok(t.wait(lambda: [row[4] for row in table(t)] == [m["name"] for m in found]), "and just these rows", t.text())
    t.press("/", "\x15", "zzz", "esc")
    sees(t, "/MANY.M1  ", "Esc at the prompt: the search before")
    t.press("esc")
    sees(t, "demo.Work.hot", "Esc: all rows")
    t.press("w")
    sees(t, "since start", "w: since the start")
    t.press(">")
    sees(t, "last ", ">: a window again")
    t.press("w", "<")
    ct.ok(t.wait(lambda: "since start" not in t.text()), "<: a window again", t.text())
    for key in "?h":
        t.press(key)
        ct.ok(t.wait(lambda: all(text in t.text() for text in HELP_TEXTS)), f"{key}: help of every key", t.text())
        t.press("x")
        ct.ok(t.wait(lambda: "demo.Work.hot" in t.text() and "this help" not in t.text()), "any key ends it", t.text())
    t.screen.cells[1][:20] = list("@" * 20)
    t.press("\f")
    ct.ok(t.wait(lambda: "@" not in t.text()), "Ctrl-L draws all of it again", t.text())
    copy = ct.WORK / "saved.jfr"
    t.press("S", "\x15", str(copy), "enter")
    sees(t, f"saved {copy} (50 bytes)", "S: saved, as the agent says")
    t.press(" ")
    ct.ok(t.wait(lambda: "PAUSED" not in t.text()), "Space: it continues", t.text())
    t.press("q")
    leaves(t, "search, time, help and saving")


# -- windows, locales, terminals -------------------------------------------------------------------------------------

def small(fake):
    """In a narrow window the head, the books and the keys have fewer figures, but no partial ones."""
    t = paused(top(fake, columns=200))
    parts = lambda row: [part.strip() for part in t.row(row).replace("books:", "books:  ").split("  ") if part.strip()]
    title = re.match(r"candor top \d+ \S+", t.row(0))[0]
    wide = {row: parts(row) for row in (1, 2, 23)}
    ct.ok(len(wide[1]) == 4 and len(wide[2]) >= 7 and "S save" in wide[23] and re.search(r" \d+\.\d\d CPUs", t.row(0)), "all is there",
          t.text())

    def cut():
        found = [(row, part) for row in wide for part in parts(row) if part not in wide[row]]
        rest = t.row(0)[len(os.path.commonprefix([t.row(0), title])):]
        return found if re.fullmatch(r"( +\d+\.\d\d CPUs)?( +PAUSED)?( +[\d:]{8})?", rest) else [*found, (0, rest)]

    for columns in (100, 79, 64, 52, 41, 33, 25, 16):
        t.resize(columns, 24)
        t.wait(lambda: t.row(0).startswith("candor top"[:columns]) and "hot" in t.text())
        ct.ok(t.wait(lambda: not cut()), f"{columns} columns: no figure and no key is cut", cut())
    t.resize(40, 12)
    t.press("c")
    words = lambda: " ".join(t.text().split())
    ct.ok(t.wait(lambda: "open a method with Enter first" in words()), "a long message has as many lines as it needs", t.text())
    t.press("?")
    sees(t, "enlarge the window to see more", "help that does not fit says so")
    t.resize(40, 60)
    ct.ok(t.wait(lambda: all(text in words() for text in HELP_TEXTS)), "40 columns: the help has all its words", t.text())
    t.press("x", "q")
    leaves(t, "small windows")


def terminals(fake):
    for what, environment in (("the locale C", {"LC_ALL": "C"}), ("a locale that is not there", {"LC_ALL": "de_DE.ISO-8859-1"}),
                              ("POSIX by LANG", {"LC_ALL": None, "LC_CTYPE": None, "LANG": "POSIX"})):
        t = top(fake, lines=60, **environment)
        sees(t, "demo.Work.hot", f"{what}: a picture")
        t.press("t")
        sees(t, "????", f"{what}: a name in Hebrew is marks")
        t.press("m", "/", "\u00e9", "esc")
        sees(t, "demo.Work.hot", f"{what}: and keys it does not have do no harm")
        ct.ok(t.text().isascii(), f"{what}: nothing but ASCII", t.text())
        t.press("q")
        leaves(t, what)
    t = top(fake, LC_ALL="C.UTF-8")
    t.press("t")
    sees(t, "\u05e9\u05dc\u05d5\u05dd", "UTF-8: the name in Hebrew")
    t.press("q")
    leaves(t, "UTF-8")
    t = top(fake, NO_COLOR="1")
    sees(t, "demo.Work.hot", "NO_COLOR: a picture")
    t.press("q")
    ct.ok(t.end() == 0 and not t.screen.colours, "NO_COLOR: no colors", t.screen.colours)
    leaves(t, "NO_COLOR")


def refused(recording):
    """Before anything is started in the JVM."""
    for name in ("dumb", "no-such-terminal", None):
        with Fake(recording) as fake:
            t = top(fake, TERM=name)
            status, error = t.end(), t.errors()
            ct.ok(status == 1 and error.count("\n") == 1 and f"a terminal of type '{name or ''}'" in error and "--batch" in error,
                  f"TERM={name}: one line with the remedy", error)
            t.close()
            ct.ok(fake.commands() == [], "and nothing was asked of the JVM")


def shell_jobs(fake):
    """Ctrl-Z and fg, as in a shell. Nothing reads the output of top on a large window at that time, so that top is in the middle of
    drawing."""
    t = terminal.Terminal(["sh", "-c", "exec bash --norc --noprofile -i 2>&1"], 400, 100, TMPDIR=str(FILES), PS1="$ ")
    t.wait(lambda: "$" in t.text())
    t.press(f"{ct.PROGRAM} top -r 100ms {fake.pid}\r")
    sees(t, "demo.Work.hot", "in a shell: a picture")
    for _ in range(20):
        t.press("\f")
        time.sleep(0.1)
    t.press("\x1a")
    sees(t, "Stopped", "Ctrl-Z: the shell again")
    ct.ok(not t.screen.alternate and t.screen.cursor_shown, "with its own screen and cursor")
    t.press("fg\r")
    ct.ok(t.wait(lambda: t.screen.alternate and "demo.Work.hot" in t.text()), "fg: the picture again", t.text())
    t.press("q")
    ct.ok(t.wait(lambda: not t.screen.alternate), "q: the shell again")
    t.press("exit\r")
    t.end()
    t.close()


# -- a save that takes long ------------------------------------------------------------------------------------------

def slow_save(recording):
    for name in ("xterm-256color", "vt100"):
        with Fake(recording, "slow-dump") as fake:
            t = top(fake, "--timeout", "200s", TERM=name)
            sees(t, "demo.Work.hot", f"{name}: a picture")
            t.press("S", "\x15", str(ct.WORK / f"never-{name}.jfr"), "enter")
            sees(t, "saving to ", "a save that takes long says what it is at")
            t.press("\x03")
            t.wait(lambda: False, 0.5)
            ct.ok(t.process.poll() is None, "one Ctrl-C waits for it")
            ct.ok(t.wait(lambda: t.press("\x03") or t.wait(lambda: t.process.poll() is not None, 0.2)), "another does not")
            leaves(t, f"{name}, killed during a save", -signal.SIGINT)
            ct.ok(fake.commands()[-1] == "stop", "the recording in the JVM is ended all the same")


def main():
    ct.need(ct.PROGRAM, recordings.MAKER)
    FILES.mkdir()
    known = recordings.make("known.jfr", content())
    report = recordings.report_json(known, "--top", "0")
    open_ended = ct.WORK / "open-ended.jfr"
    data = bytearray(known.read_bytes())
    ct.ok(data[:4] == b"FLR\0" and data[CLOSED] & 2, "a recording that has ended")
    data[CLOSED] &= ~2
    open_ended.write_bytes(data)
    with Fake(open_ended) as fake:
        for part in (tables, moving, searching):
            part(fake, report)
        for part in (small, terminals, shell_jobs):
            part(fake)
    refused(open_ended)
    slow_save(open_ended)
    ct.done()


main()
