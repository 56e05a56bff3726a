# SPDX-License-Identifier: GPL-2.0
"""TAP for the tests of the tool that are written in Python: ok() and skip() for each check,
done() at the end; and what several of them ask for: terminals, the state of a task."""
import os
import signal
import sys

# As tap.sh; the two that Python itself ignores subprocess resets.
for _sig in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
    if signal.getsignal(_sig) == signal.SIG_IGN:
        signal.signal(_sig, signal.SIG_DFL)

_count = {'nr': 0, 'failed': 0}


def _line(good, text):
    _count['nr'] += 1
    _count['failed'] += not good
    print('%sok %d - %s' % ('' if good else 'not ', _count['nr'], text), flush=True)


def ok(good, name, *why):
    """A check; @why is printed behind one that fails."""
    _line(good, name)
    for w in () if good else why:
        print('# %s' % str(w)[-600:].replace('\n', '\n# '), flush=True)


def skip(name, why):
    """A check that something absent makes impossible: a failure with CI=true."""
    _line(os.environ.get('CI') != 'true', '%s # SKIP %s' % (name, why))


def failed():
    """How many checks failed so far."""
    return _count['failed']


def terminals():
    """Can a pseudo-terminal be opened? Not without devpts, as in a bare chroot."""
    try:
        for fd in os.openpty():
            os.close(fd)
        return True
    except OSError:
        return False


def need_terminals():
    """Ends the test where there are none."""
    if not terminals():
        skip('on a terminal', 'no pseudo-terminal can be opened')
        done()


def task_state(task):
    """The letter that proc(5) has for the state of PID or PID/task/TID; None: it has ended."""
    try:
        with open('/proc/%s/stat' % task, encoding='ascii', errors='replace') as f:
            return f.read().rpartition(') ')[2][:1]
    except OSError:
        return None


def done():
    """The plan; ends the program."""
    print('1..%d' % _count['nr'])
    sys.exit(_count['failed'] != 0)
