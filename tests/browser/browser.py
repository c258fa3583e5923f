"""A headless Chromium for tests, driven through chromedriver's HTTP interface (W3C WebDriver) with nothing but the
standard library.

    missing = browser.missing()                 # names what is not installed, or None
    with browser.Browser() as page:
        page.open("/tmp/flame.html")            # a file, opened from disk
        page.run("return document.title")
        page.click(120, 80); page.press("a"); page.screenshot("/tmp/shot.png")

The browser has a new profile directory, uses no network, and ends when the block ends.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
]

KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Backspace": "\ue003",
    "Home": "\ue011",
    "Tab": "\ue004",
    "Shift": "\ue008",
    "Control": "\ue009",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}


def program(*names):
    return next(filter(None, map(shutil.which, names)), None)


def missing():
    if not program("chromium", "chromium-browser", "google-chrome"):
        return "chromium is not installed"
    if not program("chromedriver"):
        return "chromedriver is not installed"
    return None


class BrowserError(Exception):
    pass


class Browser:
    def __init__(self, width=1280, height=800):
        self.profile = tempfile.mkdtemp(prefix="candor-browser-")
        self.session = None
        self.driver = subprocess.Popen(
            [program("chromedriver"), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            self.address = "http://127.0.0.1:%s" % self.driver_port()
            self.start()
            self.window(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        except (OSError, BrowserError):
            pass
        self.driver.terminate()
        try:
            self.driver.wait(60)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def driver_port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return found.group(1)
        raise BrowserError("chromedriver ended before it was ready")

    def start(self):
        options = {
            "binary": program("chromium", "chromium-browser", "google-chrome"),
            "args": FLAGS + ["--user-data-dir=" + self.profile],
        }
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.request("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = answer["sessionId"]
        self.ask("POST", "/timeouts", {"script": 100_000})  # ms; a busy machine is slow

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise BrowserError("%s: %s" % (value["error"], value["message"].split("\n")[0])) from None

    def ask(self, method, path, body=None):
        return self.request(method, "/session/%s%s" % (self.session, path), body)

    # The page.

    def open(self, path, fragment=""):
        # Without this, the same document with another fragment would not be loaded again.
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri() + fragment})

    def run(self, script, *args):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def settle(self):
        """Waits until the page has drawn its present state."""
        self.ask(
            "POST",
            "/execute/async",
            {
                "script": "const done = arguments[0];"
                "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))",
                "args": [],
            },
        )

    def wait_for(self, script, *args, seconds=120):
        """Waits until the script returns something true, and returns that."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *args)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.02)

    def back(self):
        self.ask("POST", "/back", {})

    def messages(self):
        """What the page has written to the console since the last call, including errors and refused resources."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def devtools(self, command, **params):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def window(self, width, height, ratio=1):
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False
        )

    def prefer(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    # Mouse and keys.

    def act(self, *sources):
        self.ask("POST", "/actions", {"actions": list(sources)})
        self.settle()

    def move(self, x, y):
        self.act(self.pointer({"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}))

    def click(self, x, y):
        self.act(
            self.pointer(
                {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            )
        )

    def double_click(self, x, y):
        """Clicks twice. The count of clicks is part of the events, so it does not depend on how fast the machine is."""
        at = {"x": round(x), "y": round(y)}
        self.devtools("Input.dispatchMouseEvent", type="mouseMoved", **at)
        for count in (1, 2):
            for kind in ("mousePressed", "mouseReleased"):
                self.devtools("Input.dispatchMouseEvent", type=kind, button="left", clickCount=count, **at)
        self.settle()

    @staticmethod
    def pointer(*actions):
        return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}

    def click_on(self, selector):
        element = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        self.ask("POST", "/element/%s/click" % next(iter(element.values())), {})
        self.settle()

    def press(self, *keys, shift=False):
        """Presses keys one after the other: names from KEYS, or characters."""
        strokes = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        if shift:
            strokes = (
                [{"type": "keyDown", "value": KEYS["Shift"]}] + strokes + [{"type": "keyUp", "value": KEYS["Shift"]}]
            )
        self.act({"type": "key", "id": "keyboard", "actions": strokes})

    def type(self, text):
        self.press(*text)
