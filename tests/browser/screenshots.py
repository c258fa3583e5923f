#!/usr/bin/env python3
"""Makes pictures of every state of the viewer, to look at after a change of style: light and dark, wide and narrow.

usage: tests/browser/screenshots.py DIRECTORY [PAGE.html...]

With pages, such as those of 'candor report -o PAGE.html', each kind of sample and each panel of them is shown instead.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("CANDOR_BUILD", str(ROOT / "build"))
import flamepage
import profiles

SIZES = tuple((scheme, width, height) for width, height in ((1440, 1000), (1024, 900), (390, 844)) for scheme in ("light", "dark"))
KINDS = """return [...document.querySelectorAll('.candor-data')].map((e) => e.dataset.kind)"""
PANELS = "return [...document.querySelectorAll('#panel-bar button')].map((b) => b.innerText)"
OPEN = "[...document.querySelectorAll('#panel-bar button')].find((b) => b.innerText === arguments[0]).click()"


def made_up(page):
    profile = profiles.everyday()
    for name, data, fragment, dialog in (("zoomed", profile.json(), "#zoom=3", None), *flamepage.states(profile)):
        page.show_json(data, fragment)
        if dialog:
            page.click_on("#" + dialog)
        yield name


def of_file(page, file):
    """Its kinds, its panels, and the dialog of its books."""
    page.file = pathlib.Path(file).resolve()
    page.reopen()
    yield "first"
    for kind in page.run(KINDS):
        page.reopen("#kind=" + kind)
        yield kind
        page.click_on("#books")
        yield kind + "-books"
    page.reopen()
    for panel in page.run(PANELS):
        page.reopen()
        page.run(OPEN, panel)
        page.run("document.querySelectorAll('#panel details').forEach((d) => { d.open = true; })")
        page.settle()
        yield "panel-" + panel.split("\n")[0].strip().replace(" ", "-")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[2])
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    flamepage.need()
    with flamepage.Flame() as page:
        for scheme, width, height in SIZES:
            page.prefer(scheme)
            page.window(width, height)
            for file in sys.argv[2:] or [None]:
                for name in of_file(page, file) if file else made_up(page):
                    stem = pathlib.Path(file).stem + "-" if file else ""
                    picture = directory / ("%s%s-%s-%d.png" % (stem, name.replace(" ", "-"), scheme, width))
                    page.screenshot(picture)
                    print(picture)


main()
