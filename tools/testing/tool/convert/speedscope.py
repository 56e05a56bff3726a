# SPDX-License-Identifier: GPL-2.0
"""speedscope.py INDEX.html PROFILE.json PICTURE.png: opens a profile in speedscope's own web
application, in TAP: its title, and its table of functions beside the samples in the file."""
import base64
import collections
import json
import os
import sys
import time

from browser import Browser
from tap import done, ok

index, profile, picture = sys.argv[1:4]

with open(profile, 'rb') as f:
    data = f.read()
j = json.loads(data)
first = j['profiles'][0]
total, own = collections.Counter(), collections.Counter()
for stack, weight in zip(first['samples'], first['weights']):
    names = [j['shared']['frames'][i]['name'] for i in stack]
    own[names[-1]] += weight
    total.update(dict.fromkeys(names, weight))

# A page of file: may load a script of file:, but no other file.
load = os.path.realpath(profile) + '.js'
with open(load, 'w') as f:
    f.write("speedscope.loadFileFromBase64('profile.json', '%s')" % base64.b64encode(data).decode())

UNIT = {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}


def nanoseconds(text):
    text = text.split(' (')[0]
    unit = text.lstrip('0123456789.')
    return float(text[:-len(unit)]) * UNIT[unit]


def wait(b, text):
    for _ in range(200):
        shown = b.evaluate('document.body.innerText')
        if text in shown:
            break
        time.sleep(0.1)
    return shown


b = Browser()
try:
    b.open('file://' + index + '#localProfilePath=' + load)
    title = '%s (1/%d)' % (first['name'], len(j['profiles']))
    shown = wait(b, title)
    ok(title in shown, 'it shows ' + title)
    b.screenshot(picture)
    b.evaluate("[...document.querySelectorAll('div')].filter(d => d.innerText && "
               "d.innerText.includes('Sandwich') && d.children.length < 2).pop().click()")
    wait(b, 'Symbol Name')
    rows = b.evaluate("JSON.stringify([...document.querySelectorAll('tr')].map(r => "
                      "[...r.querySelectorAll('td')].map(d => d.innerText.trim())))")
    # Another table lists the profiles.
    rows = [r for r in json.loads(rows) if len(r) == 3 and '%' in r[0]]
    ok(len(rows) >= min(10, len(total)), 'the table has rows: %d of %d' % (len(rows), len(total)))
    bad = [r for r in rows if abs(nanoseconds(r[0]) - total[r[2]]) > total[r[2]] / 100 or
           abs(nanoseconds(r[1]) - own[r[2]]) > own[r[2]] / 100]
    ok(not bad, 'each with the times of the file %s' % bad[:3])
finally:
    b.close()
done()
