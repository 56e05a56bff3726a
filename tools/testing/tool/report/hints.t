#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""perf report's hints: each is there when it is true, and only then."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

SYMBOLS = ("--symfs", "symfs", "--kallsyms", "kallsyms")


def hints(*args):
    return re.findall(r"^# \(Tip: (.*)\)$", perf("report", *args, cwd=GOLDEN)[1], re.M)


def has(part, *args):
    return any(part in h for h in hints(*args))


CUT = " %) are cut: "
HIDDEN, WITHOUT = "symbols are hidden", "in files without symbols"
LOST, CLOCK = "were lost", "a clock was the only event"

# Nothing to say: symbols for all, frame pointers, nothing lost, an event of its own
h = hints("-i", "multi.defer.data", *SYMBOLS)
ok(not h, "nothing to say, nothing said", h)

zeros = TMP + "/zeros"
with open(GOLDEN + "/kallsyms") as f, open(zeros, "w") as z:
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
    return [x for x in perf("script", "-v", "-i", data, *args, cwd=GOLDEN)[2].splitlines() if WITHOUT in x]


host = re.search("# hostname : (.*)", perf("report", "--header-only", "-i", "deepsys.fp.data", cwd=GOLDEN)[1])[1]
INJECT = "'perf inject --embed -i deepsys.fp.data -o deepsys.fp.data' on " + host
ok(INJECT in h[0], "recorded elsewhere: perf inject there", h)
h = script("deepsys.fp.data")
ok(len(h) == 1 and "100 % of the samples" in h[0] and "(2)" in h[0] and "the kernel 86 %" in h[0] and
   "/deepsys 14 %" in h[0] and INJECT in h[0], "perf script: most of them, and the kernel", h)
ok(not script("deepsys.fp.data", *SYMBOLS) and not script("deepsys.fp.data", "-F", "comm,time"),
   "not with all names, nor without names")
err = perf("script", "-i", "deepsys.fp.data", cwd=GOLDEN)[2]
ok(not err, "perf script: nothing for programs", err)
here = path("here.data")
shutil.copy(GOLDEN + "/deepsys.fp.data", here)
put(here + ".tar.bz2", "")
h = script(here)
ok(len(h) == 1 and h[0].endswith("'perf archive --unpack %s.tar.bz2' brings them" % here), "an archive beside it", h)
os.unlink(here + ".tar.bz2")
perf("inject", "--embed", *SYMBOLS[:2], "-i", GOLDEN + "/deepsys.fp.data", "-o", here, cwd=GOLDEN, check=True)
h = script(here)
ok(len(h) == 1 and "/deepsys" not in h[0], "names in the recording", h)

