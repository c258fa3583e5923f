#!/usr/bin/env python3
"""How targets of alerts are told: by e-mail with TLS and a password, by a webhook with a template, by a real Alertmanager; and a rule that
asks for a profile when it fires.

tier: default
timeout: 300
"""
import base64
import email
import email.policy
import http.server
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pprofs
from servers import Server, certificate

RULE = """
[alert busy]
select = env="live"
each = service
value = cores
above = 0.5
window = 4s
interval = 1s
delay = 2s
label.team = shop
annotation.summary = größer "als" sonst\\n.
action = profile wall,lock 2m 5
"""
TEMPLATE = '{"what": "{{status}}", "who": "{{ of }}", "team": "{{label.team}}", "why": "{{annotation.summary}}", "none": "{{label.x}}", ' \
    '"value": {{value}}, "test": {{test}}, "since": "{{startsAt}}", "text": "{{text}}"}'


class Mailbox:
    """An SMTP server that takes letters: [(recipients, letter)], and what clients said."""

    def __init__(self, pair=None, password=None, refuse=None):
        self.pair, self.password, self.refuse, self.letters, self.said = pair, password, refuse, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        def say(text):
            connection.sendall(text.encode() + b"\r\n")

        lines, secure, known, to = connection.makefile("rb"), False, not self.password, []
        say("220 here")
        for raw in iter(lines.readline, b""):
            line = raw.decode().rstrip("\r\n")
            self.said.append(("tls " if secure else "") + line)
            word = line.split(" ")[0].split(":")[0].upper()
            if word == "EHLO":
                offers = (["STARTTLS"] if self.pair and not secure else []) + (["AUTH PLAIN"] if self.password and secure else [])
                for offer in offers:
                    say(f"250-{offer}")
                say("250 8BITMIME")
            elif word == "STARTTLS":
                say("220 go")
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*self.pair)
                try:
                    connection = context.wrap_socket(connection, server_side=True)
                except (ssl.SSLError, OSError):
                    return
                lines, secure = connection.makefile("rb"), True
                self.serve_rest(lines, say_to(connection), known)
                return
            elif not self.common(word, line, lines, say, known, to):
                return

    def serve_rest(self, lines, say, known):
        to = []
        for raw in iter(lines.readline, b""):
            line = raw.decode().rstrip("\r\n")
            self.said.append("tls " + line)
            word = line.split(" ")[0].split(":")[0].upper()
            if word == "EHLO":
                if self.password:
                    say("250-AUTH PLAIN")
                say("250 8BITMIME")
            elif word == "AUTH":
                answer = line.split(" ")[2] if len(line.split(" ")) > 2 else ""
                if not answer:
                    say("334 ")
                    answer = lines.readline().decode().strip()
                known = base64.b64decode(answer) == f"\0{self.password[0]}\0{self.password[1]}".encode()
                say("235 yes" if known else "535 no")
            elif not self.common(word, line, lines, say, known, to):
                return

    def common(self, word, line, lines, say, known, to):
        if word == "MAIL":
            say("250 ok" if known else "530 who are you?")
        elif word == "RCPT":
            address = line[line.index("<") + 1:line.index(">")]
            to.append(address)
            say("550 nobody" if address == self.refuse else "250 ok")
        elif word == "DATA":
            say("354 go on")
            letter = b""
            while (part := lines.readline()) not in (b".\r\n", b""):
                letter += part
            self.letters.append((list(to), letter))
            say("250 taken")
        elif word == "QUIT":
            say("221 bye")
            return False
        else:
            say("250 ok")
        return True

    def close(self):
        self.listener.close()


def say_to(connection):
    return lambda text: connection.sendall(text.encode() + b"\r\n")


