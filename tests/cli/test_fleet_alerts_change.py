#!/usr/bin/env python3
"""Alerts on changes: a method that grew on all hosts fires, by name; one that was renamed, grew on one host or did not change does not.
A baseline of several days has the interval of their differences. Shares of methods by patterns are counted by hand, over two days, of which
the second has names that the first did not.

tier: default
timeout: 120
"""
import collections
import json
import math
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

NOW, HOUR, DAY = 1_690_002_000, 3600, 86400
END = NOW // HOUR * HOUR + HOUR
HOSTS = 8
METHODS = ["app.Cart.get", "app.Cart.put", "app.Tax.of", "app.Web.page", "app.Db.read", "app.Log.line"]
EVEN = [30, 10, 10, 20, 20, 10]
CHANGE = "[alert grown]\neach = service\nvalue = change\nabove = {above}\nbaseline = {baseline}\nwindow = 1h\ninterval = 1h\ndelay = 0s\n" \
         "type = cpu:samples\n"
USUAL = '[alert usual]\nselect = service="usual"\nvalue = rate\nabove = 1.5\nbaseline = {baseline}\nwindow = 1h\ninterval = 1h\n' \
        "delay = 0s\ntype = cpu:samples\n"
SHARE = '[alert share]\nselect = service="renamed"\nvalue = {value}\nmethod = {method}\nabove = 50%\nwindow = 1h\ninterval = 1h\n' \
        "delay = 0s\ntype = cpu:samples\n"
DAYS = (1000, 1100, 900, 1050)  # samples of an hour, one to four days ago


def send(server, service, host, begin, stacks):
    body = "".join(f"java.lang.Thread.run;app.Main.serve;{method};java.util.HashMap.get {n}\n" for method, n in stacks.items()).encode()
    status, answer = server.send(body, service=service, host=host, **{"from": begin})
    ct.ok(status == 200, f"{service} on {host} is taken", answer)


def fill(server):
    """Each host has its own mix, the same on both days, up to the draw; its load differs. Returns the stacks of `renamed`, by day."""
    rng, renamed = random.Random(7), (collections.Counter(), collections.Counter())
    for host in range(HOSTS):
        mix = [weight * rng.uniform(0.7, 1.4) for weight in EVEN]
        for day in (1, 0):
            grown = [*mix[:2], mix[2] * (1 if day else 2.5), *mix[3:]]
            alone = [*mix[:2], mix[2] * (1 if day or host else 2.5), *mix[3:]]
            for service, weights in (("grown", grown), ("even", mix), ("renamed", mix), ("one", alone)):
                names = ["app.Levy.of" if one == "app.Tax.of" and service == "renamed" and not day else one for one in METHODS]
                counts = collections.Counter(rng.choices(names, weights, k=rng.randint(3000, 6000)))
                send(server, service, f"h{host}", NOW - day * DAY, counts)
                renamed[day].update(counts if service == "renamed" else {})
    for day, n in enumerate((3000, *DAYS)):
        send(server, "usual", "h", NOW - day * DAY, {"app.Web.page": n})
    return renamed


def preview(server, draft):
    return server.get("/v1/alerts/preview", **{"from": END - 1, "to": END, "points": "true", "draft": draft})


def changes(server):
    answer = preview(server, CHANGE.format(above="2%", baseline="day"))
    points = {point["of"]: point for point in answer["points"]}
    ct.ok(set(points) == {"grown", "even", "renamed", "one", "usual"} and answer["windows"] == 5, "one window for each service", answer)
    found = points["grown"]
    changed = server.get("/v1/changes", **{"select": 'service="grown"', "before": "yesterday", "from": END - HOUR, "to": END,
                                           "type": "cpu:samples", "all": 1})["changes"]
    total = next(one for one in changed if one["method"] == "app.Tax.of" and one["figure"] == "total")
    ct.ok(found["method"] == "app.Tax.of" and 0.02 < found["low"] < found["value"] < found["high"] and
          0.8 < found["value"] / total["change"] < 1.25, "the method that grew, by its name, as much as /v1/changes says", (found, total))
    for service in ("even", "renamed", "one"):
        point = points[service]
        ct.ok((point["value"], point["low"], point["high"]) == (0, 0, 0) and "method" not in point, f"{service}: nothing grew", point)
    ct.ok(points["usual"]["value"] is None, "one host whose samples are all in one block of time: nothing is known", points["usual"])
    fired = [(one["of"], one["method"]) for one in answer["firings"]]
    ct.ok(fired == [("grown", "app.Tax.of")], "it fires for one service", answer["firings"])
    high = preview(server, CHANGE.format(above="50%", baseline="day"))
    ct.ok(high["count"] == 0, "not above a higher threshold", high["firings"])
    other = preview(server, CHANGE.format(above="2%", baseline="day") + "method = Cart\n")
    ct.ok(other["count"] == 0, "nor for other methods", other["firings"])
    none = preview(server, CHANGE.format(above="2%", baseline="previous"))
    ct.ok(none["windows_without_data"] == 5 and none["rule"]["baseline"] == "previous", "nor against a window without data", none)


def seasons(server):
    for n in (3, 4):
        point = preview(server, USUAL.format(baseline=f"{n} days"))["points"][0]
        mean, deviation = statistics.mean(DAYS[:n]), statistics.stdev(DAYS[:n])
        reach = {3: 4.302653, 4: 3.182446}[n] * deviation * math.sqrt(1 + 1 / n)
        now = 3000 / HOUR / math.exp(1.959964 / math.sqrt(3000))
        low = 3000 / mean * math.exp(-math.hypot(math.log(3000 / HOUR / now), math.log((mean + reach) / mean)))
        close = abs(point["value"] - 3000 / mean) < 1e-3 and abs(point["low"] - low) < 1e-3
        ct.ok(close, f"{n} days: the ratio to their mean", (point, low))
    few = preview(server, USUAL.format(baseline="3 weeks"))
    ct.ok(few["points"][0]["value"] is None and few["count"] == 0, "weeks without data: nothing is known", few)


def shares(server, renamed):
    """One preview of both days, so that a pattern meets the names of both."""
    patterns = (("total", "Tax", lambda name: "Tax" in name), ("total", "Levy|Cart", lambda name: name[4:8] in ("Levy", "Cart")),
                ("total", "Main|HashMap", lambda _: True), ("total", ".*", lambda _: True), ("self", "HashMap", lambda _: True),
                ("self", "Tax", lambda _: False))
    for value, method, has in patterns:
        answer = server.get("/v1/alerts/preview", **{"from": END - DAY, "to": END, "points": "true",
                                                     "draft": SHARE.format(value=value, method=method)})
        points = {point["at"]: point for point in answer["points"]}
        for day in (1, 0):
            point, counts = points[END - day * DAY], renamed[day]
            wanted = sum(n for name, n in counts.items() if has(name)) / counts.total()
            ct.ok(abs(point["value"] - wanted) < 1e-5 and point["samples"] == counts.total(), f"{value} of {method}", (point, wanted))


def fires(server):
    """The rule in the file of a server: its alert names the method, and so does the table."""
    path = ct.WORK / "alerts.conf"
    path.write_text(CHANGE.format(above="2%", baseline="day"))
    checked = ct.candor("server", "--check-alerts", path)
    ct.ok(checked.status == 0, "--check-alerts", checked)
    shown = json.dumps(preview(server, path.read_text())["rule"])
    ct.ok('"value": "change"' in shown and '"above": "2%"' in shown, "the rule as it was written", shown)


def main():
    server = Server("change")
    renamed = fill(server)
    changes(server)
    seasons(server)
    shares(server, renamed)
    fires(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
