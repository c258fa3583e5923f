#!/usr/bin/env python3
"""Rules of alerts changed over HTTP: the server's file gets a section, has one replaced or loses one, and nothing else in it changes; what
is wrong changes nothing; who may do it, and that the audit log tells who did.

tier: default
timeout: 300
"""
import json
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server

HEAD = "# our alerts; \u00e4\n[send ops]\ntype = webhook\nurl = http://127.0.0.1:9/x\n\n"
FIRST = "[alert first]\n  # why: incident 7\n; and another\nvalue = cores\nabove = 3\n"
SECOND = "\n# about the second\n  [ alert   second ]  \nvalue=cores\n  above = 5\n; the end\n"
NEW = '[alert third]\nselect = service="shop"\nvalue = self\nmethod = ^demo\\.\nabove = 5%\n'
COMMENTS = "  # why: incident 7\n; and another\n"
RULE = "[alert {}]\nvalue = cores\nabove = {}\n"


def post(server, path, body):
    status, _, content = server.request("POST", path, json.dumps(body).encode() if not isinstance(body, bytes) else body)
    return status, content.decode()


def save(server, text, replaces=None):
    return post(server, "/v1/alerts/rules", {"text": text, "replaces": replaces})


def rules(server):
    return json.loads(server.request("GET", "/v1/alerts")[2])["rules"]


def in_use(server, *wanted):
    found = lambda: [(rule["name"], rule["above"]) for rule in rules(server)]
    ct.ok(ct.wait_until(lambda: found() == list(wanted)), f"the server uses {wanted}", found())


def check_changes(server, path):
    status, answer = save(server, NEW)
    ct.ok(status == 200 and path.read_text() == HEAD + FIRST + SECOND + "\n" + NEW, "a new rule becomes the last section", (status, answer))
    ct.ok(path.stat().st_mode & 0o777 == 0o640 and not path.with_name(path.name + ".new").exists(), "the file keeps its permissions")
    in_use(server, ("first", "3"), ("second", "5"), ("third", "5%"))
    changed = RULE.format("first", 4)
    ct.ok(save(server, changed, "first")[0] == 200 and path.read_text() == HEAD + COMMENTS + changed + SECOND + "\n" + NEW,
          "a rule is replaced; its comments stay, and so does all else", path.read_text())
    in_use(server, ("first", "4"), ("second", "5"), ("third", "5%"))
    renamed = RULE.format("2nd", 5).rstrip("\n")
    ct.ok(save(server, renamed, "second")[0] == 200, "a rule gets another name")
    in_use(server, ("first", "4"), ("2nd", "5"), ("third", "5%"))
    ct.ok("# about the second\n" + renamed + "\n; the end\n" in path.read_text(), "in its place", path.read_text())
    ct.ok(post(server, "/v1/alerts/rules/delete", {"name": "third"})[0] == 200 and NEW not in path.read_text(), "a rule is deleted")
    in_use(server, ("first", "4"), ("2nd", "5"))


def check_refused(server, path):
    before, good = path.read_text(), RULE.format("x", 1)
    for text, replaces, code, word in (
            (RULE.format("first", 1), None, 409, "already"), ("[alert x]\nvalue = cores\n", None, 400, "above"),
            (RULE.format("first", 1), "2nd", 409, "already"), (good, "y", 400, "no rule 'y'"), (good + "to = none\n", None, 400, "none"),
            ("[send x]\ntype = slack\n", None, 400, "section"), (good + RULE.format("z", 1), None, 400, "one section"),
            (7, None, 400, "body")):
        got = save(server, text, replaces)
        ct.ok(got[0] == code and word in got[1], f"{text!r} in place of {replaces} is refused", got)
    for end, body in (("", b"{"), ("", {"text": NEW, "replaces": 7}), ("/delete", {}), ("/delete", {"name": "none"})):
        got = post(server, "/v1/alerts/rules" + end, body)
        ct.ok(got[0] == 400, f"{body} is refused", got)
    aside = path.with_name(path.name + ".new")
    aside.mkdir()
    got = save(server, NEW)
    aside.rmdir()
    ct.ok(got[0] >= 400 and "cannot write" in got[1], "a file that cannot be written is reported", got)
    ct.ok(path.read_text() == before and len(rules(server)) == 2, "and nothing changes")
    path.write_text(before + "\0# what comes after a zero byte\n")
    got = save(server, NEW)
    ct.ok(got[0] == 400 and "zero byte" in got[1] and path.read_text().startswith(before + "\0#"), "a file that is no text stays", got)
    path.write_text(before)


def versions(server):
    return {rule["name"]: rule["version"] for rule in rules(server)}


