#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of /tmp/perf-PID.map wherever the code is that no ELF symbol covers, of a forked process's
# own map, and of no map that is older than its process.
. "$(dirname "$0")/../../lib/record.sh"

gcc -O2 -fno-omit-frame-pointer -o "$T/jit-places" "$here/jit-places.c" || exit 1
rec -q -N -F 499 -e cpu-clock:u --call-graph fp -- "$T/jit-places" "$T"
cleanup_hooks+=('rm -f $(awk "{ print \"/tmp/perf-\" \$1 \".map\" }" "$T/pids")')
"$PERF" script -i "$T/data" -F pid | sort -u > "$T/pids"

"$PERF" script -i "$T/data" -F pid,ip,sym -G 2> "$T/err" | awk '{ n[$1 " " $3]++ } END { for (k in n) print k }' | sort > "$T/names"
named() { grep -q " jit_$1\$" "$T/names" || { cat "$T/names"; return 1; }; }
ok 'code in a memfd'				named memfd
ok 'code in a removed file of /tmp'		named removed
ok 'code in a removed file of /dev/shm'		named removed_shm
ok 'code in a file that is no ELF file'		named file
ok 'code in data that can be written'		named in_data
ok 'code in data that can only be read'		named read_only
ok 'code in named memory'			named before_fork
ok "a forked process's own code"		named after_fork
of_both() { [ "$(grep -c ' jit_before_fork$' "$T/names")" = 2 ] || { cat "$T/names"; return 1; }; }
ok "and its parent's"				of_both
callers() {
	"$PERF" script -i "$T/data" -F ip,sym | awk -v RS= '/ jit_/ { n++; good += / jit_.* main/ } END { exit !(n && good == n) }'
}
ok 'each is called by main()'			callers


# The PID had another process, with a map.
cat > "$T/old" << 'S'
printf '%s\n' '0 7fffffffffff another' > "/tmp/perf-$$.map"
touch -d '1 hour ago' "/tmp/perf-$$.map"
echo $$ > "$1/pid"
exec "$1/anon"
S
cat > "$T/anon.c" << 'C'
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
	void *m = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(m, code, sizeof(code));
	((void (*)(unsigned long))m)(300000000);
	return 0;
}
C
gcc -O2 -o "$T/anon" "$T/anon.c" || exit 1
rec -q -N -F 499 -e cpu-clock:u -- bash "$T/old" "$T"
cleanup_hooks+=('rm -f "/tmp/perf-$(cat "$T/pid").map"')
"$PERF" script -i "$T/data" --comms anon -F ip,sym 2> "$T/err" > "$T/out"
unnamed() { grep -q unknown "$T/out" && ! grep -q another "$T/out"; }
ok 'a map older than its process is not used'	unnamed
said() {
	grep -q "perf-$(cat "$T/pid").map: is older than process $(cat "$T/pid"), so it" "$T/err"
}
ok 'and that is said'				said
touch "/tmp/perf-$(cat "$T/pid").map"
"$PERF" script -i "$T/data" --comms anon -F ip,sym 2> "$T/err" > "$T/out"
used() { grep -q another "$T/out" && [ ! -s "$T/err" ]; }
ok 'one that is not older is'			used
cp "$T/data" "$T/copy" && touch -d '1 hour ago' "/tmp/perf-$(cat "$T/pid").map"
"$PERF" script -i "$T/copy" --comms anon -F ip,sym 2> "$T/err" > "$T/out"
ok "of a copied recording the age is unknown"	used
finish
