#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""^C while a pipe is idle: the program ends with status 130 (or by the signal), what had come by
then is shown, and no damage is claimed; the same with what the writer of the pipe still sends.
TAP."""
import array
import fcntl
import sys
import termios
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

HANG = 60       # seconds after which a program does not end at all


def idle(pid, fd):
    """Has the process read all, and does it wait? Once it catches ^C at all, with that."""
    left = array.array('i', [0])
    fcntl.ioctl(fd, termios.FIONREAD, left)
    return not left[0] and task_state(pid) == 'S'


def catches(pid):
    with open('/proc/%d/status' % pid) as f:
        mask = [line.split()[1] for line in f if line.startswith('SigCgt:')][0]
    return int(mask, 16) >> signal.SIGINT - 1 & 1


def wait_for(what, seconds):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.01)


def start(args, **kw):
    return subprocess.Popen((PERF,) + args + ('-i', '-'),
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **kw)


def interrupt(args, data, later=b'', open_only=False):
    """Feed data to perf, interrupt it once it waits for more, then send what comes later.
    Return: (status, stdout, stderr); None: it went on."""
    r, w = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = start(args, stdin=r, stdout=out, stderr=err)
        os.write(w, data)
        if not open_only:
            wait_for(lambda: catches(p.pid), 10)
        wait_for(lambda: idle(p.pid, r), HANG)
        p.send_signal(signal.SIGINT)
        if later:
            os.write(w, later)
        try:
            status = p.wait(HANG)
        except subprocess.TimeoutExpired:
            status = None
            p.kill()
            p.wait()
        os.close(r), os.close(w)
        out.seek(0), err.seek(0)
        return status, out.read(), err.read().decode()


with open(GOLDEN + '/pipe.defer.data', 'rb') as f:
    golden = f.read()
whole = {}
for args in (('script',), ('report', '--stdio'), ('report', '-D'), ('report', '--tasks'), ('report', '--stats'),
             ('script', '-D'), ('report', '--folded'),
             ('annotate', '--stdio', '--symfs', GOLDEN + '/symfs')):
    name = ' '.join(args[:2])
    p = subprocess.run((PERF,) + args + ('-i', '-'), input=golden, stdout=subprocess.PIPE)
    whole = [line for line in p.stdout.split(b'\n') if b'SAMPLE' in line or line[:1] not in b'#']
    status, out, err = interrupt(args, golden)
    lines = out.split(b'\n')
    # -D counts the records at the very end only.
    missing = [line for line in whole if line not in lines and b' events: ' not in line and b' stats:' not in line]
    ok(status == 130, name + ': ends with status 130', status, err)
    ok(whole and not missing, name + ': all that came is shown', missing[:3], len(lines), len(whole))
    ok('cut off' not in err and len(err.splitlines()) <= 1, name + ': no damage', err)

# In the middle of a record: what stood before it
status, out, err = interrupt(('script',), golden[:-100])
ok(status == 130 and out.count(b'\n') > 100 and not err, 'half a record: what stood before is shown', status, err)
# What the writer sends because ^C went to it, too
half = len(golden) // 2
status, out, err = interrupt(('script',), golden[:half], golden[half:])
full = subprocess.run((PERF, 'script', '-i', '-'), input=golden, stdout=subprocess.PIPE).stdout
ok(status == 130 and out == full, 'what comes at once after ^C is read', status, len(out), len(full), err)
# Before anything of the recording is known
for data, name in ((b'PERF', 'half a magic'), (golden[:10], 'half a header')):
    status, out, err = interrupt(('report', '--stdio'), data, open_only=True)
    ok(status in (130, -signal.SIGINT) and not out, name + ': ends', status, err)
# Not a pipe's stream but an ordinary recording, of which more is awaited
with open(os.path.join(LIB, '..', 'golden', 'c', 'useronly.defer.data'), 'rb') as f:
    status, out, err = interrupt(('script',), f.read()[:3000], open_only=True)
ok(status in (130, -signal.SIGINT), 'half an ordinary recording: ends', status, err)

# Whatever ends it, half of a file does not remain, and one that was there does.
for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    for args in (('data', 'convert', '--to-json'), ('inject', '-o')):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'keep')
            put(path, 'old')
            left = []
            for name in 'keep', 'new':
                r, w = os.pipe()
                with open(GOLDEN + '/pipe.defer.data', 'rb') as f:
                    os.write(w, f.read())
                p = start(args + (os.path.join(folder, name),), stdin=r, stderr=subprocess.DEVNULL)
                wait_for(lambda: catches(p.pid), 10)
                wait_for(lambda: idle(p.pid, r), HANG)
                p.send_signal(sig)
                status = p.wait(HANG)
                os.close(r)
                os.close(w)
                left += [(name, status, sorted(os.listdir(folder)))]
            # inject stores a pipe first, and makes of that what it can.
            if args[0] == 'inject':
                whole = all(status == 0 for _, status, _ in left) and left[1][2] == ['keep', 'new']
            else:
                with open(path) as f:
                    whole = all(status == 130 and names == ['keep'] for _, status, names in left) and f.read() == 'old'
            ok(whole, '%s by %s: no half of a file' % (args[0], sig.name), left)
done()