data = bytearray(open(GOLDEN + "/deepsys.fp.data", "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
pos = at
while struct.unpack_from("<I", data, pos)[0] != 9:
    pos += struct.unpack_from("<H", data, pos + 6)[0]
struct.pack_into("<I", data, pos, 2)        # PERF_RECORD_LOST: id, lost
struct.pack_into("<QQ", data, pos + 8, 0, 1234)
put(TMP + "/lost.data", data)
ok(has("1234 records " + LOST, "-i", TMP + "/lost.data", *SYMBOLS), "lost records",
   hints("-i", TMP + "/lost.data", *SYMBOLS))
ok(not has(LOST, "-i", "deepsys.fp.data", *SYMBOLS), "none lost")

ok(has(CLOCK, "-i", "deepsys.fp.data", *SYMBOLS), "only a clock")
for f in "multi.defer.data", "sleepers.defer.data", "group.fp.data":
    ok(not has(CLOCK, "-i", f, *SYMBOLS), f + ": not only a clock")

# What callchains by frame pointers are advised on this kernel
BEST = "table" if os.path.exists("/proc/sys/kernel/unwind_table_max_kb") else "live"
# Real programs, with frame pointers and without
with open(TMP + "/calls.c", "w") as f:
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
    program = TMP + "/" + name
    subprocess.check_call(["gcc", *flags, "-o", program, TMP + "/calls.c"])
    data = program + ".data"
    status, _, err = perf("record", "-q", "-e", "cpu-clock:u", "-F", "2000", "--call-graph", "fp", "-o", data, program)
    if status:
        skip("a program %s frame pointers" % name, "cannot record here")
        continue
    for how in (), ("-g", "none"), ("-j", "3"):
        h = hints("-i", data, *how)
        ok(any(CUT in x for x in h) == want and
           (not want or CUT in h[0] and program in h[0] and h[0].endswith("Record with --call-graph " + BEST)),
           "a program %s frame pointers %s" % (name, " ".join(how)), err, h)

# Where they stand: what is wrong at the head, the clock at the end.
p = perf("report", "-i", TMP + "/lost.data", *SYMBOLS, cwd=GOLDEN)[1]
ok(0 < p.find(LOST) < p.find("# Event count") < p.find(CLOCK), "at the head, and the clock at the end", p)


def recorded(what, data, *command, options=("--call-graph", "fp")):
    """Whether perf could record the command."""
    status, _, err = perf("record", "-q", "-e", "cpu-clock:u", "-F", "1999", *options, "-o", data, *command)
    if status:
        skip(what, "cannot record here: " + err.strip())
    return not status


# Functions without symbols, and whose package has them
PART, STARTS = "in functions without symbols", "--function-starts"
subprocess.check_call(["gcc", "-O2", "-rdynamic", "-fvisibility=hidden", "-o", TMP + "/stripped", TMP + "/calls.c"])
subprocess.check_call(["strip", TMP + "/stripped"])
dpkg = TMP + "/dpkg/info"
os.makedirs(dpkg)
os.environ["DPKG_ADMINDIR"] = TMP + "/dpkg"
if recorded("a stripped program", TMP + "/stripped.data", TMP + "/stripped"):
    h = [x for x in hints("-i", TMP + "/stripped.data") if PART in x or WITHOUT in x]
    ok(len(h) == 1 and "/stripped (" in h[0] and "build-id" in h[0] and STARTS not in h[0], "a stripped program", h)
    h = [x for x in hints("-i", TMP + "/stripped.data", "--no-function-starts") if PART in x]
    ok(len(h) == 1 and STARTS in h[0], "rows of addresses: the option", h)
    put(dpkg + "/calls-bin:amd64.list", "/.\n/other\n%s\n" % (TMP + "/stripped"))
    put(dpkg + "/another.list", "/.\n%s.1\n" % (TMP + "/stripped"))
    h = [x for x in hints("-i", TMP + "/stripped.data") if PART in x or WITHOUT in x]
    ok(len(h) == 1 and " calls-bin-dbgsym, or set DEBUGINFOD_URLS=" in h[0] and STARTS not in h[0], "a file of a package", h)
    os.environ["DEBUGINFOD_URLS"] = "file:///nowhere"
    h = [x for x in hints("-i", TMP + "/stripped.data") if PART in x or WITHOUT in x]
    ok(len(h) == 1 and " calls-bin-dbgsym" in h[0] and "DEBUGINFOD" not in h[0], "DEBUGINFOD_URLS is set already", h)
    os.environ["DEBUGINFOD_URLS"] = ""
    os.rename(dpkg + "/calls-bin:amd64.list", dpkg + "/libc6:amd64.list")
    ok(has(" libc6-dbg", "-i", TMP + "/stripped.data"), "the C library has a name of its own")
del os.environ["DPKG_ADMINDIR"]

# Interpreters and JIT compilers
put(TMP + "/fib.js", "function fib(n){return n<2?n:fib(n-1)+fib(n-2)}\nfor(let i=0;i<8;i++)fib(31)\n")
put(TMP + "/Fib.java", "public class Fib { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
                       "public static void main(String[] a) { int s = 0; for (int i = 0; i < 20; i++) s += fib(35);\n"
                       "System.out.println(s); } }\n")
put(TMP + "/fib.py", "def fib(n):\n    return n if n < 2 else fib(n-1) + fib(n-2)\nfib(27)\n")
JIT = "made while it ran"
JAVA = ["-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"]
for program, script, plain, named in (("node", "fib.js", [], ["--perf-basic-prof"]), ("java", "Fib.java", [], JAVA)):
    if not shutil.which(program):
        skip(program, "no " + program)
        continue
    if not recorded(program, TMP + "/jit.data", program, *plain, script):
        continue
    h = [x for x in hints("-i", TMP + "/jit.data") if JIT in x]
    ok(len(h) == 1 and program in h[0] and all(n in h[0] for n in named), program + " without names: its options", h)
    h = hints("-i", TMP + "/jit.data")
    cut = [int(re.search(r"\((\d+) %\)", x).group(1)) for x in h if CUT in x]
    nameless = [int(x.split(" ")[0]) for x in h if JIT in x]
    ok(not cut or not nameless or (JIT in h[0]) == (nameless[0] > cut[0]) or nameless == cut,
       program + ": what concerns more is the first line", h)
    ok(not any(WITHOUT in x and "perf-" in x for x in h), "and nothing else of that", h)
    if recorded(program, TMP + "/jit.data", program, *named, script):
        h = hints("-i", TMP + "/jit.data")
        ok(not any(JIT in x for x in h), program + " with names", h)
        for pid in set(perf("script", "-i", TMP + "/jit.data", "-F", "pid")[1].split()):
            if os.path.exists("/tmp/perf-%s.map" % pid):
                os.unlink("/tmp/perf-%s.map" % pid)
# Callchains that end in the C library: in a function that it exports they are cut, in one without a name,
# such as that which calls main(), as whole as a walk by frame pointers can be. Likewise in a program that
# has the library in it, whose functions all have names.


def functions_of(path):
    """Address, size and name of the functions of a file, and where its code is: offset, address and size."""
    lines = run("readelf", "-W", "-s", path)[1]
    return sorted((int(a, 16), int(n, 0), name.split("@")[0]) for a, n, name in re.findall(
        r"^ +\d+: (\w+) +(\w+) (?:FUNC|IFUNC) .* \d+ (\S+)", lines, re.M)), text_segment(path)


def says_cut(path, load, at, end):
    """Does a report of chains from AT to END, addresses in a file, say that they are cut there?"""
    load_off, load_addr, load_size = load
    base = 0x10000000 + load_off - load_addr
    data = record(3, ii(77, 77) + string("made") + ii(77, 77) + q(1))
    data += record(10, ii(77, 77) + q(0x10000000, load_off + load_size, 0) + ii(0, 0) + q(0, 0) +
                      ii(5, 2) + string(path) + ii(77, 77) + q(2), misc=2)
    for i in range(50):
        data += record(9, q(base + at) + ii(77, 77) + q(10 + i, 3, -512, base + at, base + end), 2)
    put(TMP + "/ends.data", perf_file([attr(IP | TID | TIME | CALLCHAIN)], data))
    h = hints("-i", TMP + "/ends.data")
    return any(CUT in x and os.path.basename(path) in x for x in h), h


libc = run("sh", "-c", "ldd /bin/true | awk '/libc.so/ { print $3 }'")[1].strip()
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
static = TMP + "/static"
put(static + ".c", "int start(void) { return 1; }\nint main(void) { return start(); }\n")
if run("gcc", "-static", "-O0", "-o", static, static + ".c")[0] == 0:
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
data = record(3, ii(77, 77) + string("made") + ii(77, 77) + q(1))
for addr, name in (0x10000000, "/gone/python3.13"), (0x20000000, "//anon"):
    data += record(10, ii(77, 77) + q(addr, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                      string(name) + ii(77, 77) + q(2), misc=2)
for chain in (0x10000010,), (0x10000010, 0x20000010):
    at = q(len(chain) + 1, -512, *chain)
    samples = b"".join(record(9, q(chain[0]) + ii(77, 77) + q(10 + i) + at, 2) for i in range(50))
    put(TMP + "/python.data", perf_file([attr(IP | TID | TIME | CALLCHAIN)], data + samples))
    h = hints("-i", TMP + "/python.data")
    ok(any("callchains of perf record -g name" in x for x in h) == (len(chain) == 1), "callchains of %d: -g" % len(chain), h)
system = "/usr/bin/python3"
if os.path.exists(system):
    for minor, want in (10, None), (11, "on x86-64"), (14, "on x86-64"), (15, "with python3 -X perf"):
        name = TMP + "/python3.%d" % minor
        subprocess.check_call(["cp", "-L", system, name])
        if recorded(name, name + ".data", name, "-S", "fib.py"):
            h = hints("-i", name + ".data")
            said = [x for x in h if "interpreter of Python" in x]
            ok(bool(said) == bool(want) and all(want in x for x in said), "%s: %s" % (name, want), h)
else:
    skip("python", "no " + system)
# A program that is here and is no ELF file, such as Wine's: recording its names would not help
exe = TMP + "/program.exe"
put(exe, "MZ" + "x" * 8192)
maps = record(10, ii(7, 7) + q(0x10000, 0x1000, 0) + ii(0, 0) + q(0, 0) +
                 ii(5, 2) + string(exe) + ii(7, 7) + q(5), misc=2)
samples = b"".join(record(9, q(0x10010) + ii(7, 7) + q(100 + i), misc=2)
                   for i in range(50))
put(TMP + "/exe.data", perf_file([attr(IP | TID | TIME)], maps + samples))
h = hints("-i", TMP + "/exe.data")
ok(sum(WITHOUT in x and x.endswith("program.exe (its file is not an ELF file)") for x in h) == 1,
   "a file that is no ELF file", h)
done()
