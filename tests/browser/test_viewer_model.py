"""The viewer's sources: their types are right (tsc, strict), its folders import downwards, and its model, which runs in node, agrees
with whole stacks.

tier: quick
timeout: 300
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct


def types():
    done = subprocess.run(["tsc", "--project", ct.ROOT / "web"], capture_output=True, text=True)
    ct.ok(done.returncode == 0, "tsc finds nothing", done.stdout)


def floors():
    """The model does not depend on drawing, nor drawing on the page, so that other pages can use them."""
    allowed = {"model": {"model"}, "draw": {"model", "draw"}, "page": {"model", "draw", "page"},
               "fleet": {"model", "draw", "page", "fleet"}}
    wrong = []
    for file in sorted((ct.ROOT / "web").glob("*/*.ts")):
        for path in re.findall(r'from "(\.[^"]*)"', file.read_text()):
            used = (file.parent / path).resolve().parent.name
            if used not in allowed[file.parent.name]:
                wrong.append("%s/%s imports %s" % (file.parent.name, file.name, path))
    ct.ok(not wrong, "model, draw, page and fleet import downwards", wrong)


def model():
    script = ct.WORK / "model.js"
    subprocess.run(["esbuild", HERE / "model" / "main.ts", "--bundle", "--platform=node", "--target=node18",
                    "--log-level=warning", f"--outfile={script}"], check=True)
    done = subprocess.run(["node", script], capture_output=True, text=True)
    points = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
    for i, line in enumerate(done.stdout.splitlines()):
        if line.startswith("not ok "):
            ct.ok(False, line, done.stdout.splitlines()[i + 1:i + 2])
    ct.ok(len(points) > 100 and done.returncode == 0, "%d points of the model" % len(points), done.stderr)


types()
floors()
model()
ct.done()
