#!/usr/bin/env python3
"""The five-minute start and the tutorials: their commands run one after the other (tests/lib/tutorials.py), and each shows what the text
says it shows.

tier: full
timeout: 900
sanitize: no
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import tutorials

PAGES = [ct.ROOT / "docs/start.md", *sorted((ct.ROOT / "docs/tutorials").glob("*.md"))]


def written(folder):
    """What the page's commands wrote into files of text, for a test that fails: what the load saw, and what was recorded."""
    return "".join(f"\n{path.name}:\n{path.read_text(errors='replace')[-1500:]}" for path in sorted(folder.glob("*.txt")))


def main():
    ct.need(ct.PROGRAM)
    jdk = ct.some(ct.jdks({8: "Shop.java is started from its source, which came with 11"}), 17, 21)[0]
    for page in PAGES:
        status, blocks = tutorials.run(page, ct.WORK / page.stem, jdk.java)
        ct.ok(status == 0 and blocks, f"{page.name}: {len(blocks)} blocks of commands succeed",
              "".join(output for _, _, output in blocks)[-3000:] + written(ct.WORK / page.stem))
        for text, pattern, output in blocks:
            if pattern:
                ct.ok(re.search(pattern, output), f"{page.name}: shows {pattern}", text + output[:1500] + written(ct.WORK / page.stem))
    ct.done()


main()
