#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Callchains of language runtimes: the share that reaches the program's start, and the share with
the function of the program that does the work, by each mode, of this perf and of Debian's.

usage: runtimes.py PERF [PYTHON...]; each PYTHON is a python3 of 3.12 or later.
Runtimes that are not installed are left out. Prints a table of reStructuredText."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PYTHON = """
def inner(n):
    s = 0
    for i in range(n): s += i * i % 7
    return s
def middle(n): return inner(n)
def outer(n):
    for i in range(n): middle(20000)
outer(800)
"""
GO = """package main
import ("fmt"; "sort")
func inner(n int) int {
	m := map[string]int{}
	for i := 0; i < n; i++ { m[fmt.Sprintf("k%d", i%5000)]++ }
	a := make([]string, 0, n)
	for k := range m { a = append(a, k) }
	sort.Strings(a)
	return len(a)
}
func outer(n int) (s int) { for i := 0; i < n; i++ { s += inner(60000) }; return }
func main() { fmt.Println(outer(60)) }
"""
NODE = """
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i % 1000) | 0; return s }
function middle(n) { return inner(n) + inner(n + 1) }
function outer(n) { let s = 0; for (let i = 0; i < n; i++) s += middle(1e6 + i); return s }
console.log(outer(300))
"""
JAVA = """
public class Main {
	static long inner(long n) {
		StringBuilder b = new StringBuilder();
		for (long i = 0; i < n; i++) {
			b.append(i % 7);
			if (b.length() > 100) b.setLength(0);
		}
		return b.length();
	}
	static long middle(long n) { return inner(n) + inner(n + 1); }
	public static void main(String[] a) {
		long s = 0;
		for (int i = 0; i < 200; i++) s += middle(300000);
	}
}
"""
START = re.compile(r" (_start|__libc_start\S*|runtime\.goexit\S*|runtime\.mstart\S*|start_thread|"
                   r"__?clone3?|runtime\.rt0_go\S*)(\+|$| )")
OWN = {"python3": r"py::inner\b", "go": r"main\.inner", "node": r"\binner\b",
       "java": r"Main.*\binner"}


def version(command):
    p = subprocess.run(command, capture_output=True, text=True)
    return re.search(r"\d+[.\d]*", p.stdout + p.stderr).group()


def shares(perf, mode, command, kind, folder):
    """Percentages of the user callchains; None: no recording."""
    data = folder + "/data"
    if os.path.exists(data):
        os.unlink(data)
    subprocess.run([perf, "record", "-q", "-N", "-F", "399", "-e", "cpu-clock:u", "--call-graph",
                    mode, "-o", data, "--", *command], capture_output=True, cwd=folder)
    if not os.path.exists(data):
        return None
    text = subprocess.run([perf, "script", "-i", data, "-F", "ip,sym", "--no-inline"],
                          capture_output=True, text=True, errors="replace").stdout
    chains = [" ".join(c.split("\n")) for c in text.split("\n\n") if c.strip()]
    own = re.compile(OWN[kind])
    return [100 * sum(bool(r.search(c)) for c in chains) / max(len(chains), 1)
            for r in (START, own)]


def programs(folder, pythons):
    for name, text in ("t.py", PYTHON), ("t.go", GO), ("t.js", NODE), ("Main.java", JAVA):
        with open(folder + "/" + name, "w") as f:
            f.write(text)
    for python in pythons:
        v = version([python, "--version"])
        for flag in ["-X perf"] + ["-X perf_jit"] * (v >= "3.13"):
            yield "python3", v, flag, [python, *flag.split(), "t.py"]
    env = dict(os.environ, GO111MODULE="off", GOCACHE=folder + "/cache")
    for flags in [], ["-ldflags=-s -w"]:
        build = ["go", "build", "-o", "t", *flags, "t.go"]
        if shutil.which("go") and not subprocess.run(build, cwd=folder, env=env).returncode:
            yield "go", version(["go", "version"]), " ".join(flags), ["./t"]
    if shutil.which("node"):
        for flags in "", "--perf-basic-prof", "--perf-basic-prof --interpreted-frames-native-stack":
            yield "node", version(["node", "--version"]), flags, ["node", *flags.split(), "t.js"]
    build = ["javac", "Main.java"]
    if shutil.which("javac") and not subprocess.run(build, cwd=folder).returncode:
        dump = "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"
        for flags in "", "-XX:+PreserveFramePointer " + dump:
            yield "java", version(["java", "--version"]), flags, ["java", *flags.split(), "Main"]


def main(perf, *pythons):
    modes = [(perf, m) for m in ("live", "bpf", "dwarf,16384", "fp")]
    modes += [("/usr/bin/perf", m) for m in ("dwarf,16384", "fp")]
    width = 11
    line = "=" * 8 + " " + "=" * 8 + " " + "=" * 66 + (" " + "=" * width) * len(modes)
    print(line)
    print("%-8s %-8s %-66s" % ("runtime", "version", "flags"),
          *("%-*s" % (width, m.split(",")[0] + (", 6.1" if p != perf else "")) for p, m in modes))
    print(line)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        for kind, v, flags, command in programs(folder, pythons):
            cells = []
            for p, m in modes:
                s = shares(p, m, command, kind, folder)
                cells.append("%-*s" % (width, "%.0f, %.0f" % tuple(s) if s else "-"))
            flags = "``%s``" % flags if flags else "none"
            print("%-8s %-8s %-66s" % (kind, v, flags), *cells, flush=True)
    print(line)


main(os.path.realpath(sys.argv[1]), *sys.argv[2:])
