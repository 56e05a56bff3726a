# SPDX-License-Identifier: GPL-2.0
"""flamegraph-more.py NARROW.svg EVENTS.svg DOWN.svg: what is too narrow to draw, several events,
and a graph that begins at the top, in TAP. report/flamegraph.t says what is in them."""
import os
import sys

from browser import Browser
from tap import done, ok

narrow, events, down = sys.argv[1:4]
b = Browser()


def found(text):
    b.evaluate("search('%s')" % text)
    return b.evaluate("document.getElementById('found').textContent")


def shown(condition):
    return b.evaluate("boxes.filter(b=>b.g&&b.g.getBoundingClientRect().width>0&&(%s)).length" %
                      condition)


try:
    b.open("file://" + os.path.realpath(narrow))
    ok(shown("b.n==='[small frames]'") == 1 and shown("b.n==='needle'") == 0, "one box for 300 small ones")
    for text, want in (("^needle$", "2.91"), ("^rare$", "0.09"), ("^(rare|needle)$", "3.00"),
                       ("^p7$", "0.01"), ("^wide$", "97.00"), ("small", "0.00"), ("n", "100.00")):
        got = found(text)
        ok(got == "matched: %s %%" % want, "search for %s: %s, wanted %s %%" % (text, got, want))
    b.evaluate("search('^needle$')")
    b.click(*b.place("boxes.find(b=>b.n==='[small frames]').r"))
    ok(shown("b.n[0]==='p'") == 300, "a click on them shows each: %d" % shown("b.n[0]==='p'"))
    ok(shown("b.n==='needle'&&b.g.classList.contains('hit')") == 291, "those that were found have the colour")
    ok(b.evaluate("document.getElementById('found').textContent") == "matched: 97.00 %",
       "and how much of them: " + b.evaluate("document.getElementById('found').textContent"))
    b.click(*b.place("boxes.find(b=>b.n==='p7').r"))
    wide = b.evaluate("boxes.find(b=>b.n==='p7').r.getBoundingClientRect().width")
    window = b.evaluate("svg.getBoundingClientRect().width")
    ok(abs(wide - window) < 2 and shown("b.n==='needle'||b.n==='rare'") == 1, "a click on one opens it")
    text = b.evaluate("document.getElementById('details').textContent")
    ok(text == "p7 (1 samples, 0.01 %)", "the mouse over it: " + text)
    b.click(*b.place("document.getElementById('reset')"))
    ok(shown("b.n==='[small frames]'") == 1 and shown("b.n==='needle'") == 0, "reset hides them again")

    b.open("file://" + os.path.realpath(events))
    names = b.evaluate("[...document.querySelectorAll('.event')].map(t=>t.textContent).join()")
    ok(names == "cpu-clock (30),page-faults (19)", "events to choose from: " + names)
    ok(b.evaluate("events[event].root.n") == "cpu-clock" and shown("b.e===0") > 5 and
       shown("b.e===1") == 0, "the first has most samples, and is shown alone")
    text = b.evaluate("events[0].root.s+', '+events[1].root.s")
    ok(text == "cpu-clock (30 samples, 100.00 %), page-faults (19 samples, 100.00 %)",
       "each is a whole: " + text)
    first = found("^map_pages$")
    b.click(*b.place("document.querySelectorAll('.event')[1]"))
    ok(b.evaluate("events[event].root.n") == "page-faults" and shown("b.e===1") > 5 and
       shown("b.e===0") == 0, "a click shows the other alone")
    second = found("^map_pages$")
    ok(first.startswith("matched: ") and second.startswith("matched: ") and first != second,
       "a search is of the one that is shown: %s, then %s" % (first, second))

    b.open("file://" + os.path.realpath(down))
    ok(b.evaluate("(()=>{const y=n=>boxes.find(b=>b.n===n).r.getBoundingClientRect().y;"
                  "return y('all')<y('wide')&&y('wide')<y('leaf')})()"), "-G: the root is at the top")
finally:
    b.close()
done()