def web():
    got = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            got.append((self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return got, server.server_address[1]


class Manager:
    """A real Alertmanager, if there is one."""

    def __init__(self):
        folder = ct.WORK / "manager"
        folder.mkdir()
        (folder / "conf.yml").write_text("route: {receiver: nobody, group_wait: 0s}\nreceivers: [{name: nobody}]\n")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = ct.spawn(["prometheus-alertmanager", f"--config.file={folder}/conf.yml", f"--storage.path={folder}",
                                 f"--web.listen-address=127.0.0.1:{self.port}", "--cluster.listen-address="],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def alerts(self):
        import urllib.request
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v2/alerts", timeout=5) as answer:
                return json.loads(answer.read())
        except OSError:
            return None

    def end(self):
        self.process.terminate()
        self.process.wait(30)
        ct._alive.discard(self.process)


def feed(server, stopped, cores):
    second = 0
    while not stopped.wait(0.05):
        if int(time.time()) == second:
            continue
        second, n = int(time.time()), int(100 * cores[0])
        body = pprofs.make([("samples", "count"), ("cpu", "nanoseconds")], [("a.B.c", [n, n * 10_000_000])],
                           ("cpu", "nanoseconds", 10_000_000), second, 1)
        server.send(body, service="shöp", env="live")


def wait(condition, text, detail=lambda: None):
    until = time.monotonic() + ct.PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    ct.ok(condition(), text, detail())


def read(letter):
    return email.message_from_bytes(letter[1], policy=email.policy.default)


def check_file(good):
    path = ct.WORK / "wrong.conf"
    for text, word in (("type = email\nurl = http://a\nfrom = a@b\nrecipients = a@b", "smtp://"),
                       ("type = email\nurl = smtp://candor:geheim@a\nfrom = a@b\nrecipients = a@b", "password-file"),
                       ("type = slack\nurl = https://a/hook?token=geheim", "token-file"),
                       ("type = email\nurl = smtp://a\nrecipients = a@b", "from"),
                       ("type = email\nurl = smtp://a\nfrom = a@b", "recipients"),
                       ("type = email\nurl = smtp://a\nfrom = a b@c\nrecipients = a@b", "from"),
                       ("type = email\nurl = smtp://a\nfrom = a@b\nrecipients = a@b <c@d>", "recipients"),
                       (f"type = email\nurl = smtp://a\nfrom = a@b\nrecipients = a@{'b' * 253}", "at most 254 characters"),
                       ("type = email\nurl = smtp://a\nfrom = a@b\nrecipients = a@b\nuser = x", "password-file"),
                       ("type = email\nurl = smtp://a\nfrom = a@b\nrecipients = a@b\nuser = x\npassword-file = /y\nstarttls = if-offered",
                        "TLS"),
                       ("type = slack\nurl = http://a\nfrom = a@b", "email"),
                       ("type = webhook\nurl = http://a\ntemplate = /no", "template"),
                       (f"type = slack\nurl = http://a\ntemplate = {ct.WORK / 'body.json'}", "template"),
                       (f"type = webhook\nurl = http://a\ntemplate = {ct.WORK / 'bad.json'}", "{{what}}")):
        path.write_text(f"[send x]\n{text}\n")
        result = ct.candor("server", "--check-alerts", path)
        ct.ok(result.status == 1 and word in result.err and len(result.err.splitlines()) == 1 and "geheim" not in result.err,
              f"{text!r} is refused", result)
    for action in ("profile", "profile wall", "profile what 2m", "profile cpu 11m", "profile cpu 2m 0", "profile cpu 2m 1 x", "dance",
                   "keeps", "keep 0s", "keep 30d 21", "keep 30d 5 5"):
        path.write_text(RULE.replace("profile wall,lock 2m 5", action))
        result = ct.candor("server", "--check-alerts", path)
        ct.ok(result.status == 1 and "action" in result.err, f"action = {action} is refused", result)
    result = ct.candor("server", "--check-alerts", good)
    ct.ok(result.status == 0, "a good file is not", result)


def check_letters(safe, plain, strict):
    wait(lambda: len(safe.letters) >= 2, "a letter comes when it fires, and one at the end", lambda: safe.said[-20:])
    for letter, status in zip(safe.letters, ("firing", "resolved")):
        read_one = read(letter)
        ct.ok(letter[0] == ["ops@example.org", "chief@example.org"], f"{status}: to all recipients", letter[0])
        ct.ok(read_one["Subject"] == f"[{status}] busy shöp" and read_one["From"] == "Candor <candor@example.org>" and
              read_one["To"] == "ops@example.org, chief@example.org", f"{status}: its head", letter[1].decode())
        body = read_one.get_content()
        ct.ok(f"{status}: busy shöp" in body and 'größer "als" sonst' in body and "cores in use" in body, f"{status}: its text", body)
        ct.ok(letter[1].isascii() and max(map(len, letter[1].split(b"\r\n"))) <= 200, f"{status}: in short lines of ASCII", letter[1])
    first = safe.said.index("STARTTLS")
    ct.ok(not [line for line in safe.said[:first] if line.startswith(("MAIL", "AUTH", "RCPT"))] and
          [line for line in safe.said if line.startswith("tls AUTH")], "after TLS has begun, with the password", safe.said)
    ct.ok(read(plain.letters[0])["Subject"] == "busy!" and read(plain.letters[0]).get_content().startswith('{"what": "firing"'),
          "another one by a template, without TLS because the file says so", plain.letters[0])
    ct.ok(not strict.letters and not [line for line in strict.said if line.startswith("MAIL")], "without that, never without TLS",
          strict.said)


def check_hooks(got):
    wait(lambda: len(got) >= 2, "the webhook is told")
    for (kind, body), status in zip(got, ("firing", "resolved")):
        said = json.loads(body)
        ct.ok(kind == "application/json" and said["what"] == status and said["who"] == "shöp" and said["team"] == "shop" and
              said["why"] == RULE.split("summary = ")[1].split("\n")[0] and said["none"] == "" and said["test"] is False and
              "cores in use" in said["text"], f"{status}: by its template", body)


def main():
    pair = certificate("mail")
    (ct.WORK / "password").write_text("geheim\n")
    (ct.WORK / "body.json").write_text(TEMPLATE)
    (ct.WORK / "bad.json").write_text("{{what}}")
    got, port = web()
    safe, plain, strict = Mailbox(pair, ("candor", "geheim")), Mailbox(), Mailbox()
    manager = Manager() if shutil.which("prometheus-alertmanager") else None
    sender = "from = candor@example.org\nrecipients = ops@example.org, chief@example.org"
    path = ct.WORK / "alerts.conf"
    path.write_text(f"""
[send safe]
type = email
url = smtp://localhost:{safe.port}
ca-file = {pair[0]}
{sender}
user = candor
password-file = {ct.WORK / 'password'}
[send plain]
type = email
url = smtp://127.0.0.1:{plain.port}
starttls = if-offered
{sender}
subject = {{{{rule}}}}!
template = {ct.WORK / 'body.json'}
[send strict]
type = email
url = smtp://127.0.0.1:{strict.port}
{sender}
[send hook]
type = webhook
url = http://127.0.0.1:{port}
template = {ct.WORK / 'body.json'}
""" + (f"[send manager]\ntype = alertmanager\nurl = http://127.0.0.1:{manager.port}\nrepeat = 1s\n" if manager else "") + RULE)
    check_file(path)
    server, stopped, cores = Server("tell", "--alerts", path), threading.Event(), [2]
    thread = threading.Thread(target=feed, args=(server, stopped, cores), daemon=True)
    thread.start()
    state = lambda: {one["state"] for rule in json.loads(server.request("GET", "/v1/alerts")[2])["rules"] for one in rule["alerts"]}
    wait(lambda: state() == {"firing"}, "it fires")
    wait(lambda: json.loads(server.request("GET", "/v1/profiles")[2])["profiles"], "and asks for a profile")
    wanted = json.loads(server.request("GET", "/v1/profiles")[2])["profiles"]
    ct.ok(len(wanted) == 1 and (wanted[0]["events"], wanted[0]["seconds"], wanted[0]["jvms"], wanted[0]["by"]) ==
          ("wall,lock", 120, 5, "alert busy") and wanted[0]["select"] == 'env="live",service="shöp"', "of what it is about", wanted)
    if manager:
        wait(lambda: manager.alerts(), "a real Alertmanager has the alert")
        one = (manager.alerts() or [{}])[0]
        ct.ok(one.get("labels") == {"alertname": "busy", "service": "shöp", "team": "shop"} and one["status"]["state"] == "active",
              "with its labels, and active", one)
    else:
        ct.skip("no Alertmanager: apt-get install prometheus-alertmanager")
    cores[0] = 0.1
    wait(lambda: state() == {"resolved"}, "it resolves")
    check_letters(safe, plain, strict)
    check_hooks(got)
    if manager:
        wait(lambda: manager.alerts() == [], "the Alertmanager has it no longer", manager.alerts)
        manager.end()
    targets = {one["name"]: one for one in json.loads(server.request("GET", "/v1/alerts")[2])["targets"]}
    ct.ok(targets["strict"]["error"] and not targets["strict"]["sent"] and targets["safe"]["sent"] == 2 and not targets["safe"]["failed"],
          "the API says who could be told, and why not", targets)
    stopped.set()
    thread.join(30)
    ct.ok("geheim" not in pathlib.Path(server.log.name).read_text() + json.dumps(targets), "no password is told")
    ct.ok(server.end() == 0, "the server ends well")
    for box in (safe, plain, strict):
        box.close()
    ct.done()


if __name__ == "__main__":
    main()
