#!/usr/bin/env python3
"""Tokens that are limited to some services: the holder of such a token tries to read, write and discover data of other services, by
every route.

tier: default
timeout: 120
"""
import base64
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import otlps
import pprofs
from servers import Server

BEGIN = 1700000000
TIME = {"from": BEGIN - 86400, "to": BEGIN + 86400}
MS_TIME = {"start": (BEGIN - 86400) * 1000, "end": (BEGIN + 86400) * 1000}
JSON = {"Content-Type": "application/json"}
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
MARK = b"secret"  # everything that belongs to the other tenant has this in its name
ROUTES = re.findall(r'^    \{"(/[^"]*)", [\w |]+, \w+\}', (ct.ROOT / "src/server/answers/routes.c").read_text(), re.MULTILINE)
CALLS = re.findall(r'^    \{(?:QUERIER )?"([^"]+)", \w+, calls_\w+\},', (ct.ROOT / "src/server/connect/connect.c").read_text(),
                   re.MULTILINE)
SELECTORS = ("", 'service=~".*"', 'service!="cart"', 'service=~"shop-.*"', 'host=~"h-s.*"', 'service=""', 'nothing!="x"')


LEGACY = {"query": CPU + "{}", "leftQuery": CPU + "{}", "rightQuery": CPU + "{}", "label": "service_name", "groupBy": "service_name",
          **{f"{side}{name}": BEGIN + at for side in ("left", "right") for name, at in (("From", -600), ("Until", 600))},
          "until": BEGIN + 600}
SIDES = {"all": "1", "before": f"{BEGIN}..{BEGIN + 30}", "after": f"{BEGIN}..{BEGIN + 60}"}
MORE = ({}, {"by": "service"}, {"by": "host"}, {"format": "html"}, {"format": "collapsed"}, {"format": "pprof"}, {"match": "a"},
        {"match": "a", "by": "host"}, {"against": "none"}, LEGACY, {**LEGACY, "format": "dot"}, SIDES,
        {**SIDES, "before": 'host=~"h-s.*"', "after": 'host=~".*"'})


def make_token(tokens, wanted):
    return ct.candor("server", "--token-file", tokens, "--new-token", wanted).out.strip()


def send(server, service, host, n, **more):
    frame = f"a.Main.run;a.{service.title()}.{host}"
    status, answer = server.send(f"{frame} {n}\n".encode(), more.pop("headers", None),
                                 **{"service": service, "host": host, "from": BEGIN, "until": BEGIN + 60, **more})
    return status, answer


def ingest(server, service, host, n, begin=BEGIN):
    """A hundredth of a second of CPU time for each of n samples."""
    return server.request("POST", "/ingest", f"a.Main.run;a.{service.title()}.{host} {n}\n".encode(), format="folded",
                          name=f"{service}{{host={host},zone={host}}}", **{"from": begin, "until": begin + 60})[0]


def ask_all(server):
    """{question: (status, body)} for every route and call, with many selectors."""
    answers = {}
    for path in ROUTES:
        for select in SELECTORS:
            for more in MORE:
                status, headers, content = server.request("GET", path, **TIME, select=select, **more)
                kept = "".join(f"{name}: {value}" for name, value in headers.items() if name.startswith("X-Candor"))
                answers[path, select, *more.items()] = status, kept.encode() + content
    for name in CALLS:
        path = name if name.startswith("/") else f"/querier.v1.QuerierService/{name}"
        for select in SELECTORS:
            of = {"profileTypeID": CPU, "labelSelector": "{" + select + "}", "step": 60, "groupBy": ["service_name", "host"], **MS_TIME}
            body = {**of, "matchers": ["{" + select + "}"] if select else [], "name": "service_name", "left": of, "right": of}
            for kind in ("json", "proto") if name == "SelectMergeProfile" else ("json",):
                status, _, content = server.request("POST", path, json.dumps(body).encode(), {"Content-Type": f"application/{kind}"})
                answers[path, select, kind] = status, content
    for name in ("service_name", "host", "zone", "endpoint"):
        body = {"name": name, **MS_TIME}
        answers[name] = server.request("POST", "/querier.v1.QuerierService/LabelValues", json.dumps(body).encode(), JSON)[::2]
    return answers


def leaks(answers):
    return [what for what, (_, content) in answers.items() if MARK in content.lower()]


