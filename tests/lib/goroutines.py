"""The library in Go that tests/java/Goroutines.java loads."""
import os
import shutil
import subprocess

import candortest as ct

SOURCE = ct.ROOT / "tests" / "jvm" / "goroutines.go"


def library():
    """None if Go is not installed."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not go:
        return None
    made = ct.WORK / "libgoroutines.so"
    environment = dict(os.environ, GO111MODULE="off", GOTOOLCHAIN="local", CGO_ENABLED="1", GOCACHE=str(ct.BUILD / "go-cache"),
                       GOPATH=str(ct.WORK / "go"))
    subprocess.run([go, "build", "-buildmode=c-shared", "-o", made, SOURCE], check=True, env=environment)
    return made
