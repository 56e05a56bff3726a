#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""--symfs never leaves the folder: links in it are resolved as if it were the root. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from programs import *  # noqa: E402

put('prog.c', '''
volatile int x;
__attribute__((noinline)) void FUNCTION(void) { x++; }
int main(void) { FUNCTION(); }
''')
for name in 'inside', 'outside':
    sh('gcc -g -O1 -Wl,--build-id=none -DFUNCTION=%s -o %s prog.c' % (name, name))
AT = nm(path('inside'))['inside']


DATA = of_program('data', path('inside'), [AT], mapped_as='/app/prog')


def shown(**links):
    """The symbol with --symfs sys, where app/prog is made of links: {path: target}"""
    shutil.rmtree(path('sys'), ignore_errors=True)
    os.makedirs(path('sys/usr/bin'))
    shutil.copy(path('inside'), path('sys/usr/bin/prog'))
    for where, target in links.items():
        where = path('sys', where.replace('__', '/'))
        os.makedirs(os.path.dirname(where), exist_ok=True)
        os.symlink(target, where)
    status, out, err = perf('script', '-F', 'ip,sym', '--symfs', path('sys'), '-i', DATA)
    return 'inside' if 'inside' in out else 'outside' if 'outside' in out else 'nothing'


os.makedirs(path('host'), exist_ok=True)
shutil.copy(path('outside'), path('host/prog'))
up = '../' * 40
ok(shown(app__prog='/usr/bin/prog') == 'inside', 'an absolute link is one within it')
ok(shown(app='/usr/bin') == 'inside', 'so is one of a folder')
ok(shown(app__prog=up + 'usr/bin/prog') == 'inside', 'a link far above ends at it')
ok(shown(app__prog='../usr/bin/prog') == 'inside', 'a relative link')
ok(shown(app__prog=path('host/prog')) == 'nothing', 'an absolute link to a file outside')
ok(shown(app=path('host')) == 'nothing', 'an absolute link to a folder outside')
ok(shown(app__prog='../../host/prog') == 'nothing', 'a relative link to a file outside')
ok(shown(app='../host') == 'nothing', 'a relative link to a folder outside')
done()
