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
# Questions of newcomers, each with the section that answers it. It has to be among the first hits.
QUESTIONS = {
    "how do I profile in Kubernetes without root": "docs/agent.html#kubernetes",
    "what does approximate mean": "docs/faq.html#what-is-unseen-and-what-does-approximate-mean",
    "who holds the lock": "docs/faq.html#who-holds-the-lock",
    "why is nothing recorded": "docs/faq.html#nothing-is-recorded-why",
    "how much does it cost my program": "docs/faq.html#what-does-it-cost-the-program",
    "find a memory leak": "docs/tutorials/leak.html",
    "compare two versions": "docs/tutorials/regression.html",
    "coordinated omission": "docs/tutorials/benchmark.html",
    "how do I install the agent in Spring Boot": "docs/agent.html#spring-boot",
    "stop a build in CI if it became slower": "docs/agent.html#a-gate-in-ci",
    "how long does the server keep recordings": "docs/server.html#for-how-long",
    "how do I upgrade the server": "docs/server.html#upgrades",
    "send profiles to Grafana": "docs/agent.html#grafana",
    "remove passwords before I share a recording": "docs/faq.html#how-do-i-share-a-recording-without-its-secrets",
    "which endpoint is slow": "docs/tutorials/slow-endpoint.html",
    "my app is slow where do I start": "docs/faq.html#my-program-is-slow-where-do-i-start",
    "attach without restart": "docs/faq.html#must-i-restart-the-jvm-or-change-its-flags",
    "which JDK versions are supported": "docs/faq.html#which-jvms-languages-and-systems-are-supported",
    "thread is blocked": "docs/tutorials/lock.html",
    "garbage collection pauses": "docs/tutorials/pauses.html",
    "connection pool exhausted": "docs/tutorials/pool.html",
    "who allocates memory": "docs/faq.html#who-allocates-so-much-memory",
    "wall clock vs cpu": "docs/faq.html#what-is-the-difference-between-cpu-time-and-wall-clock-time",
    "how to profile startup": "docs/faq.html#how-do-i-record-the-startup-from-the-first-instruction",
    "stop a recording": "docs/faq.html#how-do-i-start-a-recording-now-and-stop-it-later",
    "where are my recordings": "docs/faq.html#where-are-my-recordings",
    "export to pprof": "docs/faq.html#how-do-i-export-to-pprof-or-save-the-flame-graph-as-svg",
    "missing symbols native code": "docs/faq.html#names-or-line-numbers-are-missing-why",
    "alert when a method gets slower": "docs/fleet.html#rules",
    "uninstall": "docs/faq.html#how-do-i-uninstall-it",
}
FIRST = 5


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
    found = ct.run("node", ct.ROOT / "tests/house/site_search.js", site, *QUESTIONS, "zzyzx")
    if not ct.ok(found.status == 0, "the search runs", found):
        return
    *hits, nothing = map(json.loads, found.out.splitlines())
    for (question, wanted), addresses in zip(QUESTIONS.items(), hits):
        ct.ok(any(address.startswith(wanted) for address in addresses[:FIRST]), f"'{question}' leads to {wanted}", addresses[:20])
    ct.ok(not nothing, "a word that no page has leads nowhere", nothing)


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
