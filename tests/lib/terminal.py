"""A terminal in which a test runs a program: a pseudo terminal, and the screen of an xterm or vt100, as far as ncurses uses it.

    t = terminal.Terminal([ct.PROGRAM, "top", pid], columns=80, lines=24)
    t.wait(lambda: "Main.hot" in t.text())
    t.press("q")
    status = t.end()

Sequences that the screen does not understand are kept in `unknown`; a correct program leaves it empty.
"""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
import unicodedata

import candortest as ct

KEYS = {"up": "\033OA", "down": "\033OB", "right": "\033OC", "left": "\033OD", "pgup": "\033[5~", "pgdn": "\033[6~",
        "home": "\033OH", "end": "\033OF", "enter": "\r", "esc": "\033", "backspace": "\177"}
SEQUENCE = re.compile(r"\033(?:\[([?>=!]?)([0-9;]*)([@A-Za-z`])|\][^\007\033]*(?:\007|\033\\)|[()][A-Za-z0-9]|([=>78McDEHZ]))")
INCOMPLETE = re.compile(r"\033(?:\[[?>=!]?[0-9;]*|\][^\007\033]*|[()])?$")
BYTES_AT_ONCE = 100  # few, so that every state between two pictures is seen: half a picture must not look whole
SET, PLAIN = re.compile("[hl]"), set("@ABCDEFGHJKLMPSTXbcdfghlmrtn`")


