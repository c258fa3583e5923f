#!/usr/bin/env python3
"""script/demo, the first command in the README: it records Tomcat under load, reports, and leaves a recording and a flame graph.

tier: full
timeout: 900
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def main():
    if not ct.jdk(17):
        ct.skip("script/demo", "JDK 17 is not cached: script/jdks")
        ct.done()
    result = ct.run(ct.ROOT / "script" / "demo", "2", timeout=800)
    ct.ok(result.status == 0, "script/demo ends normally", (result.out[-1500:], result.err[-1500:]))
    for name, beginning in (("recording", b"FLR"), ("flame graph", b"<!DOCTYPE html>")):
        path = re.search(rf"^{name}: +(/.*)$", result.out, re.M)
        content = pathlib.Path(path[1]).read_bytes() if path else b""
        ct.ok(content[:15].lower().startswith(beginning.lower()), f"it leaves a {name}", (path and path[0], content[:15]))
    ct.ok("Books" in result.out and "org.apache." in result.out, "and shows the report of Tomcat", result.out[:2000])
    ct.done()


main()
