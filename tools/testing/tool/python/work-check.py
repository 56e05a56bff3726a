# SPDX-License-Identifier: GPL-2.0
"""Compare the stacks of a recording of work.py, and their times, with what it wrote.

    perf script --ns --max-stack 1000 -F comm,pid,tid,time,ip,sym,dso,srcline |
        work-check.py TRUTH LOG

The clock of the recording is CLOCK_MONOTONIC. A stack with Python functions is true if

- all of them, from the thread's first one on, with the lines of the calls, are a stack in TRUTH;
- its functions phaseN() and leafN(), or that there is none, are those of the sample's time;
- no frame of the evaluator is among its native frames, but for the innermost;
- functions native0() ... and python0() ... take turns.

Prints "samples N, with Python functions P %, true N, wrong N", of the time between the first and
last phase of a thread, and the first wrong ones. The status is 0 if none is wrong.
"""
import bisect
import collections
import json
import re
import sys

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \((\S*|\[\S* *\S*\])\)$")
FUNCTION = re.compile(r"^(.*) \((\S.*):(\d+)\)(?:\+0x[0-9a-f]+)?$")
HEAD = re.compile(r"^\s*\S.*?\s+(\d+)/(\d+)\s+(\d+)\.(\d{9}):")
LINE = re.compile(r"^\s+(\S.*):(\d+)$")
UNKNOWN = "[unknown Python function]"
EVALUATOR = "_PyEval_EvalFrameDefault"


def samples(text):
    """Yield (pid, tid, time, frames of user code): [name, file, line] or [name, None, None]."""
    sample = None
    for line in text:
        line = line.rstrip("\n")
        head = HEAD.match(line)
        frame = FRAME.match(line)
        at = LINE.match(line)
        if head:
            if sample:
                yield sample
            sample = int(head[1]), int(head[2]), int(head[3] + head[4]), []
        elif frame:
            if int(frame[1], 16) >> 63:
                continue
            function = frame[3] == "[python]" and FUNCTION.match(frame[2])
            sample[3].append([function[1], function[2], 0] if function else [frame[2], None, None])
        elif at and sample[3] and sample[3][-1][1]:
            sample[3][-1][2] = int(at[2])
    if sample:
        yield sample


class Truth:
    def __init__(self, truth, log):
        self.callers, self.leaves, self.makers = {}, {}, set()
        with open(truth, encoding="utf-8") as f:
            for nr, line in enumerate(f):
                caller, name, file, at, lines, makes = json.loads(line)
                if makes:
                    self.makers.update(((name, file, makes), (name, file, 0)))
                if at is not None:
                    self.callers[caller, name, file, at] = nr
                    lines = [at]
                self.leaves.setdefault((caller, name, file), set()).update(lines)
        with open(log, encoding="utf-8") as f:
            self.pid, threads = json.load(f)
        self.phases, self.leaves_at = {}, {}
        for tid, *log in threads:
            logged = list(zip(log[::3], log[1::3], log[2::3]))
            self.phases[tid] = [*zip(*(i for i in logged if i[0] < 100))]
            self.leaves_at[tid] = [*zip(*((n - 100, *at) for n, *at in logged if n >= 100))]

    def knows(self, tid, time):
        """Is the thread between its first and last phase?"""
        _, begins, ends = self.phases.get(tid, ([], [], []))
        return begins and begins[0] <= time <= ends[-1]

    def fault(self, tid, time, frames):
        """Why a stack is wrong; None: it is true."""
        python = [f for f in frames if f[1]]
        caller = -1
        # What makes a generator is called without an event for a profiler.
        if tuple(python[0]) in self.makers:
            del python[0]
        for frame in reversed(python[1:]):
            caller = self.callers.get((caller, *frame))
            if caller is None:
                return f"no caller {frame}"
        if python[0][2] not in self.leaves.get((caller, *python[0][:2]), ()):
            return f"no call of {python[0]}"
        return (fault_of_time("phase", self.phases[tid], time, python) or
                fault_of_time("leaf", self.leaves_at[tid], time, python) or fault_of_order(frames))


def fault_of_time(kind, logged, time, python):
    shown = [f[0] for f in python if re.match(kind + r"\d+$", f[0])]
    numbers, begins, ends = logged
    at = bisect.bisect(begins, time) - 1
    if at >= 0 and time <= ends[at]:
        return None if shown == [f"{kind}{numbers[at]}"] else f"{kind} {numbers[at]}"
    # A function begins before, and ends behind, what it wrote.
    if shown and shown not in [[f"{kind}{n}"] for n in numbers[max(at, 0):at + 2]]:
        return f"between, {kind} {numbers[at]}"
    return None


def fault_of_order(frames):
    if any(EVALUATOR in name for name, _, _ in frames[1:]):
        return "a frame of the evaluator"
    mixed = [f[0] for f in frames if re.match(r"(native|python)\d(\+0x[0-9a-f]+)?$", f[0])]
    mixed = [m.split("+")[0] for m in mixed]
    # Outermost first: native1 calls python1, which calls native3.
    mixed.reverse()
    for i, name in enumerate(mixed):
        if name != ("native" if i % 2 == 0 else "python") + mixed[i & ~1][-1]:
            return f"order {mixed}"
    return None


def main():
    truth = Truth(sys.argv[1], sys.argv[2])
    counts = collections.Counter()
    wrong, without = [], []
    for pid, tid, time, frames in samples(sys.stdin):
        if pid != truth.pid or not truth.knows(tid, time):
            continue
        counts["samples"] += 1
        if not any(f[1] for f in frames) or any(UNKNOWN in f[0] for f in frames):
            counts["without"] += 1
            without.append(f"without at {time}: {[f[0] for f in frames]}")
            continue
        fault = truth.fault(tid, time, frames)
        counts["wrong" if fault else "true"] += 1
        if fault:
            wrong.append(f"{fault} at {time} of {tid}: {frames[:12]}")
    n = counts["samples"]
    print(f"samples {n}, with Python functions {100 * (n - counts['without']) / max(n, 1):.2f} %,"
          f" true {counts['true']}, wrong {counts['wrong']}")
    print("\n".join(wrong[:8] + without[::len(without) // 4 + 1]))
    return bool(wrong)


sys.exit(main())
