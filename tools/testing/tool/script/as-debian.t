#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
perf script against Debian's perf (6.1 on Debian 12, 6.12 on Debian 13), on recordings that it
makes here and now.

The two print the same but for what changed in mainline since. Each such
change is undone by name, on one side, in the function that names it; what is
left must be equal line by line.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib")
sys.path.insert(0, LIB)
from tap import done, failed, ok, skip  # noqa: E402

PERF = os.path.abspath(os.environ.get("PERF", "build/perf"))
THEIRS = "/usr/bin/perf"
ENV = dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS="", PAGER="cat", PERF_PAGER="cat",
           PERF_CONFIG="/dev/null")
TRACEFS = "/sys/kernel/tracing/events"
LOST_NAMESPACE = "assertion failed at util/namespaces.c"
THEIRS_IS_6_1 = subprocess.run([THEIRS, "--version"], stdout=subprocess.PIPE,
                               universal_newlines=True).stdout.startswith("perf version 6.1.")

PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sink;
#define NOINLINE __attribute__((noinline))
static void NOINLINE spin(long n) { for (long i = 0; i < n; i++) sink += i; }
static void NOINLINE touch(void)
{
	char *m = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(m, 1, 1 << 20);
	munmap(m, 1 << 20);
	sink++;
}
static void NOINLINE deep(int d) { if (d) deep(d - 1); else { spin(400000); touch(); } sink++; }
static void *worker(void *arg) { for (int i = 0; i < 10; i++) deep((long)arg); return NULL; }
int main(int argc, char **argv)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, (void *)(4 + 3 * i));
	for (int i = 0; i < 3; i++) {
		if (!fork()) { deep(5 + i); if (i == 1) execl("/bin/true", "true", NULL); _exit(0); }
		wait(NULL);
	}
	worker((void *)2L);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	return 0;
}
"""

# name, options of record, whether -a, options of script
CASES = [
    ("cpu-clock, callchains", "-e cpu-clock -F 2000 -g", [""]),
    ("cpu-clock alone", "-e cpu-clock -F 2000", ["", "-F comm,pid,tid,time,event",
                                                 "-F -ip,-sym,-symoff,-dso,+misc", "--ns"]),
    ("two events, addresses", "-e cpu-clock,page-faults -F 1000 -d -g", [
        "", "-G -F +addr,-sym,-symoff", "-G --switch-on page-faults", "--show-kernel-path -G",
        "-G --switch-on page-faults --switch-off cpu-clock --show-on-off-events",
        "-G --reltime", "-G --deltatime", "-G -c busy"]),
    ("the time of day", "-k CLOCK_MONOTONIC -e cpu-clock -F 2000", ["-F comm,tod,time,event"]),
    ("page faults one by one", "-e page-faults -c 1 -g", ["", "--max-stack 3"]),
    ("whole system", "-a -e cpu-clock -F 500 -g", [""]),
    ("a directory, by several threads", "-a --threads -e cpu-clock -F 500 -g", ["", "-G -F +cpu"]),
    ("compressed", "-z -e cpu-clock -F 2000 -g", [""]),
    ("one buffer, no inheriting", "-i -e task-clock -F 2000 -g", [""]),
    ("without times", "--no-timestamp -e cpu-clock -F 1000 -g", [""]),
    ("a tracepoint", "-e raw_syscalls:sys_enter", ["", "-F comm,tid,event,trace"]),
    ("tracepoints of the system", "-a -e sched:sched_switch,sched:sched_process_exec -g", [""]),
    ("registers and sizes", "-e page-faults -c 10 --user-regs=ip,sp,ax --intr-regs=ip,sp,ax "
     "--phys-data -d", ["-F +uregs,+iregs,+phys_addr,+addr,-sym,-symoff"]),
    ("a group that is read", "-e {cpu-clock,page-faults}:S -F 1000 -g", [""]),
    ("all other records", "-e cpu-clock -F 500 --switch-events --namespaces",
     ["--show-task-events --show-mmap-events --show-switch-events --show-namespace-events"]),
]


def run(argv, **kw):
    return subprocess.run(argv, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          errors="surrogateescape", **kw)


def record(opts, program, data):
    """While another recorder of this machine asks for build-ids, its kernel flags device numbers
    as build-ids for 6.1, too. Where that number is above 20, what reads the map dies of a smashed stack
    ("assertion failed at util/build-id.c"): its script, and its record unless -B keeps it from
    reading. So a recording with such a map is made once more; our perf reports it."""
    to_pipe = data.endswith("/pipe")
    # Its thread for BPF's records ends late, mostly 0.8 s after the program: some recordings have them.
    bpf = [] if "-a" in opts.split() else ["--no-bpf-event"]
    for _ in range(20):
        with open(data if to_pipe else os.devnull, "wb") as f:
            rec = subprocess.run([THEIRS, "record", "-q", "-B", "-o", "-" if to_pipe else data,
                                  *bpf, *opts.split(), "--", program],
                                 env=ENV, stdout=f, stderr=subprocess.PIPE, errors="replace")
        if rec.returncode or "a build-id of" not in run([PERF, "report", "--stats", "-i", data]).stderr:
            break
    return rec


def tid_is_seven_wide_now(line):
    """6.1 prints the tid in 5 columns, mainline since 6.8 in 7."""
    return re.sub(r"^(\S+(?: \S+)*?| *\S+(?: \S+)*?) +(-?\d+)(/\d+)? +(?=\[|[A-Za-z]| *\d+\.\d+:| *\d+ )",
                  lambda m: "%s %s%s " % (m[1].strip(), m[2], m[3] or ""), line, count=1)


def user_frames_are_offsets_in_6_1(line):
    """6.1 prints a callchain's user addresses as offsets in their file, the vdso's too; ours
    shows these with dsoff, mainline as it does without it prints the address itself. Of the
    kernel and of memory that is no file both print the address."""
    m = re.match(r"^\t *[0-9a-f]+ (.*) \((.*)\+0x([0-9a-f]+)\)$", line)
    if not m or m[2].startswith(("[heap", "[stack")):
        return re.sub(r"\+0x[0-9a-f]+\)$", ")", line) if m else line
    return "\t%16x %s (%s)" % (int(m[3], 16), m[1], m[2])


def stubs_of_resolvers_have_names_now(line):
    """6.1 prints '@plt' for stubs whose target only the dynamic loader finds out."""
    return re.sub(r" \S*@plt\+", " @plt+", line)


def vdso_is_not_in_the_cache(line):
    """6.1 names the vdso's functions only out of its build-id cache, which -B leaves alone, or
    out of a copy that it made now."""
    return re.sub(r" [^ ]+ \((\[vdso\]|/tmp/perf-vdso\.so-\w+)\)$", " [unknown] ([vdso])", line)


def removed_files_have_names(line):
    """perf reads no file that was removed or is a memfd's; ours does while its process runs."""
    return re.sub(r"^(\t *[0-9a-f]+) .*? \((/.* \(deleted\)(?:\+0x[0-9a-f]+)?)\)$", r"\1 [unknown] (\2)", line)


