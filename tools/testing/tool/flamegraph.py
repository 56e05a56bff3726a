# SPDX-License-Identifier: GPL-2.0
"""flamegraph.py FILE.svg NAME SCREENSHOT.png: work the picture as a person does, in TAP.

NAME is a frame of it that is neither the widest nor the narrowest."""
import json
import os
import sys
import xml.dom.minidom

from browser import Browser

path, name, screenshot = sys.argv[1:4]
nr = 0
failed = 0


def ok(good, what):
    global nr, failed
    nr += 1
    failed += not good
    print(("ok" if good else "not ok"), nr, "-", what, flush=True)


with open(path, encoding="utf-8") as f:
    text = f.read()
xml.dom.minidom.parseString(text)
ok(True, "well-formed XML")
urls = [w for w in ("http://", "https://") if w in text.replace("http://www.w3.org/", "")]
ok(not urls, "nothing is fetched from elsewhere")

b = Browser()
try:
    b.open("file://" + os.path.realpath(path))
    find = "boxes.find(b=>b.n===%s)" % json.dumps(name)
    total = b.evaluate("events[event].root.w")
    before = b.evaluate(find + ".r.getBoundingClientRect().width")
    ok(before > 0 and b.evaluate(find + ".w") < total, "%s is there, %d pixels wide" % (name, before))
    shown = "boxes.filter(b=>b.g.style.display!=='none').length"
    all_shown = b.evaluate(shown)

    b.click(*b.place(find + ".r"))
    ok("(" in b.evaluate("document.getElementById('details').textContent"),
       "the mouse over it: " + b.evaluate("document.getElementById('details').textContent"))
    wide = b.evaluate(find + ".r.getBoundingClientRect().width")
    window = b.evaluate("svg.getBoundingClientRect().width")
    ok(abs(wide - window) < 2, "a click makes it as wide as the window (%d of %d)" % (wide, window))
    ok(b.evaluate("boxes[0].g.classList.contains('up')"), "what is under it is pale")
    ok(b.evaluate(shown) < all_shown, "what is beside it is gone")

    b.click(*b.place("document.getElementById('reset')"))
    after = b.evaluate(find + ".r.getBoundingClientRect().width")
    ok(abs(after - before) < 1 and b.evaluate(shown) == all_shown, "a click on reset undoes it")

    spot = json.loads(b.evaluate(
        "(()=>{const r=document.getElementById('search').getBoundingClientRect();"
        "return JSON.stringify([r.x+20,r.y+r.height/2])})()"))
    b.click(*spot)
    b.type(name)
    hits = json.loads(b.evaluate(
        "JSON.stringify([...document.querySelectorAll('g.hit')].map(g=>g.getAttribute('data-n')))"))
    ok(name in hits and all(name in h for h in hits), "a search marks %d frames" % len(hits))
    found = b.evaluate("document.getElementById('found').textContent")
    share = 100 * b.evaluate("(()=>{const i=boxes.filter(b=>b.n.includes(%s)).sort((p,q)=>p.x-q.x||p.d-q.d);"
                             "let e=-1,s=0;for(const b of i)if(b.x>=e){s+=b.w;e=b.x+b.w;}return s})()"
                             % json.dumps(name)) / total
    ok(found == "matched: %.2f %%" % share, "and says how much: " + found)
    b.screenshot(screenshot)
    b.key("Escape", 27)
    ok(b.evaluate("document.querySelectorAll('g.hit').length") == 0, "Escape ends it")
    for kind, what in (("k", "kernel"), ("u", "user")):
        ok(b.evaluate("!!document.querySelector('g.b rect.%s0,g.b rect.%s1,g.b rect.%s2,g.b rect.%s3')"
                      % ((kind,) * 4)), what + " frames have their colour")
finally:
    b.close()
print("1..%d" % nr)
sys.exit(failed != 0)
