# SPDX-License-Identifier: GPL-2.0
"""A program whose every busy function is reached by one chain of Python functions.

    python3 shapes.py SECONDS TRUTH [wait]

Each busy function writes the chain that led to it, as Python knows it, into TRUTH: a line of
JSON, ["busy0", [["caller", "shapes.py", 12], ...]], innermost caller first. Then it burns time. With "wait" it begins when a line is written to it.
"""
import asyncio
import functools
import json
import os
import sys
import threading
import time

SECONDS = float(sys.argv[1])
TRUTH = sys.argv[2]
lock = threading.Lock()
if len(sys.argv) > 3:
    sys.stdin.readline()


def note(frame):
    name, chain = frame.f_code.co_qualname, []
    frame = frame.f_back
    while frame:
        chain.append([frame.f_code.co_qualname, os.path.basename(frame.f_code.co_filename), frame.f_lineno])
        frame = frame.f_back
    with lock, open(TRUTH, "a", encoding="utf-8") as f:
        print(json.dumps([name, chain]), file=f)


def make(nr):
    """A function of its own, with a name of its own: busyNR."""
    body = f"""
def busy{nr}():
    note(sys._getframe())
    end = time.thread_time() + SECONDS / 12
    while time.thread_time() < end:
        x = 0
        for i in range(500):
            x += i * i
        json.dumps([x] * 20)
"""
    scope = dict(globals())
    exec(compile(body, "busy.py", "exec"), scope)
    return scope[f"busy{nr}"]


busy = [make(i) for i in range(12)]


class Größe:
    def __lt__(self, other):
        return self.method()

    def method(self):
        class Inner:
            def __getattr__(self, name):
                return (lambda: busy[0]())()
        return Inner().attribute


def generator(n):
    if n:
        yield from generator(n - 1)
    else:
        busy[1]()
        yield 1


async def coroutine(n):
    if n:
        await coroutine(n - 1)
    else:
        await asyncio.sleep(0)
        busy[2]()


def deep(n, fn):
    return fn() if not n else deep(
        n - 1, fn)


def handler():
    try:
        raise ValueError
    except ValueError:
        try:
            raise KeyError
        except KeyError:
            busy[3]()


def of_exec():
    exec(compile("def f(fn):\n\n\n    deep(2, fn)\nf(busy[4])", "exëc.py", "exec"), globals())


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        busy[5]()


def context():
    with Context():
        pass


def thread():
    t = threading.Thread(target=deep, args=(3, busy[6]))
    t.start()
    u = threading.Thread(target=deep, args=(4, busy[7]))
    u.start()
    t.join()
    u.join()


def fork():
    pid = os.fork()
    if not pid:
        busy[8]()
        os._exit(0)
    os.waitpid(pid, 0)


sorted([Größe(), Größe()])
list(generator(3))
asyncio.run(coroutine(3))
handler()
of_exec()
context()
thread()
fork()
functools.reduce(lambda a, b: busy[9](), [1, 2])
max([1], key=lambda k: [deep(2, busy[10]) for _ in (0,)][0] or 0)
deep(150, busy[11])
