# SPDX-License-Identifier: GPL-2.0
"""Python programs' usual work, of which each call and its time is known.

    python3 work.py rehearse TRUTH [LIBRARY]
    python3 work.py SECONDS LOG [LIBRARY]	(of processor time)

A unit of work is called by a phase function of its own, on the main thread, on three threads, and
while another process moves the threads from CPU to CPU. The first form does all of it once, and
writes into TRUTH every stack of Python functions that there is; the second does it for so long, and
writes into LOG when each phase function began and ended. Both are lines of JSON. LIBRARY has the
functions native0() to native4(), each of which calls what it is given.

TRUTH: [caller's number or -1, function, file, line of its call, or null, lines of the function,
where it begins if it makes a generator, or 0]: a function in the line that calls the next one.
LOG: [pid, threads], with each thread [tid, number, begin, end, ...]. The functions leaf0() to
leaf7() of one unit, which call nothing, are in LOG, too, as 100 to 107.
"""
import array
import ast
import copy
import ctypes
import decimal
import functools
import inspect
import itertools
import json
import os
import random
import re
import signal
import sys
import textwrap
import threading
import time
import _pydecimal

SOURCE = textwrap.dedent('''
    class Shape(Base, metaclass=Meta):
        """Text."""
        def area(self, *, scale: float = 1.0) -> float:
            if scale <= 0 and self.unit != "m":
                raise ValueError(f"{self!r} has {len(self.points)} points")
''')
TREE = {"a": [{"x": i, "y": str(i), "z": [1, 2, {"k": i * 0.5}]} for i in range(6)]}
now = time.monotonic_ns
LOCAL = threading.local()


def burn(n=60):
    return sum(i * i for i in range(n))


def deep(n):
    return burn() if not n else deep(
        n - 1) + 1


def deeper():
    return deep(60)


def of_json():
    return json.loads(json.dumps(TREE, indent=1), object_hook=hook)


def hook(pairs):
    return dict(pairs)


class Visitor(ast.NodeVisitor):
    def visit_Name(self, node):
        burn(3)
        self.generic_visit(node)


def of_ast():
    tree = ast.parse(SOURCE)
    Visitor().visit(tree)
    return ast.unparse(tree)


def of_decimal():
    x = decimal.Decimal(2)
    for _ in range(60):
        x = (x * 3 + 1).sqrt()
    return x


def of_pydecimal():
    return _pydecimal.Decimal("1.7").sqrt() / _pydecimal.Decimal(3)


def of_copy():
    return copy.deepcopy(TREE)


def of_re():
    return re.sub(r"\w+", lambda m: m[0].upper() + str(burn(5)), "some words to be replaced")


def generator(n):
    if n:
        yield from generator(n - 1)
    for i in range(4):
        burn(8)
        yield i


def of_generators():
    return sum(generator(6))


async def coroutine(n):
    if n:
        return await coroutine(n - 1) + burn(6)
    return burn(40)


def of_coroutines():
    try:
        coroutine(8).send(None)
    except StopIteration as end:
        return end.value


class Key:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other.n

    def __getattr__(self, name):
        return burn(4)


def of_objects():
    keys = sorted(Key(i * 7 % 23) for i in range(23))
    try:
        functools.reduce(lambda a, b: b.attribute + 1, keys, 0)
        raise KeyError(keys[0].n)
    except KeyError:
        return burn()


def hot_a():
    return burn(2)


def hot_b():
    return burn(2)


def of_short():
    for _ in range(10):
        hot_a()
        hot_b()


class Mixed:
    """Functions of C and of Python that call each other in some order: native0 calls python0."""
    def __init__(self, path):
        call = ctypes.PYFUNCTYPE(None)
        library = ctypes.PyDLL(path)
        self.native = [library[f"native{i}"] for i in range(5)]
        self.python = [call(made(f"def python{i}():\n    burn(20)\n    mixed.next()\n"
                                 "    burn(20)\n", f"python{i}", mixed=self, burn=burn))
                       for i in range(5)]

    def next(self):
        if LOCAL.order:
            i = LOCAL.order.pop()
            self.native[i](self.python[i])

    def __call__(self):
        # Each of the 20 pairs is met; the order of more would make too many stacks.
        for i in range(5):
            for j in range(5):
                LOCAL.order = [j, i, (i + 2 * j) % 5]
                self.next()


