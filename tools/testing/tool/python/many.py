# SPDX-License-Identifier: GPL-2.0
"""A thousand functions with long line tables, each called for two milliseconds, twice.

    python3 many.py

Waits in between for a line of its input.
"""
import sys
import time


def burn():
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        pass


scope = {"burn": burn}
lines = "".join(f"    x{j} = {j}\n" for j in range(400))
source = "".join(f"def many{i}():\n{lines}    burn()\n" for i in range(1000))
exec(compile(source, "made.py", "exec"), scope)
for name in "once", "again":
    caller = {"scope": scope}
    exec(compile(f"def {name}():\n    for i in range(1000):\n        scope[f'many{{i}}']()\n",
                 "made.py", "exec"), caller)
    open(name, "w", encoding="utf-8").close()
    caller[name]()
    if name == "once":
        open("done", "w", encoding="utf-8").close()
        sys.stdin.readline()
