#!/usr/bin/env python3
"""script/demo fleet, run unattended: three services with their hottest methods, the page's address, and nothing is left behind.

tier: all
timeout: 1800
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def processes(word):
    """The processes whose command line contains it."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended
        if word in text and entry.parent.name != str(os.getpid()):
            found.append(text)
    return found


def main():
    result = ct.run(ct.ROOT / "script" / "demo", "fleet", "10", timeout=1500, env={**os.environ, "TMPDIR": str(ct.WORK)})
    rows = dict(re.findall(r"^(tomcat|javac|h2) +([0-9.]+) s  [0-9.]+ % \S+", result.out, re.MULTILINE))
    ct.ok(result.status == 0 and set(rows) == {"tomcat", "javac", "h2"} and all(float(seconds) > 0 for seconds in rows.values()),
          "three services, each with its hottest method", result)
    ct.ok(re.search(r"^the fleet's page: http://127\.0\.0\.1:\d+/$", result.out, re.MULTILINE), "the page's address", result)
    ct.ok(not list(ct.WORK.glob("candor-demo.*")) and not processes(f"{ct.WORK}/candor-demo."), "nothing is left behind",
          processes(f"{ct.WORK}/candor-demo."))
    ct.done()


if __name__ == "__main__":
    main()
