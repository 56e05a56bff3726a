# SPDX-License-Identifier: GPL-2.0
"""Runs a script for perf's samples in a python3 of its own: driver.py FD SCRIPT [ARGUMENT]...

FD is a pipe of perf script (python.c): a line of JSON about the recording's events, then one for
each sample. What scripts may define and call is described in perf-script-python(1) of linux-perf:
trace_begin(), trace_end(), process_event(), a handler for each tracepoint, trace_unhandled(), and
the module perf_trace_context. SCRIPT "" prints a script with a handler for each event."""
import sys
del sys.path[0]     # the current folder, whose modules may be somebody's
import inspect  # noqa: E402
import json  # noqa: E402
import keyword  # noqa: E402
import re  # noqa: E402
import types  # noqa: E402

source = open(int(sys.argv[1]), encoding='utf-8', errors='replace')
path = sys.argv[2]
events = json.loads(source.readline())['events']
# Names of a recording may be anybody's: no code, and no function but a handler.
for e in events:
    e['handler'] = re.sub(r'\W', '_', e['system'] + '__' + e['event'])
COMMON = 'event_name context common_cpu common_secs common_nsecs common_pid common_comm'.split()


def identifier(name):
    return re.sub(r'\W|^(?=\d|$)', '_', name, flags=re.ASCII)


if not path:
    print('from perf_trace_context import *\n\n\ndef trace_begin():\n    print("in trace_begin")\n\n\n'
          'def trace_end():\n    print("in trace_end")\n')
    for e in events:
        if e['fields'] is None:
            continue
        fields = [identifier(f) for f in e['fields']]
        names = COMMON + ['common_callchain', 'perf_sample_dict', 'print', '__debug__']
        for f in fields:
            while f in names or keyword.iskeyword(f):
                f += '_'
            names.append(f)
        names = names[len(names) - len(fields):]
        print('\ndef %s(%s):' % (identifier(e['handler']), ', '.join(
            COMMON + ['common_callchain'] + names + ['perf_sample_dict'])))
        print('    print("%%-25s %%3d %%05u.%%09u %%8d %%-16s" %% (event_name, common_cpu, common_secs, '
              'common_nsecs,\n          common_pid, common_comm), %s)\n' %
              ', '.join('"%s=%%s" %% (%s,)' % (f, n) for f, n in zip(fields, names)))
    print('\ndef trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):\n'
          '    print(event_name, event_fields_dict)\n\n\ndef process_event(param_dict):\n'
          '    print(param_dict["ev_name"], param_dict["comm"], param_dict.get("symbol", "[unknown]"))')
    sys.exit()

# A context is the sample.
context = types.ModuleType('perf_trace_context')
context.common_pc = lambda c: c['common'].get('common_preempt_count', 0)
context.common_flags = lambda c: c['common'].get('common_flags', 0)
context.common_lock_depth = lambda c: c['common'].get('common_lock_depth', 0)
context.perf_sample_srcline = lambda c: tuple(c['srcline']) if 'srcline' in c else (None, 0)
context.perf_sample_srccode = lambda c: (*context.perf_sample_srcline(c), None)
context.perf_sample_insn = lambda c: b''
context.perf_set_itrace_options = lambda c, options: -1
context.perf_config_get = lambda name: None
sys.modules['perf_trace_context'] = context

sys.argv = sys.argv[2:]
sys.path.insert(0, re.sub(r'[^/]*$', '', path))
script = types.ModuleType('__main__')
script.__file__ = path
sys.modules['__main__'] = script
with open(path, 'rb') as f:
    code = compile(f.read(), path, 'exec')
exec(code, script.__dict__)  # noqa: S102


def defined(name):
    f = script.__dict__.get(name)
    return f if callable(f) else None


def arguments_of(f):
    """How many it takes; None: any number"""
    ps = inspect.signature(f).parameters.values()
    return None if any(p.kind == p.VAR_POSITIONAL for p in ps) else len(ps)


def call(f, *arguments):
    """Older scripts take fewer."""
    f(*arguments[:arguments_of(f)])


handlers = {e['handler']: defined(identifier(e['handler'])) for e in events}
wanted = {n: arguments_of(f) for n, f in handlers.items() if f}
process_event, unhandled = defined('process_event'), defined('trace_unhandled')


def sample_of(s):
    """perf_sample_dict, or what process_event() gets"""
    e = events[s['event']]
    d = {'ev_name': e['name'], 'attr': bytes.fromhex(e['attr']), 'sample': s['sample'],
         'raw_buf': bytes.fromhex(s['raw']), 'comm': s['comm'], 'callchain': s['callchain'],
         'brstack': s['brstack'], 'brstacksym': []}
    for key in 'dso', 'dso_map_start', 'dso_map_end', 'symbol', 'symoff':
        if key in s:
            d[key] = s[key]
    return d


def tracepoint(s, e):
    name, handler = e['handler'], handlers[e['handler']]
    for f, value in s['fields'].items():
        if isinstance(value, list):     # an array
            s['fields'][f] = bytearray.fromhex(value[0])
    values = [s['fields'].get(f) for f in e['fields']]
    time = s['sample']['time']
    common = [name, s, s['sample']['cpu'], time // 10**9, time % 10**9, s['sample']['pid'], s['comm']]
    if not handler:
        if unhandled:
            fields = dict(zip(('common_cpu', 'common_s', 'common_ns', 'common_pid', 'common_comm'), common[2:]))
            fields = {**fields, 'common_callchain': s['callchain'], **s['fields']}
            call(unhandled, name, s, fields, sample_of(s))
        return
    n = wanted[name]
    if n is None or n > len(common) + len(values):
        common.append(s['callchain'])
    if n is None or n > len(common) + len(values):
        values.append(sample_of(s))
    handler(*common, *values)


if defined('trace_begin'):
    script.trace_begin()
for line in source:
    s = json.loads(line)
    e = events[s['event']]
    if e['fields'] is not None:
        tracepoint(s, e)
    elif process_event:
        process_event(sample_of(s))
if defined('trace_end'):
    script.trace_end()
