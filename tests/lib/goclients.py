"""Programs in Go that take the place of other tools' clients: built once from their sources, with the modules that go.sum names."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

import candortest as ct

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor" / "go"
BUILD_SECONDS = 200


def version_of(go):
    found = re.search(r"go(\d+)\.(\d+)", subprocess.run([go, "version"], capture_output=True, text=True, check=False).stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def build(name, source=None):
    """The program of tests/NAME, or of the folder `source`; None after a skip that says why it cannot be built."""
    source = source or pathlib.Path(__file__).resolve().parents[1] / name
    wanted = tuple(map(int, re.search(r"^go (\d+)\.(\d+)", (source / "go.mod").read_text(), re.M).groups()))
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not go or version_of(go) < wanted:
        ct.skip(f"{name}'s client in Go", f"there is no Go {wanted[0]}.{wanted[1]} here")
        return None
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(source.iterdir()))).hexdigest()[:16]
    program = CACHE / f"{name}-{digest}"
    if program.exists():
        return program
    CACHE.mkdir(parents=True, exist_ok=True)
    part = ct.WORK / f"{name}-client"
    try:
        subprocess.run([go, "build", "-o", part, "."], cwd=source, capture_output=True, text=True, timeout=BUILD_SECONDS, check=True,
                       env=dict(os.environ, GOTOOLCHAIN="local", GOFLAGS="-buildvcs=false -mod=readonly"))
    except subprocess.SubprocessError as problem:
        said = (getattr(problem, "stderr", None) or str(problem)).strip().splitlines()[-1]
        ct.skip(f"{name}'s client in Go", f"it cannot be built: {said[:200]}")
        return None
    os.replace(shutil.copy(part, program.with_suffix(f".{os.getpid()}")), program)
    return program
