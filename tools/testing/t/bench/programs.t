#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# programs.py and ends.py: what the guest did not record is an error, and callchains that
# perf script printed end where they end.
. "$(dirname "$0")/bench.sh"
fails() { # MESSAGE
	! "$bench/programs.py" /bin/false /bin/false "$tmp/in" "$tmp" > "$tmp/out" 2>&1 &&
		grep -qE -- "^bench-programs: .*$1" "$tmp/out"
}
mkdir "$tmp/in"
passes 'the guest left nothing' fails 'No such file'
echo 'sort fp 1.000 0.100 0.900 0.050' > "$tmp/in/times"
passes 'a recording that is not there' fails 'sort: fp was not recorded'
echo 'sort fp failed' >> "$tmp/in/times"
passes 'perf record failed' fails 'not recorded: sort fp failed'

# One sample with the stack's copy, in a process that has bash mapped: made up, as perf.data has it.
bash=$(readlink -f "$(command -v bash)")
entry=$(readelf -hW "$bash" | sed -nE 's/.*Entry point address: +0x//p')
cat > "$tmp/make.py" <<'END'
import struct, sys
path, out = sys.argv[1:]
name = path.encode() + b'\0'
name += b'\0' * (-len(name) % 8)
ident = struct.pack('<IIQ', 7, 7, 1000000000)
mmap = struct.pack('<IHHIIQQQIIQQII', 10, 2, 72 + len(name) + 16, 7, 7, 0x10000000, 1 << 30, 0,
                   0, 0, 0, 0, 5, 2) + name + ident
sample = struct.pack('<IHHIIQQ', 9, 2, 32, 7, 7, 2000000001, 0)
attr = struct.pack('<IIQQQQQ', 1, 136, 0, 1, 2 | 4 | 32, 0, 1 << 18) + bytes(136 - 48)
attrs = attr + struct.pack('<QQ', 0, 0)
data = mmap + sample
head = b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, len(attrs), 104, len(attrs),
                                 104 + len(attrs), len(data), 0, 0)
open(out, 'wb').write(head + bytes(104 - len(head)) + attrs + data)
END
python3 "$tmp/make.py" "$bash" "$tmp/data"
ends() { # TEXT RESULT
	printf '%s' "$1" > "$tmp/text"
	"$bench/../vm-tables/ends.py" --unwound "$tmp/text" '' "$tmp/data" > "$tmp/out" 2>&1 &&
		grep -q "^samples 1 chains $2 deferred" "$tmp/out"
}
at=$(printf '%x' $((0x10000000 + 0x$entry + 2)))
passes 'unwound: complete'		ends "  7  2.000000001: 
	10000123 f ($bash)
	$at _start ($bash)

" '1 complete 1'
passes 'unwound: cut'		ends "  7  2.000000001: 
	10000123 f ($bash)

" '1 complete 0'
passes 'unwound: by offsets in the file' ends "  7  2.000000001: 
	123 f ($bash)
	$(printf '%x' $((0x$entry + 2))) _start ($bash)

" '1 complete 1'
passes 'unwound: of another thread'	ends "  8  2.000000001: 
	$at _start ($bash)

" '0 complete 0'
plan
