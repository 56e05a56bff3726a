#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""perf report's hints: each is there when it is true, and only then."""
import os
import re
import struct
import subprocess
import sys

lib = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../lib')
sys.path.insert(0, lib)
sys.dont_write_bytecode = True
import perfdata as pd  # noqa: E402
from tap import ok, skip, done  # noqa: E402
golden = os.path.join(lib, "../golden/c")
perf = os.path.realpath(os.environ.get("PERF", "build/perf"))
out = os.path.realpath(os.path.join(os.environ.get("O", "build"), "test/report-hints"))
os.makedirs(out, exist_ok=True)
ENV = dict(os.environ, DEBUGINFOD_URLS="", PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C")
SYMBOLS = ("--symfs", "symfs", "--kallsyms", "kallsyms")


def hints(*args):
    p = subprocess.run([perf, "report", *args], cwd=golden, capture_output=True, text=True, env=ENV)
    return re.findall(r"^# \(Tip: (.*)\)$", p.stdout, re.M)


def has(part, *args):
    return any(part in h for h in hints(*args))


CUT = " %) are cut: "
HIDDEN, WITHOUT = "symbols are hidden", "in files without symbols"
LOST, CLOCK = "were lost", "a clock was the only event"

# Nothing to say: symbols for all, frame pointers, nothing lost, an event of its own
h = hints("-i", "multi.defer.data", *SYMBOLS)
ok(not h, "nothing to say, nothing said", h)

zeros = out + "/zeros"
with open(golden + "/kallsyms") as f, open(zeros, "w") as z:
    for line in f:
        z.write("0" * 16 + line[line.index(" "):])
for jobs in "1", "2":
    h = hints("-i", "deepsys.fp.data", "--symfs", "symfs", "--kallsyms", zeros, "-j", jobs)
    ok(sum(HIDDEN in x and "86 %" in x and "kptr_restrict" in x for x in h) == 1 and
       not any(WITHOUT in x for x in h), "hidden kernel symbols, -j " + jobs, h)
ok(not has(HIDDEN, "-i", "deepsys.fp.data", *SYMBOLS), "they are there")
ok(not has(HIDDEN, "-i", "useronly.defer.data", "--symfs", "symfs", "--kallsyms", zeros),
   "no kernel samples: no hint about their symbols")

h = hints("-i", "deepsys.fp.data", "--kallsyms", "kallsyms")
ok(sum("14 % of the samples " + "are " + WITHOUT in x and "/deepsys" in x and
       "build-id 4716804389ecaf94177841258551fee7cf2011bf" in x for x in h) == 1,
   "a file that is not here, by its build-id", h)
ok(not has(WITHOUT, "-i", "deepsys.fp.data", *SYMBOLS), "it is here")

# The command that brings the names
def script(data, *args):
    p = subprocess.run([perf, "script", "-v", "-i", data, *args], cwd=golden, capture_output=True, text=True, env=ENV)
    return [x for x in p.stderr.splitlines() if WITHOUT in x]


host = re.search("# hostname : (.*)", subprocess.run([perf, "report", "--header-only", "-i", "deepsys.fp.data"], cwd=golden,
                                                     capture_output=True, text=True, env=ENV).stdout)[1]
INJECT = "'perf inject --embed -i deepsys.fp.data -o deepsys.fp.data' on " + host
ok(INJECT in h[0], "recorded elsewhere: perf inject there", h)
h = script("deepsys.fp.data")
ok(len(h) == 1 and "100 % of the samples" in h[0] and "(2)" in h[0] and "the kernel 86 %" in h[0] and
   "/deepsys 14 %" in h[0] and INJECT in h[0], "perf script: most of them, and the kernel", h)
ok(not script("deepsys.fp.data", *SYMBOLS) and not script("deepsys.fp.data", "-F", "comm,time"),
   "not with all names, nor without names")
p = subprocess.run([perf, "script", "-i", "deepsys.fp.data"], cwd=golden, capture_output=True, text=True, env=ENV)
ok(not p.stderr, "perf script: nothing for programs", p.stderr)
here = os.path.join(out, "here.data")
with open(golden + "/deepsys.fp.data", "rb") as f, open(here, "wb") as to:
    to.write(f.read())
open(here + ".tar.bz2", "w").close()
h = script(here)
ok(len(h) == 1 and h[0].endswith("'perf archive --unpack %s.tar.bz2' brings them" % here), "an archive beside it", h)
os.unlink(here + ".tar.bz2")
subprocess.check_call([perf, "inject", "--embed", *SYMBOLS[:2], "-i", golden + "/deepsys.fp.data", "-o", here], cwd=golden,
                      stderr=subprocess.DEVNULL, env=ENV)
h = script(here)
ok(len(h) == 1 and "/deepsys" not in h[0], "names in the recording", h)

data = bytearray(open(golden + "/deepsys.fp.data", "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
pos = at
while struct.unpack_from("<I", data, pos)[0] != 9:
    pos += struct.unpack_from("<H", data, pos + 6)[0]
struct.pack_into("<I", data, pos, 2)        # PERF_RECORD_LOST: id, lost
struct.pack_into("<QQ", data, pos + 8, 0, 1234)
with open(out + "/lost.data", "wb") as f:
    f.write(data)
ok(has("1234 records " + LOST, "-i", out + "/lost.data", *SYMBOLS), "lost records",
   hints("-i", out + "/lost.data", *SYMBOLS))
ok(not has(LOST, "-i", "deepsys.fp.data", *SYMBOLS), "none lost")

ok(has(CLOCK, "-i", "deepsys.fp.data", *SYMBOLS), "only a clock")
for f in "multi.defer.data", "sleepers.defer.data", "group.fp.data":
    ok(not has(CLOCK, "-i", f, *SYMBOLS), f + ": not only a clock")

# What callchains by frame pointers are advised on this kernel
BEST = "table" if os.path.exists("/proc/sys/kernel/unwind_table_max_kb") else "live"
# Real programs, with frame pointers and without
with open(out + "/calls.c", "w") as f:
    f.write("""volatile unsigned long x;
#define N __attribute__((noinline, noclone))
N unsigned long leaf(unsigned long a, unsigned long b, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		a = a * 31 + (b ^= x + i);
	return a + b;
}
N unsigned long middle(unsigned long n) { return leaf(1, 2, n) + leaf(3, 4, n) + x; }
N unsigned long outer(unsigned long n) { return middle(n) + middle(n + 1) + x; }
int main(void)
{
	for (int i = 0; i < 60; i++)
		x += outer(500000);
	return 0;
}
""")
for name, flags, want in (("without", ("-O2", "-fomit-frame-pointer"), True),
                          ("with", ("-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
                                    "-mno-omit-leaf-frame-pointer"), False)):
    program = out + "/" + name
    subprocess.check_call(["gcc", *flags, "-o", program, out + "/calls.c"])
    data = program + ".data"
    p = subprocess.run([perf, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "--call-graph", "fp", "-o", data, program],
                       capture_output=True, text=True, env=ENV)
    if p.returncode:
        skip("a program %s frame pointers" % name, "cannot record here")
        continue
    for how in (), ("-g", "none"), ("-j", "3"):
        h = hints("-i", data, *how)
        ok(any(CUT in x for x in h) == want and
           (not want or CUT in h[0] and program in h[0] and h[0].endswith("Record with --call-graph " + BEST)),
           "a program %s frame pointers %s" % (name, " ".join(how)), p.stderr, h)

# Where they stand: what is wrong at the head, the clock at the end.
p = subprocess.run([perf, "report", "-i", out + "/lost.data", *SYMBOLS], cwd=golden, capture_output=True,
                   text=True, env=ENV).stdout
ok(0 < p.find(LOST) < p.find("# Event count") < p.find(CLOCK), "at the head, and the clock at the end", p)


def recorded(what, data, *command, options=("--call-graph", "fp")):
    """Whether perf could record the command."""
    p = subprocess.run([perf, "record", "-q", "-e", "cpu-clock:u", "-F", "1999", *options, "-o", data, *command],
                       capture_output=True, text=True, env=ENV, cwd=out)
    if p.returncode:
        skip(what, "cannot record here: " + p.stderr.strip())
    return not p.returncode


def have(program):
    return subprocess.run(["which", program], capture_output=True).returncode == 0


# Functions without symbols, and whose package has them
PART, STARTS = "in functions without symbols", "--function-starts"
subprocess.check_call(["gcc", "-O2", "-rdynamic", "-fvisibility=hidden", "-o", out + "/stripped", out + "/calls.c"])
subprocess.check_call(["strip", out + "/stripped"])
dpkg = out + "/dpkg/info"
os.makedirs(dpkg, exist_ok=True)
ENV["DPKG_ADMINDIR"] = out + "/dpkg"
for name in os.listdir(dpkg):
    os.unlink(os.path.join(dpkg, name))
if recorded("a stripped program", out + "/stripped.data", out + "/stripped"):
    h = [x for x in hints("-i", out + "/stripped.data") if PART in x or WITHOUT in x]
    ok(len(h) == 1 and "/stripped (" in h[0] and "build-id" in h[0] and STARTS not in h[0], "a stripped program", h)
    h = [x for x in hints("-i", out + "/stripped.data", "--no-function-starts") if PART in x]
    ok(len(h) == 1 and STARTS in h[0], "rows of addresses: the option", h)
    with open(dpkg + "/calls-bin:amd64.list", "w") as f:
        f.write("/.\n/other\n%s\n" % (out + "/stripped"))
    with open(dpkg + "/another.list", "w") as f:
        f.write("/.\n%s.1\n" % (out + "/stripped"))
    h = [x for x in hints("-i", out + "/stripped.data") if PART in x or WITHOUT in x]
    ok(len(h) == 1 and " calls-bin-dbgsym, or set DEBUGINFOD_URLS=" in h[0] and STARTS not in h[0], "a file of a package", h)
    ENV["DEBUGINFOD_URLS"] = "file:///nowhere"
    h = [x for x in hints("-i", out + "/stripped.data") if PART in x or WITHOUT in x]
    ok(len(h) == 1 and " calls-bin-dbgsym" in h[0] and "DEBUGINFOD" not in h[0], "DEBUGINFOD_URLS is set already", h)
    ENV["DEBUGINFOD_URLS"] = ""
    os.rename(dpkg + "/calls-bin:amd64.list", dpkg + "/libc6:amd64.list")
    ok(has(" libc6-dbg", "-i", out + "/stripped.data"), "the C library has a name of its own")
del ENV["DPKG_ADMINDIR"]

# Interpreters and JIT compilers
with open(out + "/fib.js", "w") as f:
    f.write("function fib(n){return n<2?n:fib(n-1)+fib(n-2)}\nfor(let i=0;i<8;i++)fib(31)\n")
with open(out + "/Fib.java", "w") as f:
    f.write("public class Fib { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
            "public static void main(String[] a) { int s = 0; for (int i = 0; i < 20; i++) s += fib(35);\n"
            "System.out.println(s); } }\n")
with open(out + "/fib.py", "w") as f:
    f.write("def fib(n):\n    return n if n < 2 else fib(n-1) + fib(n-2)\nfib(27)\n")
JIT = "made while it ran"
JAVA = ["-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"]
for program, script, plain, named in (("node", "fib.js", [], ["--perf-basic-prof"]), ("java", "Fib.java", [], JAVA)):
    if not have(program):
        skip(program, "no " + program)
        continue
    if not recorded(program, out + "/jit.data", program, *plain, script):
        continue
    h = [x for x in hints("-i", out + "/jit.data") if JIT in x]
    ok(len(h) == 1 and program in h[0] and all(n in h[0] for n in named), program + " without names: its options", h)
    h = hints("-i", out + "/jit.data")
    cut = [int(re.search(r"\((\d+) %\)", x).group(1)) for x in h if CUT in x]
    nameless = [int(x.split(" ")[0]) for x in h if JIT in x]
    ok(not cut or not nameless or (JIT in h[0]) == (nameless[0] > cut[0]) or nameless == cut,
       program + ": what concerns more is the first line", h)
    ok(not any(WITHOUT in x and "perf-" in x for x in h), "and nothing else of that", h)
    if recorded(program, out + "/jit.data", program, *named, script):
        h = hints("-i", out + "/jit.data")
        ok(not any(JIT in x for x in h), program + " with names", h)
        pids = subprocess.run([perf, "script", "-i", out + "/jit.data", "-F", "pid"], capture_output=True, text=True, env=ENV)
        for pid in set(pids.stdout.split()):
            if os.path.exists("/tmp/perf-%s.map" % pid):
                os.unlink("/tmp/perf-%s.map" % pid)
# Callchains that end in the C library: in a function that it exports they are cut, in one without a name,
# such as that which calls main(), as whole as a walk by frame pointers can be. Likewise in a program that
# has the library in it, whose functions all have names.
import perfdata as pd


def functions_of(path):
    """Address, size and name of the functions of a file, and where its code is: offset, address and size."""
    lines = subprocess.run(["readelf", "-W", "-s", "-l", path], capture_output=True, text=True).stdout
    load = re.search(r"^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", lines, re.M)
    return sorted((int(a, 16), int(n, 0), name.split("@")[0]) for a, n, name in re.findall(
        r"^ +\d+: (\w+) +(\w+) (?:FUNC|IFUNC) .* \d+ (\S+)", lines, re.M)), [int(x, 16) for x in load.groups()]


def says_cut(path, load, at, end):
    """Does a report of chains from AT to END, addresses in a file, say that they are cut there?"""
    load_off, load_addr, load_size = load
    base = 0x10000000 + load_off - load_addr
    data = pd.record(3, pd.ii(77, 77) + pd.string("made") + pd.ii(77, 77) + pd.q(1))
    data += pd.record(10, pd.ii(77, 77) + pd.q(0x10000000, load_off + load_size, 0) + pd.ii(0, 0) + pd.q(0, 0) +
                      pd.ii(5, 2) + pd.string(path) + pd.ii(77, 77) + pd.q(2), misc=2)
    for i in range(50):
        data += pd.record(9, pd.q(base + at) + pd.ii(77, 77) + pd.q(10 + i) + pd.q(3, -512, base + at, base + end), misc=2)
    with open(out + "/ends.data", "wb") as f:
        f.write(pd.perf_file([pd.attr(pd.IP | pd.TID | pd.TIME | pd.CALLCHAIN)], data))
    h = hints("-i", out + "/ends.data")
    return any(CUT in x and os.path.basename(path) in x for x in h), h


libc = subprocess.run("ldd /bin/true | awk '/libc.so/ { print $3 }'", shell=True, capture_output=True, text=True).stdout.strip()
if libc:
    libc = os.path.realpath(libc)
    functions, load = functions_of(libc)
    malloc = next(a for a, n, name in functions if name == "malloc") + 16
    start = next(a for a, n, name in functions if name.startswith("__libc_start_main"))
    # Just in front of __libc_start_main, behind the exported function before it
    before = [a + n for a, n, name in functions if a + n <= start][-1]
    nameless = max(before + 16, start - 64)
    for what, end, cut in ("malloc", malloc, True), ("no name", nameless, False):
        said, h = says_cut(libc, load, malloc, end)
        ok(said == cut, "callchains that end in the C library: " + what, h)
else:
    skip("the C library", "ldd finds none")
static = out + "/static"
with open(static + ".c", "w") as f:
    f.write("int start(void) { return 1; }\nint main(void) { return start(); }\n")
if subprocess.run(["gcc", "-static", "-O0", "-o", static, static + ".c"], capture_output=True).returncode == 0:
    functions, load = functions_of(static)
    at = {name: a + 16 for a, n, name in functions}
    for name, cut in ("malloc", True), ("start", True), ("__libc_start_call_main", False):
        said, h = says_cut(static, load, at["malloc"], at[name])
        ok(said == cut, "callchains that end in a program with a C library of its own: " + name, h)
    # What has no name there may be anything.
    subprocess.run(["strip", static], check=True)
    said, h = says_cut(static, load, at["malloc"], at["__libc_start_call_main"])
    ok(said, "and without names", h)
else:
    skip("a program with a C library of its own", "gcc -static does not work")

# python3 -X perf: its code is in callchains, samples are taken in the interpreter
data = pd.record(3, pd.ii(77, 77) + pd.string("made") + pd.ii(77, 77) + pd.q(1))
for addr, name in (0x10000000, "/gone/python3.13"), (0x20000000, "//anon"):
    data += pd.record(10, pd.ii(77, 77) + pd.q(addr, 0x1000, 0) + pd.ii(0, 0) + pd.q(0, 0) + pd.ii(5, 2) +
                      pd.string(name) + pd.ii(77, 77) + pd.q(2), misc=2)
for chain in (0x10000010,), (0x10000010, 0x20000010):
    samples = b"".join(pd.record(9, pd.q(chain[0]) + pd.ii(77, 77) + pd.q(10 + i) + pd.q(len(chain) + 1, -512, *chain),
                                 misc=2) for i in range(50))
    with open(out + "/python.data", "wb") as f:
        f.write(pd.perf_file([pd.attr(pd.IP | pd.TID | pd.TIME | pd.CALLCHAIN)], data + samples))
    h = hints("-i", out + "/python.data")
    ok(any("callchains of perf record -g name" in x for x in h) == (len(chain) == 1), "callchains of %d: -g" % len(chain), h)
system = "/usr/bin/python3"
if os.path.exists(system):
    for minor, want in (10, None), (11, "on x86-64"), (14, "on x86-64"), (15, "with python3 -X perf"):
        name = out + "/python3.%d" % minor
        subprocess.check_call(["cp", "-L", system, name])
        if recorded(name, name + ".data", name, "-S", "fib.py"):
            h = hints("-i", name + ".data")
            said = [x for x in h if "interpreter of Python" in x]
            ok(bool(said) == bool(want) and all(want in x for x in said), "%s: %s" % (name, want), h)
else:
    skip("python", "no " + system)
# A program that is here and is no ELF file, such as Wine's: recording its names would not help
exe = out + "/program.exe"
with open(exe, "w") as f:
    f.write("MZ" + "x" * 8192)
maps = pd.record(10, pd.ii(7, 7) + pd.q(0x10000, 0x1000, 0) + pd.ii(0, 0) + pd.q(0, 0) +
                 pd.ii(5, 2) + pd.string(exe) + pd.ii(7, 7) + pd.q(5), misc=2)
samples = b"".join(pd.record(9, pd.q(0x10010) + pd.ii(7, 7) + pd.q(100 + i), misc=2)
                   for i in range(50))
with open(out + "/exe.data", "wb") as f:
    f.write(pd.perf_file([pd.attr(pd.IP | pd.TID | pd.TIME)], maps + samples))
h = hints("-i", out + "/exe.data")
ok(sum(WITHOUT in x and x.endswith("program.exe (its file is not an ELF file)") for x in h) == 1,
   "a file that is no ELF file", h)
done()
