"""The viewer's states, looked at by axe-core (accessibility): nothing serious, in light and dark, wide and narrow.

axe-core comes from npm, as the system has it configured, once, into ~/.cache/candor/npm.

tier: default
timeout: 600
"""

import shutil

import flamepage
import profiles
from flamepage import ct

AXE = "axe-core@4.10.3"
CACHE = ct.JDKS.parent / "npm"
SOURCE = CACHE / "node_modules" / "axe-core" / "axe.min.js"

RUN = """const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations.map(
    ({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 3).map((n) => n.html.slice(0, 120)) }))),
    (error) => done([{ id: String(error), impact: "critical", where: [] }]));"""


def fetch():
    """axe-core's text; ends the test as skipped when there is none to be had."""
    if not SOURCE.exists():
        if not shutil.which("npm"):
            ct.skip("accessibility of the viewer", "npm is not installed")
            ct.done()
        done = ct.run("npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", CACHE, AXE)
        if not SOURCE.exists():
            ct.skip("accessibility of the viewer", "npm cannot get %s: %s" % (AXE, done.err.strip().splitlines()[-1:]))
            ct.done()
    return SOURCE.read_text(encoding="utf-8")


def main():
    flamepage.need()
    axe = fetch()
    profile = profiles.everyday()
    with flamepage.Flame() as page:
        for scheme, size in (("light", (1280, 900)), ("dark", (1280, 900)), ("light", (400, 800))):
            page.prefer(scheme)
            page.window(*size)
            for text, data, fragment, dialog in flamepage.states(profile):
                page.show_json(data, fragment)
                if dialog:
                    page.click_on("#" + dialog)
                page.run(axe + "; window.axe = axe;")
                found = page.ask("POST", "/execute/async", {"script": RUN, "args": []})
                serious = [v for v in found if v["impact"] in ("serious", "critical")]
                ct.ok(not serious, "%s, %d px, %s: axe finds nothing serious" % (scheme, size[0], text), serious)
                for violation in found:
                    if violation not in serious:
                        ct.note("%s: %s %s" % (text, violation["id"], violation["where"]))
        page.show(profile)
        page.run("document.getElementById('title').parentElement.innerHTML = '<button></button>'; " + axe + "; window.axe = axe;")
        found = page.ask("POST", "/execute/async", {"script": RUN, "args": []})
        ct.ok(any(v["id"] == "button-name" for v in found), "a button without a name would be found", found)
    ct.done()


main()
