#!/usr/bin/env python3
"""script/site: every page is there, its links lead somewhere within the site, it loads nothing from elsewhere, and the search finds.

tier: default
timeout: 120
sanitize: no
"""
import html
import json
import pathlib
import re
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pages

LINK = re.compile(r' (?:href|src)="([^"]+)"')
LOADED = re.compile(r'<(?:script|link|img|iframe)[^>]* (?:href|src)="([^"]+)"')
# What readers ask for, and a page of which a section must have all of the words.
QUESTIONS = {"kubernetes root": "docs/faq.html", "approximate mean": "docs/faq.html", "upgrade": "docs/install.html",
             "coordinated omission": "docs/load.html", "gate": "docs/agent.html", "holds lock": "docs/faq.html"}


def check_links(site, files):
    """Every link of every page, with its anchor."""
    texts = {path: path.read_text() for path in files if path.suffix == ".html"}
    ids = {path: set(re.findall(r' id="([^"]+)"', text)) for path, text in texts.items()}
    dead, foreign, seen = [], [], 0
    for path, text in texts.items():
        foreign += [link for link in LOADED.findall(text) if re.match(r"([a-z]+:)?//", link)]
        for link in map(html.unescape, LINK.findall(text)):
            if re.match(r"[a-z]+:", link):
                continue
            seen += 1
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            if target not in files or (anchor and anchor not in ids[target]):
                dead.append(f"{path.relative_to(site)}: {link}")
    ct.ok(seen > 2000 and not dead, f"{seen} links lead somewhere", dead)
    ct.ok(not foreign, "nothing is loaded from elsewhere", foreign)


def check_search(site):
    sections = json.loads((site / "search-index.js").read_text().removeprefix("window.sections = ").removesuffix(";\n"))
    for question, page in QUESTIONS.items():
        found = [address for address, title, text in sections if all(word in (title + " " + text).lower() for word in question.split())]
        ct.ok(any(address.startswith(page + "#") for address in found), f"'{question}' is on {page}", found[:20])


def main():
    site = ct.WORK / "site"
    result = ct.run(ct.ROOT / "script/site", site)
    if not ct.ok(result.status == 0, "script/site", result):
        ct.done()
    site = site.resolve()
    files = {path for path in site.rglob("*") if path.is_file()}
    names = {path.relative_to(site).as_posix() for path in files}
    wanted = {page.relative_to(ct.ROOT).as_posix()[:-3] + ".html" for page in pages.every()} - {"README.html"} | {"index.html"}
    ct.ok(wanted <= names, f"{len(wanted)} pages are there", wanted - names)
    check_links(site, files)
    check_search(site)
    again = ct.run(ct.ROOT / "script/site", ct.WORK)
    ct.ok(again.status == 1 and "is no site" in again.err, "a folder that is no site is refused", again)
    ct.done()


main()
