# SPDX-License-Identifier: GPL-2.0
"""flamegraph.py FILE.svg NAME SCREENSHOT.png: work the picture as a person does, in TAP.

NAME is a frame of it that is neither the widest nor the narrowest."""
import json
import os
import sys
import xml.dom.minidom

from browser import Browser
from tap import done, ok

path, name, screenshot = sys.argv[1:4]

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
    # A link keeps zoom, search and view; zooms are steps of the browser's history.
    b.evaluate("zoom(%s)" % find)
    b.evaluate("search('read')")
    link = b.evaluate("location.hash")
    state = "JSON.stringify([view,pattern,down,svg.classList.contains('safe'),document.querySelectorAll('g.hit').length])"
    b.key("i", 73)
    b.key("c", 67)
    both = b.evaluate("location.hash"), b.evaluate(state)
    ok(both[0] not in ("", link) and '"read",true,true' in both[1], "i: from the top, c: other colours: " + both[0])
    b.screenshot(screenshot.replace(".png", "-icicle.png"))
    b.open("file://" + os.path.realpath(path) + both[0])
    ok(b.evaluate(state) == both[1], "the address opens the same view: " + b.evaluate(state))
    b.open("file://" + os.path.realpath(path))
    below = "(t=>boxes.find(b=>b.w<events[event].root.w&&b.x<=t.x&&b.x+b.w>=t.x+t.w&&b.d<t.d))(%s)" % find
    b.evaluate("zoom(%s)" % below)
    zoomed = b.evaluate("JSON.stringify(view)")
    b.evaluate("zoom(%s)" % find)
    deeper = b.evaluate("JSON.stringify(view)")
    b.evaluate("new Promise(r=>{window.addEventListener('hashchange',()=>setTimeout(r,0),{once:true});history.back();})",
               wait=True)
    ok(b.evaluate("JSON.stringify(view)") == zoomed != deeper, "back: the zoom before")
    b.key("Escape", 27)
    ok(b.evaluate("view.w") == total, "Escape: everything")
    for key, code in (("ArrowDown", 40), ("ArrowUp", 38), ("ArrowUp", 38), ("ArrowUp", 38)):
        b.key(key, code)
    place = b.evaluate("JSON.stringify([at.d,at.w])")
    b.key("Enter", 13)
    ok(json.loads(place)[0] >= 2 and b.evaluate("view.w") == json.loads(place)[1], "arrows and Enter zoom: " + place)
    b.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    ok(b.evaluate("getComputedStyle($('back')).fill") == "rgb(27, 27, 27)", "dark mode")
    b.screenshot(screenshot.replace(".png", "-dark.png"))
    for kind, what in (("k", "kernel"), ("u", "user")):
        ok(b.evaluate("!!document.querySelector('g.b rect.%s0,g.b rect.%s1,g.b rect.%s2,g.b rect.%s3')"
                      % ((kind,) * 4)), what + " frames have their colour")
finally:
    b.close()
done()
