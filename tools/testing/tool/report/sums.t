#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What holds for every recording: a row's own samples add up to all samples, callers have
at least what they have themselves, folded stacks add up, and filters cut the whole into
parts without rest."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402



def report(data, *args):
    status, out, _ = perf("report", "--stdio", "-i", data, "--symfs", "symfs", "--kallsyms", "kallsyms", *args, cwd=GOLDEN)
    return out if status == 0 else ""


def tables(data, *args):
    """Per event: (samples, event count, rows as lists of columns)."""
    out, rows = [], None
    for line in report(data, "--no-group", "-g", "none", "-t", "|", *args).splitlines():
        m = re.match(r"# Event count \(approx\.\): (\d+)", line)
        if m:
            rows = []
            out.append((int(m.group(1)), rows))
        elif line and line[0] != "#" and rows is not None:
            rows.append(line.split("|"))
    return out


def own(data, *args):
    """Samples and periods of all rows of all events."""
    rows = [r for _, t in tables(data, "--no-children", "-n", "--show-total-period", "-s",
                                 "comm,dso,sym", *args) for r in t]
    return sum(int(r[1]) for r in rows), sum(int(r[2]) for r in rows), rows


def stats(data):
    m = re.search(r"SAMPLE events: +(\d+)", report(data, "--stats"))
    return int(m.group(1)) if m else 0


for path in sorted(glob.glob(GOLDEN + "/*.data")):
    data = os.path.basename(path)
    name = data[:-5]
    events = tables(data, "--no-children", "-n", "--show-total-period")
    ok(events and all(sum(int(r[2]) for r in rows) == total for total, rows in events),
       name + ": the rows' periods are the event's")
    ok(all(abs(sum(float(r[0][:-1]) for r in rows) - 100) <= 0.005 * len(rows) + 0.001
           for _, rows in events), name + ": the rows' own parts are 100 %")
    samples, periods, rows = own(data)
    # A group's samples stand for one of each member that counted anything.
    ok(samples == stats(data) or name.startswith("group"), name + ": every sample is in a row")

    with_children = [r for _, t in tables(data) for r in t]
    if with_children and with_children[0][1].endswith("%"):
        ok(all(float(r[0][:-1]) >= float(r[1][:-1]) for r in with_children),
           name + ": callers have at least what they have themselves")
        ok(all(float(r[0][:-1]) <= 100 for r in with_children), name + ": and no more than all")
        ok(abs(sum(float(r[1][:-1]) for r in with_children) -
               sum(float(r[0][:-1]) for r in rows)) <= 0.005 * 2 * len(with_children) + 0.001,
           name + ": own parts are the same with children and without")

    folded = [line.rsplit(" ", 1) for line in report(data, "--folded").splitlines()]
    ok(folded and sum(int(n) for _, n in folded) == samples, name + ": folded stacks add up")

    comms = sorted({r[3] for r in rows})
    dsos = sorted({r[4] for r in rows})
    parts = [own(data, "-c", c)[:2] for c in comms]
    ok((sum(p[0] for p in parts), sum(p[1] for p in parts)) == (samples, periods),
       name + ": -c cuts into %d parts" % len(comms))
    parts = [own(data, "-d", d)[:2] for d in dsos]
    ok((sum(p[0] for p in parts), sum(p[1] for p in parts)) == (samples, periods),
       name + ": -d cuts into %d parts" % len(dsos))
    if " -001" not in report(data, "-s", "cpu"):
        parts = [own(data, "-C", c)[:2] for c in ("0", "1-1023")]
        ok((sum(p[0] for p in parts), sum(p[1] for p in parts)) == (samples, periods),
           name + ": -C cuts into two parts")
done()
