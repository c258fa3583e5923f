#!/usr/bin/env python3
"""Makes pictures of every state of the viewer, to look at after a change of style: light and dark, wide and narrow.

usage: tests/browser/screenshots.py DIRECTORY
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("CANDOR_BUILD", str(ROOT / "build"))
import flamepage
import profiles

SIZES = (("light", 1280, 900), ("dark", 1280, 900), ("light", 400, 800))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    flamepage.need()
    profile = profiles.everyday()
    with flamepage.Flame() as page:
        for scheme, width, height in SIZES:
            page.prefer(scheme)
            page.window(width, height)
            for name, data, fragment, dialog in (("zoomed", profile.json(), "#zoom=3", None), *flamepage.states(profile)):
                page.show_json(data, fragment)
                if dialog:
                    page.click_on("#" + dialog)
                file = directory / ("%s-%s-%d.png" % (name.replace(" ", "-"), scheme, width))
                page.screenshot(file)
                print(file)


main()
