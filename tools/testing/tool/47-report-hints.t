#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""perf report's hints: each is there when it is true, and only then."""
import os
import re
import struct
import subprocess
import sys

here = os.path.dirname(os.path.realpath(__file__))
golden = os.path.join(here, "../golden")
perf = os.path.realpath(os.environ.get("PERF", "build/perf"))
out = os.path.realpath(os.path.join(os.environ.get("O", "build"), "test/report-hints"))
os.makedirs(out, exist_ok=True)
ENV = dict(os.environ, DEBUGINFOD_URLS="", PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C")
SYMBOLS = ("--symfs", "symfs", "--kallsyms", "kallsyms")
nr = failed = 0


def ok(good, what, *notes):
    global nr, failed
    nr += 1
    failed += not good
    print("ok" if good else "not ok", nr, "-", what, flush=True)
    if not good:
        for n in notes:
            print("#", repr(n)[:1000])


def hints(*args):
    p = subprocess.run([perf, "report", *args], cwd=golden, capture_output=True, text=True, env=ENV)
    return re.findall(r"^# \(Tip: (.*)\)$", p.stdout, re.M)


def has(part, *args):
    return any(part in h for h in hints(*args))


CUT = "of the user stacks are cut, most in"
HIDDEN, WITHOUT = "symbols are hidden", "in files without symbols"
SINGLE, LOST, CLOCK = "one frame long", "were lost", "a clock was the only event"

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

fp = [f for f in sorted(os.listdir(golden)) if f.endswith(".data") and f != "nocallchain.data"]
said = [f for f in fp if has(SINGLE, "-i", f, *SYMBOLS) or has(CUT, "-i", f, *SYMBOLS)]
ok(len(fp) > 10 and not said, "%d recordings of programs with frame pointers" % len(fp), said)

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
    p = subprocess.run([perf, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-g", "-o", data, program],
                       capture_output=True, text=True, env=ENV)
    if p.returncode and ENV.get("CI") != "true":
        print("# SKIP %s: cannot record here" % name)
        continue
    for how in (), ("-g", "none"), ("-j", "3"):
        h = hints("-i", data, *how)
        ok(any(CUT in x for x in h) == want and
           (not want or CUT in h[0] and program in h[0] and "table" in h[0] and "dwarf" in h[0]),
           "a program %s frame pointers %s" % (name, " ".join(how)), p.stderr, h)
print("1..%d" % nr)
sys.exit(failed != 0)
