#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
unwind.py PERF BUILD: who walks the stacks of real programs best? The same recordings, made
here and now, walked by ours, by libunwind (Debian's perf 6.1, which is built with it) and by
libdw (unwind-walk.c). For each: how many user callchains are whole, that is reach the
program's or the thread's start; frames a chain; processor time, of perf script against 6.1's
and of unwind-walk's two ways. Judges nothing.
"""
import os
import re
import subprocess
import sys
import tempfile

ENV = dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS="", PERF_CONFIG="/dev/null")
THEIRS = "/usr/bin/perf"
STARTS = re.compile(r"^(_start|_dl_start_user|__?clone3?|clone3?|start_thread|thread_start|__libc_start_main.*|"
                    r"__libc_start_call_main)$")
FIELDS = ["-F", "tid,time,ip,sym"]

PROGRAMS = {
    "sort, 2 threads": "sh -c 'seq 300000 | sort -R --parallel=2 | md5sum'",
    "python": "python3 -c 'import json,re\nfor i in range(1500): "
              "json.loads(json.dumps({str(k):[k]*9 for k in range(200)})); re.sub(\"a+\",\"b\",\"caaat\"*200)'",
    "perl": "perl -e 'my %h; $h{$_%1000}.=chr(65+$_%26) for 1..3000000; print scalar keys %h'",
    "g++": "g++ -O1 -c -o /dev/null %s/x.cc",
    "xz": "sh -c 'seq 400000 | xz -6 -T2 > /dev/null'",
    "git": "sh -c 'cd %s && git init -q r && cd r && seq 2000000 > f && git add f && git -c user.name=x "
           "-c user.email=x commit -qm x && git gc -q'",
}


def measure(argv):
    """Lines, and processor seconds."""
    with tempfile.TemporaryFile() as out, open(os.devnull, "w") as null:
        p = subprocess.Popen(argv, stdout=out, stderr=null, env=ENV)
        _, status, ru = os.wait4(p.pid, 0)
        if status:
            sys.exit("unwind: %s failed with status %d" % (" ".join(argv), status))
        out.seek(0)
        return out.read().decode("utf8", "replace").split("\n"), ru.ru_utime + ru.ru_stime


def chains(lines):
    """(tid, time) -> names of user frames, innermost first"""
    out, chain = {}, None
    for line in lines:
        m = re.match(r"^ *(\d+) +([\d.]+):", line)
        if m:
            chain = out.setdefault((m[1], m[2]), [])
            continue
        m = re.match(r"^\t *([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)?$", line)
        if m and not re.match(r"f{8}[89a-f]", m[1]) and m[1] != "f" * 16:
            chain.append(m[2])
    return out


def main():
    perf, build = os.path.abspath(sys.argv[1]), sys.argv[2]
    print("%-18s %6s   %-20s %-20s %s" % ("program", "chains", "whole, %", "frames a chain",
                                         "our processor time"))
    print("%-18s %6s   %s%s" % ("", "", "%-6s %-6s %-6s " % ("ours", "unwind", "libdw") * 2,
                                "/unwind /libdw"))
    with tempfile.TemporaryDirectory(prefix="unwind-") as work:
        with open(work + "/x.cc", "w") as f:
            f.write("#include <map>\n#include <string>\n#include <regex>\nstd::map<std::string, std::regex> m;\n"
                    "int main() { m[\"a\"] = std::regex(\"x\"); return m.size(); }\n")
        for name, command in PROGRAMS.items():
            data = work + "/data"
            for _ in range(20):
                # -B, and once more: see tools/testing/tool/script/as-debian.t
                subprocess.run([THEIRS, "record", "-q", "-B", "-F", "999", "-e", "cpu-clock", "--call-graph",
                                "dwarf,16384", "-o", data, "--", "sh", "-c", command.replace("%s", work)],
                               env=ENV, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                bad = subprocess.run([perf, "report", "--stats", "-i", data], env=ENV, text=True,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr
                if "a build-id of" not in bad:
                    break
            runs = [measure([perf, "script", "--no-inline", *FIELDS, "-i", data]),
                    measure([THEIRS, "script", "--no-inline", *FIELDS, "-i", data]),
                    measure([build + "/test/unwind-walk", "libdw", data]),
                    measure([build + "/test/unwind-walk", "ours", data])]
            each = [chains(lines) for lines, _ in runs[:3]]
            # Of samples for which anybody found a user frame.
            keys = [k for k in each[0] if any(c.get(k) for c in each)]
            whole = [100 * sum(any(STARTS.match(f) for f in c.get(k, [])[-2:]) for k in keys) / len(keys)
                     for c in each]
            frames = [sum(len(c.get(k, [])) for k in keys) / len(keys) for c in each]
            time = [runs[0][1] / runs[1][1], runs[3][1] / runs[2][1]]
            print("%-18s %6d   " % (name, len(keys)) +
                  "".join("%-6.1f " % v for v in whole + frames) + "%-7.2f %.2f" % tuple(time))


main()
