"""The viewer's states, checked by axe-core (accessibility): no serious problems, in light and dark, wide and narrow.

tier: default
timeout: 1200
"""

import axe
import flamepage
import profiles
from flamepage import ct


PANELS = "return [...document.querySelectorAll('#panel-bar button')].map((b) => b.innerText)"
OPEN = """[...document.querySelectorAll('#panel-bar button')].find((b) => b.innerText === arguments[0]).click();
    document.querySelectorAll('#panel details').forEach((d) => { d.open = true; })"""


def has_nothing_serious(page, source, text):
    found = axe.violations(page, source)
    serious = axe.serious(found)
    ct.ok(not serious, f"{text}: axe finds nothing serious", serious)
    for violation in found:
        if violation not in serious:
            ct.note("%s: %s %s" % (text, violation["id"], violation["where"]))


def every_kind(page, source, looks):
    """The page of a recording with everything: each kind, with its books in one look, and each panel."""
    recording = flamepage.record_kinds()
    page.file = recording.with_suffix(".html")
    made = ct.candor("report", "-o", page.file, recording)
    ct.ok(made.status == 0, "its page is written", made)
    for scheme, size in looks:
        page.prefer(scheme)
        page.window(*size)
        look = "%s, %d px" % (scheme, size[0])
        page.reopen()
        panels = page.run(PANELS)
        ct.ok(len(panels) >= 3, f"{look}: the page has panels", panels)
        for kind in ("cpu", "wall", "alloc", "live", "lock", "holder"):
            page.reopen("#kind=" + kind)
            has_nothing_serious(page, source, f"{look}, {kind}")
            if (scheme, size) == looks[0]:
                page.click_on("#books")
                has_nothing_serious(page, source, f"{look}, {kind}, books")
        for panel in panels:
            page.reopen()
            page.run(OPEN, panel)
            page.settle()
            has_nothing_serious(page, source, f"{look}, {panel}")


def main():
    flamepage.need()
    source, why = axe.fetch()
    if not source:
        ct.skip("accessibility of the viewer", why)
        ct.done()
    profile = profiles.everyday()
    looks = (("light", (1280, 900)), ("dark", (1280, 900)), ("light", (400, 800)))
    with flamepage.Flame() as page:
        for scheme, size in looks:
            page.prefer(scheme)
            page.window(*size)
            for text, data, fragment, dialog in flamepage.states(profile):
                page.show_json(data, fragment)
                if dialog:
                    page.click_on("#" + dialog)
                has_nothing_serious(page, source, "%s, %d px, %s" % (scheme, size[0], text))
        every_kind(page, source, looks)
        page.show(profile)
        page.run("document.getElementById('title').parentElement.innerHTML = '<button></button>'")
        found = axe.violations(page, source)
        ct.ok(any(v["id"] == "button-name" for v in found), "a button without a name would be found", found)
    ct.done()


main()
