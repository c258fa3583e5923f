#!/usr/bin/env python3
"""The pages are right where a program can tell: links lead somewhere, commands and options exist, figures are those of their source.

tier: default
timeout: 120
sanitize: no
"""
import pathlib
import re
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pages

# (page, words with the figure in brackets, file, where the same figure is)
FIGURES = (
    ("docs/comparison.md", r"right in (\d+) of \d+ runs", "docs/benchmarks/truth.md", r"^\| candor \| (\d+) \|"),
    ("docs/comparison.md", r"`cpu` was wrong in (\d+) of them", "docs/benchmarks/truth.md", r"^\| async-profiler, cpu \| \d+ \| (\d+) \|"),
    ("docs/comparison.md", r"two timers in (\d+) and", "docs/benchmarks/truth.md", r"^\| async-profiler, itimer \| \d+ \| (\d+) \|"),
    ("docs/comparison.md", r"timers in \d+ and (\d+)", "docs/benchmarks/truth.md", r"^\| async-profiler, ctimer \| \d+ \| (\d+) \|"),
    ("docs/comparison.md", r"wrong in (\d+) of the runs above", "docs/benchmarks/truth.md",
     r"^\| JDK Flight Recorder \| \d+ \| (\d+) \|"),
    ("docs/comparison.md", r"CPU-time sampler of JDK 25 was wrong in (\d+) of", "docs/benchmarks/truth.md",
     r"^\| JDK Flight Recorder, CPU time \| \d+ \| (\d+) \|"),
    ("docs/faq.md", r"default interval of (\d+) ms", "docs/man/candor-record.1", r"CPU time \(default (\d+)ms\)"),
    ("docs/faq.md", r"up to (\w+) recordings can run at once", "docs/formats/control.md", r"(?i)up to (\w+) recordings"),
    ("docs/install.md", r"glibc (2\.\d+) or later", "dist/package/tarball", r"^GLIBC_FLOOR=(\S+)"),
    ("docs/agent.md", r"needs glibc (2\.\d+) or later", "dist/package/tarball", r"^GLIBC_FLOOR=(\S+)"),
    ("README.md", r"HotSpot JDK ([\d, and]+) on", "CHANGELOG.md", r"First version: JDK ([\d, and]+) on"),
)
README_LINES = 120


def check_links():
    """Every link to a file of the repository, and to a heading in it."""
    texts = {page: page.read_text() for page in pages.every()}
    dead, seen = [], 0
    for page, text in texts.items():
        for link in pages.links(text):
            if re.match(r"[a-z]+:", link):
                continue
            seen += 1
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and target in texts and anchor not in pages.anchors(texts[target])):
                dead.append(f"{page.relative_to(ct.ROOT)}: {link}")
    ct.ok(seen > 300 and not dead, f"{seen} links lead somewhere", dead)


def options_of(command):
    """The options that the manual page of a command knows."""
    text = ct.run(ct.PROGRAM, "help", "--man", command).out.replace("\\-", "-")
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text.replace("\\fB", " ").replace("\\fR", " ")))


def invocations(text):
    """(command, options) of each call of candor in code. A call ends at a pipe, at the next command, or at blanks before an explanation."""
    for block in pages.code(text):
        for line in block.replace("\\\n", " ").splitlines():
            for call in re.findall(r"(?:^|[\s(`/$])candor ([a-z]+)((?: [^|;&#`)]*)?)", line):
                words = re.split(r" -- |  ", call[1])[0].split()
                yield call[0], [option[0] for option in map(re.compile(r"--?[a-zA-Z][\w-]*").match, words) if option]


def check_commands():
    """Every `candor COMMAND --option` in the pages that users read."""
    known = {command: options_of(command) for command in re.findall(r"^  ([a-z]+)  ", ct.run(ct.PROGRAM, "help").out, re.MULTILINE)}
    wrong, seen = [], 0
    for page in pages.for_users():
        for command, options in invocations(page.read_text()):
            seen += 1
            if command not in known:
                wrong.append(f"{page.name}: candor {command}")
                continue
            wrong += [f"{page.name}: candor {command} {option}" for option in options
                      if option not in known[command] and option[:2] not in known[command]]
    ct.ok(len(known) > 20 and seen > 150 and not wrong, f"{seen} commands and their options exist", wrong)


def check_figures():
    for page, words, source, place in FIGURES:
        said = re.search(words, (ct.ROOT / page).read_text().replace("\n", " "))
        true = re.search(place, (ct.ROOT / source).read_text(), re.MULTILINE)
        ct.ok(said and true and said[1] == true[1], f"{page}: {words}: as in {source}", (said and said[1], true and true[1]))
    lines = len((ct.ROOT / "README.md").read_text().splitlines())
    ct.ok(lines <= README_LINES, f"README.md has {lines} lines, at most {README_LINES}")


def main():
    ct.need(ct.PROGRAM)
    check_links()
    check_commands()
    check_figures()
    ct.done()


main()
