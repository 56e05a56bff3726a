#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""perf archive --unpack of archives that anybody may have made: what a build-id cache has is
unpacked, bytes alone; of an archive with anything else nothing is, and no file outside of the
cache is written. Names of recordings and files. TAP."""
import io
import stat
import sys
import tarfile
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

HOME, CWD = TMP + '/home', TMP + '/cwd'
os.environ.update(HOME=HOME, PATH=TMP + '/bin:' + os.environ['PATH'])
HEX = 'ab' * 20
DIR = 'usr/bin/prog/' + HEX
LINK = '.build-id/ab/' + HEX[2:]


def member(name, data=b'content', **more):
    i = tarfile.TarInfo(name)
    i.mode = 0o6777
    for k, v in more.items():
        setattr(i, k, v)
    i.size = len(data) if i.type == tarfile.REGTYPE else 0
    return i, data


def link(name, target):
    return member(name, type=tarfile.SYMTYPE, linkname=target)


GOOD = [member(DIR + '/elf'), link(LINK, '../../' + DIR), member('perf.data', b'recording')]


def archive(members, name='x.tar.bz2', how='w:bz2', form=tarfile.GNU_FORMAT):
    path = TMP + '/' + name
    with tarfile.open(path, how, format=form) as t:
        for i, data in members:
            t.addfile(i, io.BytesIO(data))
    return path


def perf(*args):
    return run(PERF, *args, cwd=CWD)


def fresh():
    for d in (HOME, CWD):
        shutil.rmtree(d, ignore_errors=True)
        os.mkdir(d)


def files():
    """Every file and link below both folders, with its bytes or its target."""
    found = {}
    for top in (HOME, CWD):
        for folder, dirs, names in os.walk(top):
            for n in names + [d for d in dirs if os.path.islink(os.path.join(folder, d))]:
                path = os.path.join(folder, n)
                if os.path.islink(path):
                    found[path] = os.readlink(path)
                elif stat.S_ISREG(os.lstat(path).st_mode):
                    with open(path, 'rb') as f:
                        found[path] = f.read()
                else:
                    found[path] = None
    return found


def unpack(*args, **kw):
    fresh()
    return perf('archive', '--unpack', archive(*args, **kw))


def unpacks(name, members, want, **kw):
    """@want: {path below ~/.debug, or name in the current folder: content or target}"""
    status, out, err = unpack(members, **kw)
    found = files()
    want = {(HOME + '/.debug/' if '/' in k else CWD + '/') + k: v for k, v in want.items()}
    modes = {stat.S_IMODE(os.lstat(p).st_mode) for p in found if not os.path.islink(p)}
    ok(status == 0 and found == want and modes <= {0o600}, name, status, out, err, found)


def refuses(name, member_, why='nothing was unpacked', **kw):
    """An archive with @member_, last or first."""
    for where, members in ('last', GOOD + [member_]), ('first', [member_] + GOOD):
        status, out, err = unpack(members, **kw)
        ok(status == 1 and why in err and err.count('\n') == 1 and not out and not files() and
           not any(ord(c) < 32 for c in err[:-1]), '%s, %s' % (name, where), status, out, err,
           files())


CACHED = {DIR + '/elf': b'content', LINK: '../../' + DIR}
ALL = dict(CACHED, **{'perf.data': b'recording'})
for kind, how in ('bzip2', 'w:bz2'), ('gzip', 'w:gz'), ('xz', 'w:xz'), ('nothing', 'w'):
    unpacks('compressed by ' + kind, GOOD, ALL, how=how)
deep = '/'.join(['home', 'user', '.local'] + ['d' * 60] * 4)
far = {deep + '/' + HEX + '/elf': b'content', LINK: '../../' + deep + '/' + HEX}
for kind, form in ('GNU', tarfile.GNU_FORMAT), ('pax', tarfile.PAX_FORMAT):
    unpacks('long names of ' + kind, [member(deep + '/' + HEX + '/elf'),
                                      link(LINK, '../../' + deep + '/' + HEX)], far, form=form)
ALSO = 'usr/bin/also/cd' + HEX
unpacks('a hard link to a file in it',
        GOOD + [member(ALSO + '/elf', type=tarfile.LNKTYPE, linkname=DIR + '/elf')],
        dict(ALL, **{ALSO + '/elf': b'content', '.build-id/cd/' + HEX: '../../' + ALSO}))
unpacks('an index, which is no file of an archive', GOOD + [member(DIR + '/inlines')], ALL)
unpacks('folders', [member(DIR, type=tarfile.DIRTYPE)] + GOOD, ALL)

refuses('an option', member('--to-command=id >PWNED;true'))
refuses('a name that begins with a dot', member('.bash_profile'))
refuses('a second recording', member('Makefile'))
refuses('control characters', member('r\x1b]0;PWN\x07'))
refuses('control characters in a path', member('p\x1b[31m/x'))
refuses('a path above the cache', member('../../x/' + HEX + '/elf'))
refuses('a path through the folder above', member('usr/../../../x/' + HEX + '/elf'))
refuses('a path with a dot', member('usr/./' + HEX + '/elf'))
refuses('an absolute path', member('/x/' + HEX + '/elf'))
refuses('a file in .build-id', member('.build-id/x/' + HEX + '/elf'))
refuses('no build-id', member('usr/bin/prog/elf'))
refuses('a link of a folder', link('usr/lib', '../../.ssh'))
refuses('a link of a recording', link('recording', '/etc/passwd'))
refuses('a link of a file', link(DIR + '/debug', '/etc/passwd'))
refuses('a link out of .build-id', link(LINK, '../../../.ssh/' + HEX))
refuses('a link to another build-id', link(LINK, '../../usr/bin/prog/cd' + HEX))
refuses('a hard link to a file of the cache',
        member(DIR + '/debug', type=tarfile.LNKTYPE, linkname='.config/x'))
for name_, type_ in (('device', tarfile.BLKTYPE), ('character device', tarfile.CHRTYPE),
                     ('FIFO', tarfile.FIFOTYPE)):
    refuses('a ' + name_, member(DIR + '/debug', type=type_, devmajor=1, devminor=3))

bomb = archive(GOOD + [member(DIR + '/debug', bytes(200 << 20))], how='w:bz2')
fresh()
status_, out_, err_ = perf('archive', '--unpack', bomb)
ok(status_ == 1 and 'more than 100 times' in err_ and not files(),
   'what unpacks to 200 MB of zeroes', status_, err_, files())
whole = archive(GOOD, how='w')
with open(whole, 'rb') as f:
    text = f.read()
for size in (0, 1, 511, 700, 1536):
    put(whole, text[:size])
    fresh()
    status_, out_, err_ = perf('archive', '--unpack', whole)
    ok(status_ == 1 and err_.count('\n') == 1 and not files(), 'cut after %d bytes' % size, status_,
       err_, files())

# Two archives: what is there stays, and no link of it is followed.
fresh()
os.makedirs(HOME + '/.debug/usr')
os.mkdir(HOME + '/victim')
os.symlink(HOME + '/victim', HOME + '/.debug/usr/bin')
status_, out_, err_ = perf('archive', '--unpack', archive(GOOD))
ok(status_ == 1 and not os.listdir(HOME + '/victim'), 'a link in the cache is not followed', status_,
   err_)
unpack(GOOD)
status_, out_, err_ = perf('archive', '--unpack',
                           archive([member(DIR + '/elf', b'other'), member('new', b'r')]))
ok(status_ == 0 and files()[HOME + '/.debug/' + DIR + '/elf'] == b'content',
   'a file that is there stays', status_, err_)
status_, out_, err_ = perf('archive', '--unpack', archive([member('new', b'other')]))
ok(status_ == 1 and './new exists' in err_ and files()[CWD + '/new'] == b'r',
   'a recording that is there stays', err_)

# Names.
fresh()
os.makedirs(TMP + '/bin')
for n_ in 'rsh', 'ssh':
    put(TMP + '/bin/' + n_, '#!/bin/sh\necho run >%s/RSH\n' % TMP)
    os.chmod(TMP + '/bin/' + n_, 0o755)
shutil.copy('/bin/true', CWD + '/true')
note = bytes.fromhex(perf('buildid-list', '-i', 'true')[1].strip())


def recording(path):
    """With two samples: in true, and in a file whose name has control characters."""
    body = b''
    for at, file, this in ((0x10000, CWD + '/true', note),
                           (0x20000, '/p\x1b]0;PWN\x07\nf\x9b', bytes(20))):
        body += record(10, ii(1, 1) + q(at, 0x10000, 0) + bytes([len(this), 0, 0, 0]) + this +
                       ii(5, 2) + string(file.encode('latin-1')), misc=2 | 1 << 14)
        body += record(9, q(at + 8) + ii(1, 1), misc=2)
    with open(path, 'wb') as f_:
        f_.write(perf_file([attr(IP | TID, flags=('mmap', 'comm'))], body))


recording(CWD + '/host:data')
status_, out_, err_ = perf('archive', '--all', '-i', 'host:data')
ok(os.path.exists(CWD + '/host:data.tar.bz2') and not os.path.exists(TMP + '/RSH'),
   'a name with a colon is packed', status_, err_)
if os.path.exists(CWD + '/host:data.tar.bz2'):
    shutil.move(CWD + '/host:data.tar.bz2', TMP + '/host:y')
fresh()
status_, out_, err_ = perf('archive', '--unpack', TMP + '/host:y')
ok(status_ == 0 and CWD + '/host:data' in files() and not os.path.exists(TMP + '/RSH'),
   'and unpacked', status_, err_)
recording(CWD + '/data')
for command in (('buildid-list', '-i', 'data'), ('buildid-list', '-H', '-i', 'data'),
                ('buildid-cache', '-M', 'data')):
    status_, out_, err_ = perf(*command)
    ok('/p?]0;PWN??f?' in out_ and '\x1b' not in out_, 'printable names: ' + ' '.join(command),
       status_, out_, err_)
unpack([member('p\x1b[31m\n/' + HEX + '/elf')])
status_, out_, err_ = perf('buildid-cache', '-l')
ok(out_ == HEX + ' /p?[31m?\n', 'printable names: buildid-cache -l', status_, out_, err_)
done()
