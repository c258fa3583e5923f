#!/usr/bin/env python3
"""The five-minute start and the tutorials: their commands run one after the other, word for word but for the port and the folder of
the jars, and each shows what the text says it shows.

A block of commands is a fenced block marked sh. A comment after it, `shows: PATTERN`, is what its output has to contain.

tier: full
timeout: 900
sanitize: no
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

PAGES = [ct.ROOT / "docs/start.md", *sorted((ct.ROOT / "docs/tutorials").glob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:<!-- shows: (.*?) -->)?", re.MULTILINE | re.DOTALL)


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def run_page(page, jdk):
    """[(commands, pattern, output)] of the page's blocks, all in one shell."""
    folder = ct.WORK / page.stem
    folder.mkdir()
    for example in (ct.ROOT / "examples/java").iterdir():
        shutil.copy(example, folder)
    blocks = BLOCK.findall(page.read_text().replace("8080", str(free_port())).replace("/usr/share/java", str(ct.BUILD)))
    script = "set -e\n" + "".join(f"{{\n{text}}} >{index}.out 2>&1\n" for index, (text, _) in enumerate(blocks))
    path = f"{ct.PROGRAM.parent}:{pathlib.Path(jdk.java).parent}:{os.environ['PATH']}"
    shell = ct.spawn(["bash", "-c", "set -m\n" + script], cwd=folder, env={**os.environ, "PATH": path}, start_new_session=True,
                     stdin=subprocess.DEVNULL)
    status = shell.wait(ct.PATIENCE + 200)
    end_children(folder)
    outputs = [(folder / f"{index}.out") for index in range(len(blocks))]
    ct.ok(status == 0 and blocks, f"{page.name}: {len(blocks)} blocks of commands succeed",
          "".join(o.read_text() for o in outputs if o.exists())[-3000:])
    return [(text, pattern, o.read_text() if o.exists() else "") for (text, pattern), o in zip(blocks, outputs)]


def end_children(folder):
    """Ends what the page left running: the processes that work in its folder."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass


def main():
    ct.need(ct.PROGRAM)
    jdk = ct.some(ct.jdks({8: "Shop.java is started from its source, which came with 11"}), 17, 21)[0]
    for page in PAGES:
        for text, pattern, output in run_page(page, jdk):
            if pattern:
                ct.ok(re.search(pattern, output), f"{page.name}: shows {pattern}", text + output[-3000:])
    ct.done()


main()