def check_reading(server, all_token, cart_token):
    server.token = all_token
    ingest(server, "shop-secret", "h-secret", 500, int(time.time()) - 90)
    labels = {"endpoint": "/secret", "trace_id": TRACE, "span_id": TRACE[:16]}
    server.send(pprofs.make([("cpu", "nanoseconds")], [("a", [1], labels)], start=BEGIN), service="shop-secret")
    wanted = server.request("POST", "/v1/profiles", json.dumps({"select": 'service="shop-secret"'}))
    ct.ok(wanted[0] == 200, "a profile of the other tenant is asked for", wanted)
    said = server.request("POST", "/v1/profiles/poll", json.dumps({"host": "h-secret", "recorded": 7, "not_recorded": [
        {"service": "shop-secret", "main": "Secret", "reason": "secret"}], "not_recorded_left_out": 3}))
    ct.ok(said[0] == 200, "a daemon tells of the other tenant's JVMs", said)
    seen = leaks(ask_all(server))
    paths = {what[0] for what in seen}
    silent = {"/healthz", "/readyz", "/", "/pyroscope/label-names",
              "/v1/profiles/poll",  # takes messages only: test_fleet_profile.py sends some
              "/v1/findings",  # test_fleet_findings.py has recordings with findings
              # Those about alerts and tokens are only for tokens for all services, as is shown below.
              "/v1/alerts", "/v1/alerts/preview", "/v1/alerts/silences", "/v1/alerts/silences/end", "/v1/tokens",
              "/v1/alerts/rules", "/v1/alerts/rules/delete",
              *(path for path in ROUTES if re.search(r"\.(js|css)$", path))}
    calls = {f"/querier.v1.QuerierService/{name}" for name in ("Series", "SelectSeries", "SelectHeatmap", "SelectMergeStacktraces", "Diff")}
    unseen = (set(ROUTES) - silent | calls) - paths
    ct.ok(not unseen, "a token for all services sees the other tenant by each route, so the search below could find it", unseen)
    readers = {str(path.relative_to(ct.ROOT / "src/server")) for path in (ct.ROOT / "src/server").rglob("*.c")
               if "selector_parse(" in path.read_text() and path.parent.name != "alerts"}  # the operator chooses its selectors
    # wanted.c only checks a text; requests.c adds the pattern of the token that asked.
    ct.ok(readers == {"request/question.c", "profiles/wanted.c", "profiles/requests.c"},
          "selectors are read in one place, which restricts them", readers)
    ids = {one["service"]: one["id"] for one in server.get("/v1/recordings", **TIME)["recordings"]}
    server.token = cart_token
    before = ask_all(server)
    ct.ok(len(ROUTES) >= 12 and len(CALLS) >= 14 and not leaks(before), "a token for one service sees nothing of the other by any route",
          leaks(before))
    ct.ok({status for status, _ in before.values()} <= {200, 400, 403, 404, 415, 501}, "and no route fails",
          {what: answer for what, answer in before.items() if answer[0] >= 500})
    refused = [before[path, ""][0] for path in ("/metrics", "/v1/alerts", "/v1/alerts/preview", "/v1/alerts/silences")]
    ct.ok(refused == [403] * 4, "/metrics and alerts are of all services, so they are refused", refused)
    ct.ok(server.total(**TIME) == 70 * 10**7 and server.total('service="cart"', **TIME) == 70 * 10**7, "its own sum is whole",
          server.total(**TIME))
    ct.ok([one["name"] for one in server.get("/v1/storage")["services"]] == ["cart"], "storage: its own", server.get("/v1/storage"))
    other, none = (server.request("GET", f"/v1/recordings/{number}")[::2] for number in (ids["shop-secret"], 99999))
    ct.ok(other[0] == none[0] == 404 and other[1].replace(str(ids["shop-secret"]).encode(), b"N") == none[1].replace(b"99999", b"N"),
          "another's recording is as one that there is not", (other, none))
    ct.ok(server.request("GET", f"/v1/recordings/{ids['cart']}")[0] == 200, "its own is there")
    seen = server.get(f"/v1/spans/{TRACE}", **TIME)
    ct.ok(seen["trace"] is None, "another's trace is as one that there is not", seen)
    server.token = all_token
    ct.ok(server.get(f"/v1/spans/{TRACE}", **TIME)["trace"]["endpoint"] == "/secret", "it is there for a token of all services")
    for n in range(5):
        ingest(server, "shop-secret", f"h-secret-{n}", 1000 + n)
    server.token = cart_token
    after = ask_all(server)
    ct.ok(before == after, "what the other sends changes no byte of any answer", [what for what in before if before[what] != after[what]])


