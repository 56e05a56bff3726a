# SPDX-License-Identifier: GPL-2.0
"""Compare the Python functions of each sample with the chains that the program wrote.

    perf script -F comm,tid,ip,sym,srcline | check.py TRUTH MOST_WITHOUT

A sample's Python functions are true if the callers of the innermost busy function, with their
lines, are those that the program wrote; of a deep stack, the inner ones. Samples without a busy
function (imports, the program's end) are counted only; those with a function that the recorder
does not know count as without. Prints the counts; the status is 0 if no
sample is wrong, each busy function was seen, and at most MOST_WITHOUT percent of the samples have
no Python function.
"""
import json
import re
import sys

FUNCTION = re.compile(r"^\s+[0-9a-f]+ (.*) \((\S.*):(\d+)\)(?:\+0x[0-9a-f]+)? \(\[python\]\)$")
UNKNOWN = "[unknown Python function]"
# perf script prints 127 frames: those of the kernel and of C, the busy function, and its callers
DEEP = 50
LINE = re.compile(r"^\s+(\S.*):(\d+)$")


def samples(lines):
    """Yield the frames of each sample, innermost first: [name, file, line] of a Python function."""
    frames, python = [], None
    for line in lines:
        line = line.rstrip("\n")
        if not line.strip():
            if frames:
                yield frames
            frames, python = [], None
            continue
        if UNKNOWN in line:
            frames.append([UNKNOWN])
        found = FUNCTION.match(line)
        if found:
            python = [found[1], found[2], None]
            frames.append(python)
            continue
        at = LINE.match(line)
        if python and at:
            python[2] = int(at[2])
            python = None
        elif not line.startswith("\t") and not line.startswith(" "):
            frames, python = [["", line, 0]], None
    if frames:
        yield frames


def main():
    truth = {}
    with open(sys.argv[1], encoding="utf-8") as f:
        for line in f:
            name, chain = json.loads(line)
            truth.setdefault(name, []).append(chain)
    counts = dict(samples=0, true=0, other=0, without=0, wrong=0)
    seen = set()
    for frames in samples(sys.stdin):
        counts["samples"] += 1
        frames = [f for f in frames if f[0]]
        if not frames or any(f[0] == UNKNOWN for f in frames):
            counts["without"] += 1
            continue
        at = next((i for i, f in enumerate(frames) if f[0] in truth), None)
        if at is None:
            counts["other"] += 1
            continue
        callers = frames[at + 1:]
        if any(callers == chain[:len(callers)] and (len(callers) == len(chain) or len(callers) > DEEP)
               for chain in truth[frames[at][0]]):
            counts["true"] += 1
            seen.add(frames[at][0])
        else:
            counts["wrong"] += 1
            print("# wrong:", frames[at][0], callers[:6], "is", truth[frames[at][0]][0][:6])
    print("#", ", ".join(f"{k} {v}" for k, v in counts.items()), "functions", len(seen), "of", len(truth))
    ok = not counts["wrong"] and seen == set(truth) and counts["true"]
    return not (ok and 100 * counts["without"] <= float(sys.argv[2]) * counts["samples"])


sys.exit(main())
