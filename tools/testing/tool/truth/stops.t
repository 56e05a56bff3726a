#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Callchains of programs that are not ours are those of libunwind: it walks the process itself while
# it is stopped, perf the registers and the stack of the same stop.
. "$(dirname "$0")/../../lib/record.sh"
if [ "$(uname -m)" != x86_64 ]; then
	skip 'beside libunwind' 'the copies are of x86-64'
	finish
	exit
fi
gcc -O2 -o stops "$here/stops.c" -lunwind-ptrace -lunwind-x86_64 -lunwind || exit 1

# beside NAME COMMAND...: no walk has another frame, but where libunwind guessed, in a fifth of the
# stops at most. One may end earlier, where the copy does.
beside() {
	local name=$1 at n longer shorter guessed other good

	shift
	"$@" > /dev/null 2>&1 & at=$!
	until_true grep -qv '^bash$' "/proc/$at/comm"
	sleep 0.3
	./stops $at 40 > stops.txt
	kill $at 2> /dev/null
	wait $at 2> /dev/null
	python3 "$here/beside-libunwind.py" "$PERF" "$T" < stops.txt > figures
	read -r _ n _ _ _ longer _ shorter _ guessed _ other < figures
	good=$((n >= 20 && other == 0 && 5 * guessed <= n && shorter <= 1 && longer < n))
	ok "$name: $(head -n 1 figures)" test $good = 1
	sed '1d; /^$/d; s/^/# /' figures
}
seq 1 1500000 | shuf > numbers
seq 1 1500000 | shuf > others
printf '%s\n' '#include <map>' '#include <regex>' '#include <string>' '#include <iostream>' \
	'int main() { std::map<std::string, int> m; std::regex r("a*b"); std::cout << m["x"]; }' \
	> big.cc
g++ -E -o big.ii big.cc || exit 1
beside python3 /usr/bin/python3 -c '
def f(n): return f(n - 1) if n else len(sorted(map(str, range(3000)), key=lambda x: x[::-1]))
for i in range(9000): f(10)'
beside sort sort --parallel=1 -n numbers numbers
beside git git diff --no-index --stat numbers others
beside cc1plus "$(gcc -print-prog-name=cc1plus)" -quiet -O2 big.ii -o big.s
if type node > /dev/null; then
	beside node node --jitless -e \
		'f = n => n ? f(n - 1) : [...Array(500).keys()].map(String).sort(); for (;;) f(9)'
else
	skip 'node' 'it is not installed'
fi
mkdir truth
python3 "$here/program.py" --cxx g++ truth || exit 1
mv truth/truth truth/shapes
beside 'a program of many shapes' truth/shapes 60000
finish