def pairs(server, writes):
    """{question: (answer about the other tenant, the same about what there is not)}, names made equal."""
    found = {}

    def ask(what, method, path, body=None, headers=None, **parameters):
        both = []
        for service, host in (("shop-secret", "h-secret"), ("shop-nobody", "h-nobody")):
            fill = lambda text: text.replace("SERVICE", service).replace("HOST", host) if isinstance(text, str) else text
            status, kept, content = server.request(method, fill(path), body and fill(body).encode(), headers,
                                                   **{name: fill(value) for name, value in parameters.items()})
            kept = sorted((name, value) for name, value in kept.items() if name != "Date")
            both.append(str((status, kept, content)).replace(service, "SERVICE").replace(host, "HOST"))
        found[what] = tuple(both)

    for path in ROUTES:
        for select in ('service="SERVICE"', 'host="HOST"', 'service=~"SERVICE|cart"', 'service="SERVICE",host=~"HOST.*"', "service=SERVICE",
                       'x~"SERVICE"'):
            for more in ({}, {"by": "host"}, {"by": "service"}, {"match": "HOST"}, {"all": "1", "before": select, "after": 'host!="HOST"'}):
                ask((path, select, *more), "GET", path, **TIME, select=select, **more)
    for path in ("/v1/services/SERVICE", "/v1/recordings/SERVICE", "/v1/findings/SERVICE", "/SERVICE"):
        ask(path, "GET", path)
    for name in CALLS:
        path = name if name.startswith("/") else f"/querier.v1.QuerierService/{name}"
        of = {"profileTypeID": CPU, "labelSelector": '{service_name="SERVICE"}', "step": 60, "groupBy": ["host"], **MS_TIME}
        body = {**of, "matchers": ['{host="HOST"}'], "name": "SERVICE", "left": of, "right": of}
        ask(name, "POST", path, json.dumps(body), JSON)
    for path in () if not writes else ("/v1/recordings?service=SERVICE", "/v1/recordings?service=SERVICE&host=HOST",
                                       "/ingest?name=SERVICE%7Bhost=HOST%7D&format=folded"):
        ask(path, "POST", path, "a.B.c 1\n")
    return found


def check_inferring(server, all_token, cart_token):
    """The other tenant's name, and one that nobody has, are answered alike: with the same status, headers, texts and counts."""
    server.token = all_token
    differ = [what for what, (one, other) in pairs(server, writes=False).items() if one != other]
    ct.ok(len(differ) > 20, f"for a token of all services, {len(differ)} questions show which of the two there is")
    server.token = cart_token
    found = pairs(server, writes=True)
    differ = {what: both for what, both in found.items() if both[0] != both[1]}
    ct.ok(not differ, f"for a token of another service, none of {len(found)} does", differ)
    tries = (("POST", "/v1/reload"), ("POST", "/v1/alerts/x/test"), ("POST", "/v1/alerts/silences"), ("POST", "/v1/alerts/silences/end"),
             ("GET", "/metrics"))
    statuses = [server.request(method, path)[0] for method, path in tries]
    ct.ok(statuses == [403] * 5, "what is about all services is refused, also with the scope admin", statuses)


def push(server, *names):
    profile = pprofs.make((("samples", "count"), ("cpu", "nanoseconds")), [("a", (1, 10**7))], start=BEGIN)
    series = [{"labels": [{"name": "__name__", "value": "process_cpu"}, {"name": "service_name", "value": name}],
               "samples": [{"rawProfile": base64.b64encode(profile).decode()}]} for name in names]
    return server.request("POST", "/push.v1.PusherService/Push", json.dumps({"series": series}).encode(), JSON)