def check_two_people(server, path):
    """Two people change a rule that both have read: the second change is refused, until its author has read the first one."""
    seen = versions(server)
    ct.ok(len(set(seen.values())) == 2 and all(len(version) == 32 for version in seen.values()), "each rule has a version", seen)
    match = lambda version: {"If-Match": f'"{version}"'}
    send = lambda end, body, headers: server.request("POST", "/v1/alerts/rules" + end, json.dumps(body).encode(), headers)
    change = lambda above: {"text": RULE.format("first", above), "replaces": "first"}
    status, _, said = send("", change(7), match(seen["first"]))
    ct.ok(status == 200, "the first change is made", said)
    status, _, said = send("", change(8), match(seen["first"]))  # at once: the rules in use are still the old ones
    ct.ok(status == 412 and b"was changed since it was read" in said and "above = 7" in path.read_text(),
          "the second is refused, also before the server uses the first", (status, said))
    status, _, said = send("/delete", {"name": "first"}, match(seen["first"]))
    ct.ok(status == 412 and "above = 7" in path.read_text(), "so is a deletion", (status, said))
    in_use(server, ("first", "7"), ("2nd", "5"))
    now = versions(server)
    ct.ok(now["2nd"] == seen["2nd"] and now["first"] != seen["first"], "only the changed rule has another version", (seen, now))
    ct.ok(send("", change(4), match(now["first"]))[0] == 200, "with the version of the first change the second is made")
    in_use(server, ("first", "4"), ("2nd", "5"))
    ct.ok(send("", {"text": NEW}, match(now["first"]))[0] == 400 and send("", change(1), {"If-Match": "7"})[0] == 400
          and "above = 4" in path.read_text(), "a version needs a rule, and quotes")
    check_other_name(server, send, match)
    check_at_once(server, path)


def check_other_name(server, send, match):
    seen = versions(server)["2nd"]
    rename = lambda old, new, version: send("", {"text": RULE.format(new, 5), "replaces": old}, match(version))[0]
    ct.ok(rename("2nd", "other", seen) == 200, "somebody gives a rule another name")
    in_use(server, ("first", "4"), ("other", "5"))
    status, _, said = send("", {"text": RULE.format("2nd", 6), "replaces": "2nd"}, match(seen))
    ct.ok(status == 412 and b"was deleted since it was read" in said,
          "whoever still has the old one is refused, also when the server uses the new one", (status, said))
    ct.ok(rename("other", "2nd", versions(server)["other"]) == 200, "the rule gets its name again")
    in_use(server, ("first", "4"), ("2nd", "5"))


def check_at_once(server, path):
    gate, seen = threading.Barrier(6), []
    version = versions(server)["first"]

    def one(above):
        gate.wait()
        body = json.dumps({"text": RULE.format("first", above), "replaces": "first"}).encode()
        seen.append((server.request("POST", "/v1/alerts/rules", body, {"If-Match": f'"{version}"'})[0], above))

    people = [threading.Thread(target=one, args=(above,)) for above in range(20, 26)]
    for person in people:
        person.start()
    server.process.send_signal(signal.SIGHUP)
    for person in people:
        person.join()
    saved = [above for status, above in seen if status == 200]
    ct.ok(sorted(status for status, _ in seen) == [200] + [412] * 5 and f"above = {saved[0]}\n" in path.read_text(),
          "of six people at the same time, while the server reads its files again, one saves the rule", seen)
    in_use(server, ("first", str(saved[0])), ("2nd", "5"))
    save(server, RULE.format("first", 4), "first")
    in_use(server, ("first", "4"), ("2nd", "5"))


def check_link(server, path):
    real = path.with_name("real.conf")
    path.rename(real)
    path.symlink_to(real)
    ct.ok(save(server, NEW)[0] == 200 and path.is_symlink() and real.read_text().endswith(NEW), "a link stays a link")
    in_use(server, ("first", "4"), ("2nd", "5"), ("third", "5%"))


def check_tokens(path):
    tokens, log = ct.WORK / "edit.tokens", ct.WORK / "audit.log"
    secrets = {name: ct.candor("server", "--token-file", tokens, "--new-token", f"{name}:{may}").out.strip()
               for name, may in (("host", "write"), ("reader", "read"), ("both", "read,write"), ("some", "read,write:service=shop"))}
    server = Server("edit-tokens", "--alerts", path, "--token-file", tokens, "--audit-log", log)
    got = {}
    for name, server.token in secrets.items():
        got[name] = save(server, RULE.format("by-" + name, 1))[0]
    ct.ok(got == {"host": 403, "reader": 403, "both": 200, "some": 403}, "it needs both scopes, for all services", got)
    told = [line for line in log.read_text().splitlines() if "/v1/alerts/rules" in line]
    ct.ok(any("by-both" in line for line in told) and any("403" in line for line in told),
          "the audit log has who changed what, and who was refused", told)
    server.end()


def main():
    path = ct.WORK / "alerts.conf"
    path.write_text(HEAD + FIRST + SECOND)
    path.chmod(0o640)
    server = Server("edit", "--alerts", path)
    check_changes(server, path)
    check_refused(server, path)
    check_two_people(server, path)
    check_link(server, path)
    ct.ok(server.end() == 0, "the server ends well")
    bare = Server("bare")
    ct.ok(save(bare, NEW)[0] == 400, "a server without a file of rules has none to change")
    bare.end()
    check_tokens(path)
    ct.done()


if __name__ == "__main__":
    main()