def normalise(text, ours):
    for line in text.split("\n"):
        line = stubs_of_resolvers_have_names_now(line)
        if line.startswith("\t"):
            line = user_frames_are_offsets_in_6_1(line) if ours else line
        else:
            line = tid_is_seven_wide_now(line)
        yield vdso_is_not_in_the_cache(removed_files_have_names(line))


def chains_with_a_marker_in_them_are_kept(a, b):
    """perf drops a whole callchain when an address in it looks like a context marker (the
    frame pointer was -1); ours prints what stands before."""
    return len(a) > 1 and len(b) == 1


def head_of_plt_has_a_name_now(a, b):
    """6.1 counts the first entry of .plt to the function before it (_init), or has no name for it."""
    def no_name(line):
        return re.sub(r" (?:\S+\+0x[0-9a-f]+|\[unknown\]) \(", " (", line)
    return [no_name(y) if " .plt+0x" in x else y for x, y in zip(a, b)] == \
        [no_name(x) if " .plt+0x" in x else x for x in a] and len(a) == len(b)


def named_by_their_calls(a, b):
    """A return address that is a function's first byte: 6.1 names that function, we the caller."""
    def as_theirs(x, y):
        behind = re.match(r"(\s*[0-9a-f]+ )\S+[+]0x0( \(.*)", y)
        same_place = behind and x.startswith(behind[1]) and x.endswith(behind[2])
        return y if same_place else x
    return a[:2] + [as_theirs(x, y) for x, y in zip(a[2:], b[2:])] + a[len(b):]


def same(a, b):
    a = named_by_their_calls(a, b)
    if a == b or head_of_plt_has_a_name_now(a, b):
        return True
    if not (a and b) or a[0] != b[0]:
        return False
    return a[1:] == b[1:] or chains_with_a_marker_in_them_are_kept(a, b)