def check_writing(server, all_token, cart_token):
    server.token = cart_token
    tries = {
        "a parameter": send(server, "shop-secret", "x", 7)[0],
        "the last of two parameters": server.request("POST", "/v1/recordings?service=cart&service=shop-secret", b"a 1\n")[0],
        "label.service": server.request("POST", "/v1/recordings?service=cart&label.service=shop-secret", b"a 1\n")[0],
        "a header": send(server, "cart", "x", 7, headers={"X-Candor-Label": "service=shop-secret"})[0],
        "a name that only begins so": send(server, "cart-secret", "x", 7)[0],
        "/ingest": server.request("POST", "/ingest", b"a 1\n", name="shop-secret", format="folded")[0],
        "/ingest's service_name": server.request("POST", "/ingest", b"a 1\n", name="cart{service_name=shop-secret}", format="folded")[0],
        "push.v1": push(server, "shop-secret")[0], "push.v1 without a name": push(server, "")[0],
    }
    maker = otlps.Maker()
    maker.resource({"service.name": "shop-secret"},
                   maker.profile("samples", "count", [("f", [3], [])], BEGIN * 10**9, ("cpu", "nanoseconds", 10**7)))
    tries["OTLP"] = server.request("POST", "/v1development/profiles", maker.message(), {"Content-Type": "application/x-protobuf"})[0]
    ct.ok(set(tries.values()) == {403}, "another's service cannot be written in any way", tries)
    status, _, content = push(server, "shop-secret", "cart")
    ct.ok(status == 403 and b"1 of 2" in content and b"permission_denied" in content, "of two series the other's is refused", content)
    first = send(server, "cart", "k", 5, headers={"Idempotency-Key": "k1"})
    again = send(server, "cart", "k", 6, headers={"Idempotency-Key": "k1"})
    ct.ok(first[0] == 200 and again == (200, {**first[1], "duplicate": True}), "a key works within the service", (first, again))
    server.token = all_token
    status, answer = send(server, "shop-secret", "k", 9, headers={"Idempotency-Key": "k1"})
    ct.ok(status == 200 and not answer["duplicate"] and server.total('service="shop-secret"', type="cpu:samples", **TIME) == 9,
          "a key that another tenant used drops nothing", answer)
    metrics = server.metrics()
    ct.ok(server.balances() and metrics['candor_server_recordings_refused_total{reason="not_allowed"}'] == len(tries) + 1,
          "each refusal is counted once", metrics)
    names = {one["name"] for one in server.get("/v1/services", **TIME)["services"]}
    ct.ok(names == {"shop-secret", "cart"}, "and nothing of them was kept", names)


def check_scopes(server, write_only):
    server.token = write_only
    ct.ok(send(server, "cart", "w", 1)[0] == 200 and server.request("GET", "/v1/services")[0] == 403,
          "a token that may only write its service")
    ct.ok(server.request("GET", "/healthz")[0] == 200, "/healthz wants no scope")


def check_making():
    tokens = ct.WORK / "made"
    for wrong in ("a", "a:", "a:x", "a:read:", "a:read:shop", "a:read:service=", "a:read:service=a||b", "a:read:service=|a", "a b:read",
                  "a:read:service=" + "x" * 300):
        result = ct.candor("server", "--token-file", tokens, "--new-token", wrong)
        ct.ok(result.status == 2 and "--new-token" in result.err and not tokens.exists(), f"--new-token '{wrong[:30]}': refused", result)
    make_token(tokens, "team:read,write,admin:service=my shop|cart-*")
    line = tokens.read_text()
    ct.ok(re.fullmatch(r"team read,write,admin [0-9a-f]{64} service=my shop\|cart-\*\n", line), "the line of a token", line)
    for wrong, said in ((line.replace("service", "host"), "line 1"), (line + line, "line 2"), (line.replace("admin", "root"), "line 1")):
        tokens.write_text(wrong)
        result = ct.candor("server", "--token-file", tokens, "--data", ct.WORK / "none")
        ct.ok(result.status == 1 and said in result.err and result.err.count("\n") == 1, "a wrong line is named", result)


def main():
    tokens = ct.WORK / "tokens"
    all_token, cart_token, write_only = (make_token(tokens, wanted) for wanted in
                                         ("all:read,write,profile", "cart:read,write,admin:service=cart", "w:write:service=c?rt|none"))
    pull = ct.WORK / "pull.conf"
    pull.write_text("[pull one]\nurl = http://secret.invalid\nservice = shop-secret\ninterval = 1h\n")
    # No roll-ups: they are made at some time, and change what /v1/storage says of the own service.
    server = Server("tenants", "--token-file", tokens, "--retain-hours", "0", "--pull", pull, token=all_token)
    for service, host, n in (("shop-secret", "h-secret", 300), ("cart", "plain", 70)):
        ct.ok(ingest(server, service, host, n) == 200, f"{service} is taken")
    check_reading(server, all_token, cart_token)
    check_writing(server, all_token, cart_token)
    check_scopes(server, write_only)
    check_inferring(server, all_token, cart_token)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    check_making()
    ct.done()


if __name__ == "__main__":
    main()
