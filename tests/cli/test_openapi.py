#!/usr/bin/env python3
"""docs/formats/openapi.json has exactly the server's routes, with the parameters that server-api.md names, and a server answers as it says.

tier: default
timeout: 60
sanitize: no
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import servers

PATHS = json.loads((ct.ROOT / "docs/formats/openapi.json").read_text())["paths"]
OWN = re.compile(r"/v1/|/healthz|/readyz|/metrics")  # Pyroscope's routes have other authors
COMMON = {"type", "select", "from", "to", "format", "draft", "trace_id", "span_id", "order", "began", "value"}


def check_routes():
    source = (ct.ROOT / "src/server/answers/routes.c").read_text()
    wanted = {path for path in re.findall(r'^    \{"(/[^"]*)"', source, re.MULTILINE) if OWN.match(path)}
    # A path that ends with / is followed by the number or name of one thing.
    there = {re.sub(r"\{\w+\}$", "", path) for path in PATHS}
    ct.ok(len(wanted) > 20 and wanted - there == set(), f"{len(wanted)} routes of the server are described", wanted - there)
    ct.ok(there - wanted == {"/v1/alerts/{name}/test", "/v1/recordings/{id}/page", "/v1/reload"},
          "no others are, but the three that are no table's", there - wanted)


def check_parameters():
    """The page writes a route as `GET /path?name=&other=100`, and names the common ones and some forms in its text only."""
    page = (ct.ROOT / "docs/formats/server-api.md").read_text()
    seen = 0
    for path, parameters in re.findall(r"`GET (/v1/[\w/]+)\?([^`]*)`", page):
        seen += 1
        wanted = set(re.findall(r"(?:^|&)(\w+)=", parameters))
        there = {parameter["name"] for parameter in PATHS[path.replace("TRACE_ID", "{trace_id}")]["get"]["parameters"]
                 if parameter["in"] == "query"}
        ct.ok(wanted <= there <= wanted | COMMON, f"{path}: the parameters are those of the page", wanted ^ there)
    ct.ok(seen >= 15, f"{seen} routes of the page have parameters")


def check_answers(server):
    for path, methods in PATHS.items():
        # Some routes need a thing's name, rules of alerts, or two versions.
        if "get" not in methods or "{" in path or path.startswith("/v1/alerts") or path == "/v1/changes":
            continue
        operation = methods["get"]
        required = {parameter["name"]: "a" for parameter in operation["parameters"] if parameter["required"]}
        status, headers, content = server.request("GET", path, **required)
        kind = headers["Content-Type"].split(";")[0]
        ct.ok(status == 200 and kind in operation["responses"]["200"]["content"], f"{path}: 200, {kind}", content)
        if required:
            ct.ok(server.request("GET", path)[0] == 400, f"{path}: {', '.join(required)} is required")


def main():
    ct.need(ct.PROGRAM, ct.BUILD / "candor-server")
    check_routes()
    check_parameters()
    server = servers.Server("openapi")
    check_answers(server)
    ct.ok(server.end() == 0, "the server ends")
    ct.done()


main()
