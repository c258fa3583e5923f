"""Runs the commands of a page for users, word for word but for the port and the folder of the jars. A test compares what they print with
the page, and script/pictures takes pictures of what they leave.

A block of commands is a fenced block marked sh. A comment after it, `shows: PATTERN`, is what its output has to contain.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import candortest as ct

BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:<!-- shows: (.*?) -->)?", re.MULTILINE | re.DOTALL)


def run(page, folder, java):
    """(status, [(commands, pattern, output)]) of the page's blocks, all in one shell in this new folder."""
    folder.mkdir()
    for example in (ct.ROOT / "examples/java").iterdir():
        shutil.copy(example, folder)
    blocks = BLOCK.findall(page.read_text().replace("8080", str(free_port())).replace("/usr/share/java", str(ct.BUILD)))
    script = "set -e\n" + "".join(f"{{\n{text}}} >{index}.out 2>&1\n" for index, (text, _) in enumerate(blocks))
    path = f"{ct.PROGRAM.parent}:{pathlib.Path(java).parent}:{os.environ['PATH']}"
    shell = ct.spawn(["bash", "-c", "set -m\n" + script], cwd=folder, env={**os.environ, "PATH": path}, start_new_session=True,
                     stdin=subprocess.DEVNULL)
    status = shell.wait(ct.PATIENCE + 200)
    end_children(folder)
    outputs = [folder / f"{index}.out" for index in range(len(blocks))]
    return status, [(text, pattern, o.read_text() if o.exists() else "") for (text, pattern), o in zip(blocks, outputs)]


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def end_children(folder):
    """Ends what the page left running: the processes that work in its folder."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass
