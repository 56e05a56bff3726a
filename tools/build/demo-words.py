# SPDX-License-Identifier: GPL-2.0
# The demo's program: it reads text files, counts words, and writes the counts as JSON.
import collections
import json
import os
import re
import sys
import tempfile

word = re.compile(r'[a-z_]+', re.I)


def files(top):
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            if name.endswith(('.h', '.py')):
                yield os.path.join(folder, name)


def count(path, words):
    with open(path, errors='replace') as f:
        words.update(word.findall(f.read(4000)))


def save(words, out):
    text = json.dumps(sorted(words.items(), key=lambda item: -item[1]), indent=1)
    out.write(text.encode())
    out.flush()
    os.fsync(out.fileno())


with tempfile.TemporaryFile() as out:
    for n in range(int(sys.argv[1])):
        words = collections.Counter()
        for path in files(sys.argv[2]):
            count(path, words)
        save(words, out)
