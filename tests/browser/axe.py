"""axe-core, which checks the accessibility of a page. It is fetched from npm, as the system has configured it, once, into
~/.cache/candor/npm."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

AXE = "axe-core@4.10.3"
CACHE = ct.JDKS.parent / "npm"
SOURCE = CACHE / "node_modules" / "axe-core" / "axe.min.js"

RUN = """const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations.map(
    ({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 3).map((n) => n.html.slice(0, 120)) }))),
    (error) => done([{ id: String(error), impact: "critical", where: [] }]));"""


def fetch():
    """(axe-core's text, None), or (None, the reason why it is missing)."""
    if not SOURCE.exists():
        if not shutil.which("npm"):
            return None, "npm is not installed"
        done = ct.run("npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", CACHE, AXE)
        if not SOURCE.exists():
            return None, "npm cannot get %s: %s" % (AXE, done.err.strip().splitlines()[-1:])
    return SOURCE.read_text(encoding="utf-8"), None


def violations(page, axe):
    page.run(axe + "; window.axe = axe;")
    return page.ask("POST", "/execute/async", {"script": RUN, "args": []})


def serious(found):
    return [one for one in found if one["impact"] in ("serious", "critical")]
