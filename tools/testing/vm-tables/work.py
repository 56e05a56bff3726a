# SPDX-License-Identifier: GPL-2.0
# What a stock Python does: parse, match, sort, format.
import json
import re
import sys

word = re.compile(r'(\w+)-(\d+)')
rows = [{'name': 'item-%d' % i, 'tags': ['a%d' % (i % 7), 'b'], 'v': i * 1.5} for i in range(300)]
for n in range(int(sys.argv[1])):
    text = json.dumps(rows, indent=1)
    back = json.loads(text)
    found = {m.group(1): m.group(2) for r in back for m in [word.match(r['name'])]}
    back.sort(key=lambda r: (r['tags'], -r['v']))
    assert len(found) == 1 and len(back) == 300
