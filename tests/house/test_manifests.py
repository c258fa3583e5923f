#!/usr/bin/env python3
"""The manifests of dist/: each option in them is one of the programs, and each document is one that Kubernetes' API takes.

tier: quick
timeout: 60
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

DIST = pathlib.Path(__file__).resolve().parents[2] / "dist"
SCHEMAS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor" / "kubernetes"
VERSIONS = ("1.27", "1.31", "1.34")
MANIFESTS = sorted((DIST / "kubernetes").glob("*.yaml"))


def commands():
    """(file, command, options) of each command in the manifests, also of those in comments."""
    for name in ("kubernetes/server.yaml", "kubernetes/daemon.yaml", "kubernetes/receiver.yaml", "kubernetes/pair.yaml"):
        text = (DIST / name).read_text()
        yield name, re.search(r"args:\n +- (\w+)\n", text)[1], re.findall(r"- --([a-z0-9-]+)(?:=|\s)", text)
    for words in re.findall(r"command: \[([^]]*)\]", (DIST / "compose.yaml").read_text()):
        yield "compose.yaml", words.split(",")[0], re.findall(r"--([a-z0-9-]+)=", words)


def check_options():
    for name, command, options in commands():
        known = re.findall(r"--([a-z0-9-]+)", ct.candor("help", command, "--all").out)
        ct.ok(options and set(options) <= set(known), f"{name}: options of candor {command}", sorted(set(options) - set(known)))


def check_list():
    listed = set(re.findall(r"- (\w+\.yaml)", (DIST / "kubernetes" / "kustomization.yaml").read_text())) | {"kustomization.yaml"}
    ct.ok(listed == {path.name for path in MANIFESTS}, "kustomization.yaml lists all", sorted(listed))


def check_schemas():
    if not SCHEMAS.is_dir():
        ct.skip("the schemas of Kubernetes", "they are not here; script/kubernetes fetches them")
        return
    sys.path.insert(0, str(SCHEMAS))
    import kubernetes_validate
    import yaml
    documents = [(path.name, document) for path in MANIFESTS if path.name != "kustomization.yaml"
                 for document in yaml.safe_load_all(path.read_text())]
    ct.ok(len(documents) >= 8, "documents are found", len(documents))
    for version in VERSIONS:
        for name, document in documents:
            try:
                kubernetes_validate.validate(document, version, strict=True)
                problem = None
            except kubernetes_validate.ValidationError as e:
                problem = str(e)
            ct.ok(problem is None, f"{name}: {document['kind']} is one of Kubernetes {version}", problem)
    broken = dict(documents[0][1], spec={"selector": 7})
    try:
        kubernetes_validate.validate(broken, VERSIONS[0], strict=True)
        ct.ok(False, "a wrong document is refused")
    except kubernetes_validate.ValidationError:
        ct.ok(True, "a wrong document is refused")


check_options()
check_list()
check_schemas()
ct.done()