def made(text, name, **names):
    exec(compile(text, "made.py", "exec"), names)
    return names[name]


LEAVES = [made(f"def leaf{nr}(log):\n    begin = now()\n    x = 0\n    for i in range(300):\n"
               f"        x += i * i\n    log.extend(({100 + nr}, begin, now()))\n", f"leaf{nr}",
               now=now) for nr in range(8)]


def of_leaves():
    for _ in range(6):
        for leaf in LEAVES:
            leaf(LOCAL.log)


UNITS = [deeper, of_json, of_ast, of_decimal, of_pydecimal, of_copy, of_re, of_generators,
         of_coroutines, of_objects, of_short, of_leaves]
if len(sys.argv) > 3:
    UNITS.append(Mixed(sys.argv[3]))

PHASES = [made(f"def phase{nr}(log, unit):\n    begin = now()\n    unit()\n"
               f"    log.extend(({nr}, begin, now()))\n", f"phase{nr}", now=now)
          for nr in range(len(UNITS))]


def drive(log, end):
    LOCAL.log = log
    # What is done once and what is done again differ.
    for nr in itertools.count():
        for phase, unit in zip(PHASES, UNITS):
            phase(log, unit)
        if nr and time.process_time() >= end:
            break


def thread(log, end):
    log.append(threading.get_native_id())
    drive(log, end)


def alone(log, end):
    drive(log, end)


def moved(log, end):
    cpus = os.sched_getaffinity(0)
    child = os.fork()
    if not child:
        while os.getppid() == PID:
            for tid in os.listdir(f"/proc/{PID}/task"):
                os.sched_setaffinity(int(tid), {random.choice(list(cpus))})
            time.sleep(0.003)
        os._exit(0)
    drive(log, end)
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    os.sched_setaffinity(0, cpus)


def threads(logs, end):
    started = [threading.Thread(target=thread, args=(log, end)) for log in logs]
    for t in started:
        t.start()
    for t in started:
        t.join()


class Rehearsal:
    def __init__(self):
        self.numbers = {}

    def __call__(self, frame, event, arg):
        if event != "call":
            return
        chain = []
        at = frame.f_back
        while at:
            chain.append((at.f_code, at.f_lineno or 0))
            at = at.f_back
        caller = -1
        for key in reversed(chain):
            self.numbers.setdefault((caller, key[0], None), len(self.numbers))
            caller = self.numbers.setdefault((caller, *key), len(self.numbers))
        self.numbers.setdefault((caller, frame.f_code, None), len(self.numbers))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            for caller, code, line in self.numbers:
                lines = {i or 0 for _, _, i in code.co_lines()} if line is None else ()
                makes = code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE)
                print(json.dumps([caller, code.co_qualname, os.path.basename(code.co_filename),
                                  line, list(lines), makes and code.co_firstlineno]), file=f)


PID = os.getpid()
logs = [array.array("q") for _ in range(4)]
logs[0].append(threading.get_native_id())
SECONDS = 0 if sys.argv[1] == "rehearse" else float(sys.argv[1])
rehearsal = Rehearsal()
if not SECONDS:
    threading.setprofile(rehearsal)
    sys.setprofile(rehearsal)
begin = time.process_time()
alone(logs[0], begin + SECONDS * 0.3)
moved(logs[0], begin + SECONDS * 0.6)
threads(logs[1:], begin + SECONDS)
sys.setprofile(None)
if not SECONDS:
    rehearsal.write(sys.argv[2])
else:
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        json.dump([PID, [list(log) for log in logs]], f)
