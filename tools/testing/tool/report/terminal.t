#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""perf report on a terminal: pager, colours, width, progress; and in a pipe, none of it."""
import fcntl
import pty
import select
import sys
import termios
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

need_terminals()


def clean(env):
    e = {k: v for k, v in os.environ.items()
         if k not in ("PERF_PAGER", "PAGER", "LESS", "COLUMNS", "NO_COLOR")}
    e.update(TERM="xterm", DEBUGINFOD_URLS="", PERF_CONFIG="/dev/null", LC_ALL="C.UTF-8")
    e.update(env)
    return e


def terminal(*args, columns=100, preload=None, **env):
    """What a terminal of that many columns shows."""
    pid, fd = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        os.chdir(GOLDEN)
        if preload:
            env["LD_PRELOAD"] = preload
        os.execve(PERF, [PERF, *args], clean(env))
    text = b""
    while True:
        if not select.select([fd], [], [], 60)[0]:
            break
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(fd)
    _, status = os.waitpid(pid, 0)
    return text.decode().replace("\r\n", "\n"), status


def piped(*args, **env):
    p = subprocess.run([PERF, *args], cwd=GOLDEN, capture_output=True, text=True, env=clean(env))
    return p.stdout


plain_re = re.compile("\033\\[[0-9;]*m")
REPORT = ("report", "--symfs", "symfs", "--kallsyms", "kallsyms", "-i", "deepsys.defer.data")
ROWS = (*REPORT, "-g", "none")

pipe = piped(*ROWS)
ok(pipe.count("%") > 20 and "\033" not in pipe, "a pipe: plain text", pipe)
ok(piped(*ROWS, COLUMNS="20") == pipe, "a pipe has no width")

tty, status = terminal(*ROWS, PERF_PAGER="cat")
ok(status == 0 and re.search("\033\\[31m +[0-9.]+%\033\\[m", tty), "a terminal: what is hot is red", tty)
ok(plain_re.sub("", tty) == pipe, "a wide one: the same text else", tty)
tty, _ = terminal(*ROWS, PERF_PAGER="cat", NO_COLOR="1")
ok(tty == pipe, "NO_COLOR", tty)
tty, _ = terminal(*ROWS, PERF_PAGER="cat", TERM="dumb")
ok(tty == pipe, "TERM=dumb", tty)
tty, _ = terminal(*ROWS, "--stdio-color=never", PERF_PAGER="cat")
ok(tty == pipe, "--stdio-color=never", tty)
tty, _ = terminal(*ROWS, "--stdio-color", "never", PERF_PAGER="cat")
ok(tty == pipe, "--stdio-color never", tty)
ok("\033[31m" in piped(*ROWS, "--stdio-color=always"), "--stdio-color=always in a pipe")

# With colours columns are under their titles, too.
wide = ("-g", "none", "-s", "sym,symbol_size,cpu", "-n", "--show-cpu-utilization")
ok(plain_re.sub("", piped(*REPORT, *wide, "--stdio-color=always")) == piped(*REPORT, *wide),
   "columns stand as without colours")

for how, columns, env in (("the terminal's width", 50, {}), ("COLUMNS", 100, {"COLUMNS": "50"})):
    for what, args in (("rows", ROWS), ("--hierarchy", (*ROWS, "--hierarchy"))):
        lines = plain_re.sub("", terminal(*args, columns=columns, PERF_PAGER="cat", **env)[0]).split("\n")
        whole = piped(*args).split("\n")
        table = [(a, b) for a, b in zip(lines, whole) if b and (b[0] != "#" or "...." in b)]
        ok(len(lines) == len(whole) and any(len(b) > 50 for _, b in table) and
           all(a == b[:50] for a, b in table), "%s: %s are cut there" % (how, what), lines)
long_line = max(piped(*REPORT).split("\n"), key=len)
tty = plain_re.sub("", terminal(*REPORT, columns=40, PERF_PAGER="cat")[0])
ok(len(long_line) > 40 and long_line in tty, "call graphs are not cut", long_line)
tty = terminal(*ROWS, "-t", "|", columns=40, PERF_PAGER="cat", NO_COLOR="1")[0]
ok(tty == piped(*ROWS, "-t", "|"), "-t is for programs: not cut")

tty, status = terminal(*ROWS, columns=40, PERF_PAGER="sed 's/^/P:/'", PAGER="sed 's/^/Q:/'")
lines = tty.split("\n")[:-1]
ok(status == 0 and all(l.startswith("P:") for l in lines) and
   plain_re.sub("", tty).replace("P:", "") == pipe, "PERF_PAGER gets all, uncut", tty)
tty, _ = terminal(*ROWS, "--stdio", PAGER="sed 's/^/Q:/'")
ok(tty.startswith("Q:#"), "else PAGER", tty)
tty, _ = terminal(*ROWS, PAGER="sed 's/^/Q:/'", PERF_PAGER="")
ok(tty.startswith("#"), "an empty PERF_PAGER is none", tty)
put(TMP + "/less", "#!/bin/sh\necho \"less $* LESS=$LESS\"\nexec cat\n")
os.chmod(TMP + "/less", 0o755)
tty, _ = terminal(*ROWS, "--stdio", PATH=TMP + ":" + os.environ["PATH"])
ok(tty.startswith("less -R LESS=FRSX\n"), "else less -R", tty)
tty, status = terminal(*ROWS, PERF_PAGER="head -n 1")
ok(status == 0 and tty.count("\n") == 1, "a pager that quits early is no error", tty)
tty, status = terminal("report", "-i", "/nonexistent", PERF_PAGER="sed 's/^/P:/'")
ok(status == 256 and not tty.startswith("P:") and "/nonexistent" in tty, "errors need no pager", tty)

# A clock of our own: each look at it is so many milliseconds later.
subprocess.check_call(["gcc", "-shared", "-fPIC", "-o", TMP + "/clock.so", LIB + "/clock.c"])
subprocess.check_call(["gcc", "-O1", "-fno-omit-frame-pointer", "-o", TMP + "/walk",
                       LIB + "/../bench/report-walk.c"])
status, _, err = perf("record", "-q", "-o", TMP + "/walk.data", "-e", "page-faults", "-c", "1", "--call-graph", "fp",
                      TMP + "/walk", "20000", "5")
if status:
    skip("progress", "cannot record here")
else:
    WALK = ("report", "-i", TMP + "/walk.data", "-g", "none")
    clock = TMP + "/clock.so"
    for columns in (100, 50):
        tty, _ = terminal(*WALK, columns=columns, preload=clock, TICK="2000", PERF_PAGER="cat")
        bars = re.findall(r"\r([^\r\n]* \[[# ]*\] +\d+%)", tty)
        ok(len(bars) > 2 and all(len(b) < columns for b in bars) and "#" in bars[-1],
           "over a second: a bar that fits %d columns" % columns, err, bars, tty[:300])
        ok("\r\033[K" in tty and "[" not in tty.split("\r\033[K")[-1].split("\n")[0],
           "and it goes away", tty[:300])
    tty, _ = terminal(*WALK, preload=clock, TICK="0", PERF_PAGER="cat")
    ok("\r" not in tty and "%" in tty, "under a second: none", tty[:300])
    p = subprocess.run([PERF, *WALK], capture_output=True, text=True,
                       env=clean({"LD_PRELOAD": clock, "TICK": "2000"}))
    ok(p.returncode == 0 and "[#" not in p.stderr and "\r" not in p.stderr, "no terminal: none", p.stderr)
done()