def width(character):
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """Cells, a cursor, and everything that the program has sent to them."""

    def __init__(self, columns, lines):
        self.unknown, self.colours, self.rest = [], set(), ""
        self.alternate = False
        self.cursor_shown = True
        self.resize(columns, lines)

    def resize(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.x = self.y = 0
        self.wraps = False  # the next character goes to the next line
        self.top, self.bottom = 0, lines - 1

    def rows(self):
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\033":
                match = SEQUENCE.match(text, at)
                if match:
                    self.obey(match)
                    at = match.end()
                    continue
                if INCOMPLETE.match(text[at:]):
                    self.rest = text[at:]
                    return
                self.unknown.append(text[at:at + 12])
            elif text[at] < " " or text[at] == "\177" or "\x80" <= text[at] < "\xa0":
                self.control(text[at])
            else:
                self.put(text[at])
            at += 1

    def control(self, c):
        if c == "\r":
            self.x, self.wraps = 0, False
        elif c == "\n":
            self.line_feed()
        elif c == "\b":
            self.x, self.wraps = max(self.x - 1, 0), False
        elif c == "\t":
            self.x = min(self.x // 8 * 8 + 8, self.columns - 1)
        elif c not in "\x0e\x0f":
            self.unknown.append(c)

    def line_feed(self):
        if self.y == self.bottom:
            self.scroll(1)
        else:
            self.y = min(self.y + 1, self.lines - 1)

    def scroll(self, n):
        for _ in range(abs(n)):
            if n > 0:
                del self.cells[self.top]
                self.cells.insert(self.bottom, [" "] * self.columns)
            else:
                del self.cells[self.bottom]
                self.cells.insert(self.top, [" "] * self.columns)

    def put(self, c):
        columns = width(c)
        if not columns:
            x = self.x if self.wraps else self.x - 1
            if x >= 0:
                self.cells[self.y][x] += c
            return
        if self.wraps or self.x + columns > self.columns:
            self.x = 0
            self.line_feed()
        self.wraps = False
        self.cells[self.y][self.x] = self.last = c
        if columns == 2:
            self.cells[self.y][self.x + 1] = ""
        self.x += columns
        if self.x == self.columns:
            self.x, self.wraps = self.columns - 1, True

    def obey(self, match):
        mark, numbers, letter, _ = match.groups()
        if letter is None:
            if match[0] == "\033M":
                self.scroll(-1) if self.y == self.top else self.move(self.x, self.y - 1)
            return
        n = [int(number or 0) for number in numbers.split(";")]
        if mark:
            if SET.match(letter):
                self.mode(n, letter == "h")
        elif letter in PLAIN:
            self.edit(letter, n, n[0] or 1)
        else:
            self.unknown.append(match[0])

    def mode(self, numbers, on):
        for number in numbers:
            if number in (47, 1047, 1049):
                self.alternate = on
            if number == 25:
                self.cursor_shown = on

    def move(self, x, y):
        self.x, self.y, self.wraps = min(max(x, 0), self.columns - 1), min(max(y, 0), self.lines - 1), False

    def blank(self, y, first, last):
        self.cells[y][first:last] = [" "] * len(self.cells[y][first:last])

    def edit(self, letter, n, count):
        row = self.cells[self.y]
        if letter in "ABCD":
            dx, dy = {"A": (0, -1), "B": (0, 1), "C": (1, 0), "D": (-1, 0)}[letter]
            self.move(self.x + dx * count, self.y + dy * count)
        elif letter in "G`":
            self.move(count - 1, self.y)
        elif letter == "d":
            self.move(self.x, count - 1)
        elif letter in "Hf":
            self.move((n[1] or 1) - 1 if len(n) > 1 else 0, count - 1)
        elif letter == "J":
            first, last = {0: (self.y + 1, self.lines), 1: (0, self.y), 2: (0, self.lines), 3: (0, 0)}[n[0]]
            for y in range(first, last):
                self.blank(y, 0, self.columns)
            if n[0] < 2:
                self.edit("K", n, 1)
        elif letter == "K":
            self.blank(self.y, *{0: (self.x, self.columns), 1: (0, self.x + 1), 2: (0, self.columns)}[n[0]])
        elif letter == "X":
            self.blank(self.y, self.x, min(self.x + count, self.columns))
        elif letter == "P":
            del row[self.x:self.x + count]
            row += [" "] * (self.columns - len(row))
        elif letter == "@":
            row[self.x:self.x] = [" "] * count
            del row[self.columns:]
        elif letter == "b":
            for _ in range(count):
                self.put(self.last)
        elif letter in "LM":
            top, self.top = self.top, self.y
            self.scroll(count if letter == "M" else -count)
            self.top = top
        elif letter in "ST":
            self.scroll(count if letter == "S" else -count)
        elif letter == "r":
            self.top, self.bottom = count - 1, (n[1] if len(n) > 1 and n[1] else self.lines) - 1
            self.move(0, 0)
        elif letter == "m":
            self.colours.update(code for code in n if 30 <= code <= 38 or 40 <= code <= 48 or 90 <= code <= 107)


class Terminal:
    def __init__(self, command, columns=80, lines=24, **environment):
        self.screen = Screen(columns, lines)
        self.master, self.slave = pty.openpty()
        self.set_size(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        self.partial = b""
        self.error = open(ct.WORK / "terminal.err", "w+")
        command = ["setsid", "-c", *command]
        environment = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
        self.process = ct.spawn(command, stdin=self.slave, stdout=self.slave, stderr=self.error, close_fds=True,
                                env={k: v for k, v in {**os.environ, **environment}.items() if v is not None})
        self.pid = self.process.pid

    def set_size(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns, lines):
        self.pump(0)
        self.screen.resize(columns, lines)
        self.set_size(columns, lines)

    def pump(self, seconds):
        """Reads the program's output, for at most this long; returns False if nothing came."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            read = self.partial + os.read(self.master, BYTES_AT_ONCE)
        except OSError:
            return False
        text = read.decode("utf-8", "ignore")
        whole = len(text.encode())
        self.partial = read[whole:] if len(read) - whole < 4 else b""
        self.screen.feed(text if self.partial or whole == len(read) else read.decode("utf-8", "replace"))
        return True

    def text(self):
        return "\n".join(self.screen.rows())

    def row(self, number):
        return self.screen.rows()[number]

    def wait(self, condition, timeout=ct.PATIENCE):
        """Continues until the screen satisfies the condition; returns its last value."""
        deadline = time.monotonic() + timeout
        while not (value := condition()) and time.monotonic() < deadline:
            self.pump(0.1)
            if self.process.poll() is not None and not self.pump(0):
                return condition()
        return value

    def press(self, *keys):
        """Names of KEYS, or text."""
        for key in keys:
            os.write(self.master, KEYS.get(key, key).encode())

    def end(self, timeout=ct.PATIENCE):
        """Waits for the program's end; returns its status."""
        self.wait(lambda: self.process.poll() is not None, timeout)
        status = self.process.poll()
        if status is None:
            self.process.kill()
            status = self.process.wait()
        while self.pump(0):
            pass
        return status

    def errors(self):
        self.error.seek(0)
        return self.error.read()

    def restored(self):
        """Whether the program left the terminal as it was before."""
        return termios.tcgetattr(self.slave) == self.before and not self.screen.alternate and self.screen.cursor_shown

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
        self.error.close()
