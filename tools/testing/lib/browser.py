# SPDX-License-Identifier: GPL-2.0
"""Drive a headless Chromium by its debugging pipe (Chrome DevTools Protocol)."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, path="chromium"):
        self.profile = tempfile.mkdtemp()
        to_r, self.to = os.pipe()
        self.frm, from_w = os.pipe()

        def plumb():
            # Chromium reads commands from 3 and writes answers to 4; ours may be those.
            a, b = os.dup(to_r), os.dup(from_w)
            a, b = os.dup(a), os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--window-size=1280,900", "--user-data-dir=" + self.profile,
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=plumb, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_r)
        os.close(from_w)
        self.buffer, self.last, self.session = b"", 0, None

    def command(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(method + ": " + str(answer["error"]))
                return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            data = os.read(self.frm, 1 << 16)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def open(self, url):
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        self.command("Page.enable")
        self.command("Network.enable")
        # Whoever wants the network would not get it.
        self.command("Network.emulateNetworkConditions", offline=True, latency=0,
                     downloadThroughput=0, uploadThroughput=0)
        self.command("Page.navigate", url=url)
        while self.read().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression, wait=False):
        """The value; with @wait that of a promise."""
        result = self.command("Runtime.evaluate", expression=expression, returnByValue=True,
                              awaitPromise=wait)
        if "exceptionDetails" in result:
            raise RuntimeError(expression + ": " + str(result["exceptionDetails"]))
        return result["result"].get("value")

    def place(self, element):
        """The middle of an element, scrolled into view."""
        return json.loads(self.evaluate(
            "(()=>{const e=%s;e.scrollIntoView({block:'nearest'});const r=e.getBoundingClientRect();"
            "return JSON.stringify([r.x+r.width/2,r.y+r.height/2])})()" % element))

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                         clickCount=1)

    def type(self, text):
        self.command("Input.insertText", text=text)

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                         windowsVirtualKeyCode=code)

    def screenshot(self, path):
        data = self.command("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()
        # Its children may write to the profile for a moment yet.
        for _ in range(50):
            shutil.rmtree(self.profile, ignore_errors=True)
            if not os.path.exists(self.profile):
                return
            time.sleep(0.1)