def blocks(lines):
    """A sample with its callchain is one, any other line, too."""
    out = []
    for line in lines:
        if line.startswith("\t") and out:
            out[-1].append(line)
        elif line:
            out.append([line])
    return out


def compare(data, opts, chains, kallsyms):
    extra = ["-F", "+ip,+sym,+symoff,+dso,+dsoff"] if \
        THEIRS_IS_6_1 and chains and "-F" not in opts else []
    # Linker's names: 6.1 leaves out the parameters of C++, 7.2 and ours show them.
    how = ["script", "--no-demangle", "--no-inline", *kallsyms, "-i", data, *opts]
    ours = run([PERF, *how, *extra])
    theirs = run([THEIRS, *how])
    # Once it could not go back from a container's mount namespace, perf 6.12 reads wrong files.
    if LOST_NAMESPACE in theirs.stderr:
        return LOST_NAMESPACE
    if ours.returncode:
        return ["ours: status %d: %s" % (ours.returncode, ours.stderr.strip())]
    a = blocks(normalise(ours.stdout, bool(extra)))
    b = blocks(normalise(theirs.stdout, False))
    # Between two events may lie little.
    if len(a) < (1 if "--switch-off" in opts else 10):
        return ["only %d samples were printed" % len(a)]
    bad = [(x, y) for x, y in zip(a, b) if not same(x, y)]
    notes = ["%d samples, theirs %d; %d differ" % (len(a), len(b), len(bad))] if bad or \
        len(a) != len(b) else []
    for x, y in bad[:2]:
        n = next((n for n, (v, w) in enumerate(zip(x, y)) if v != w), min(len(x), len(y)))
        notes += ["ours:   " + v for v in x[n:n + 2]] + ["theirs: " + v for v in y[n:n + 2]]
    return notes


def main():
    work = ENV["HOME"] = tempfile.mkdtemp(prefix="blackbox-")
    prog = work + "/busy"
    with open(prog + ".c", "w") as f:
        f.write(PROGRAM)
    subprocess.check_call(["gcc", "-O1", "-g0", "-fno-omit-frame-pointer",
                           "-fno-optimize-sibling-calls", "-pthread", "-o", prog, prog + ".c"])
    # Most of the time goes into all names of the kernel's functions: the first comparison alone
    # has them.
    with open("/proc/kallsyms") as f, open(work + "/kallsyms", "w") as some:
        some.writelines(line for i, line in enumerate(f)
                        if not i % 16 or line.split()[2] in ("_text", "_stext", "_etext"))
    kallsyms = ["--kallsyms", work + "/kallsyms"]
    have_tp = os.geteuid() == 0 or os.access(TRACEFS, os.R_OK | os.X_OK)
    for nr, (name, opts, prints) in enumerate(CASES):
        if ":" in opts.replace("}:S", "") and not have_tp:
            skip(name, "only root reads tracefs here")
            continue
        data = "%s/%d.data" % (work, nr)
        rec = record(opts, prog, data)
        if rec.returncode or not os.path.exists(data):
            skip(name, "Debian's perf cannot record it here: " +
                     (rec.stderr.strip().split("\n") or [""])[-1])
            continue
        for p in prints:
            notes = compare(data, p.split(), " -g" in opts and "-G" not in p, kallsyms if nr else [])
            what = name + (": script " + p if p else "")
            if notes == LOST_NAMESPACE:
                skip(what, "Debian's perf lost its mount namespace")
            else:
                ok(not notes, what, *notes)
        if "-a" not in opts.split():
            # The same through a pipe: both passes window by window.
            rec = record(opts.replace("-z ", ""), prog, work + "/pipe")
            if not rec.returncode:
                rec = run(["sh", "-c", "cat pipe | %s script --kallsyms kallsyms -i - > 1 && "
                           "%s script --kallsyms kallsyms -i pipe > 2" % (PERF, PERF)], cwd=work)
            a, b = (open(work + "/" + n, errors="surrogateescape").read() for n in "12")
            # A stream has no rounds of its own before its first: its start may be known late.
            ok(rec.returncode == 0 and sorted(a.split("\n")) == sorted(b.split("\n")) and
               len(a) > 100, name + ": through a pipe", rec.stderr.strip())
    if failed():
        print("# recordings are left in " + work)
    else:
        shutil.rmtree(work)
    done()


if "RECORDED" not in os.environ:
    os.execv(LIB + "/thrice", [LIB + "/thrice", os.path.abspath(__file__)])
main()
