# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Tests of perf record in a guest: record.sh, the boot, readers of the recordings. Sourced;
# needs KERNEL and INITRD.
KERNEL=$(realpath "$KERNEL") INITRD=$(realpath "$INITRD")
. "$(dirname "${BASH_SOURCE[0]}")/record.sh"

# boot_guest NAME SCRIPT OPTION...: run the test's own SCRIPT in a guest, with vm/run's OPTIONs. Sets
# dir to $O/test/NAME, where the files of the script are, console.log, stdout and stderr. A guest that
# does not run to its end ends the test.
boot_guest() {
	local start=$SECONDS status

	dir=$O/test/$1
	rm -rf "$dir" && mkdir -p "$dir" || exit 1
	"$lib/../vm/run" --kernel "$KERNEL" --initrd "$INITRD" --log "$dir/console.log" --in "$here/$2" "${@:3}" \
		--out "$dir" -- "sh /in/$2" > "$dir/stdout" 2> "$dir/stderr"
	status=$?
	ok "the guest of $2 ran to its end ($((SECONDS - start)) s) and its kernel did not complain" test $status = 0
	[ $status != 0 ] || return 0
	sed 's/^/# /' "$dir/stderr" | tail -n 20
	finish
	exit 1
}

# build_truth [--cxx COMPILER] OPTION...: programs whose callchains are known, by program.py: static
# has C++, pie the guest's C library, fp frame pointers. truth_in: options for boot_guest.
build_truth() {
	local common=("$@") p

	[ "$1" != --cxx ] || common=("${@:3}")
	mkdir "$T"/{static,pie,fp} && program "$@" --static --seed 1 "$T/static" &&
		program "${common[@]}" --unnamed --level=-O3 --seed 2 "$T/pie" &&
		program "${common[@]}" --fp --static --seed 3 "$T/fp" || exit 1
	truth_in=()
	for p in static pie fp; do truth_in+=(--in "$T/$p"); done
}
program() { python3 "$lib/../tool/truth/program.py" "$@"; }

# is_true NAME PROGRAM CUT [OPTION...]: no callchain is wrong; those that are cut have the reason
# CUT, a regex. The guest's vDSO, and its C library, have no names here: what a chain of pie has
# beyond these cannot be judged.
is_true() {
	local status

	"$PERF" script -i "$dir/$1.data" --symfs "$dir/symfs" -F comm,tid,ip,sym,symoff,dso,srcline \
		> "$T/script" 2> "$T/err"
	python3 "$lib/../tool/truth/check.py" --nameless --cut "$3" "${@:4}" script "$T/$2/truth.json" \
		< "$T/script" > "$T/figures"
	status=$?
	ok "$1: recorded"	status_is "$1" 0
	ok "$1: $(head -n 1 "$T/figures")" test $status = 0
	sed '1d; s/^/# /; s/^\(.\{400\}\).*/\1/' "$T/figures"
}

# unpack_initrd: the guest's programs in $dir/symfs, for readers, and those of build_truth
unpack_initrd() {
	local p

	mkdir -p "$dir/symfs/in" && (cd "$dir/symfs" && cpio -id --quiet) < "$INITRD"
	for p in static pie fp; do [ ! -d "$T/$p" ] || cp -r "$T/$p" "$dir/symfs/in"; done
}

# status_is NAME STATUS: the guest's command NAME ended with STATUS; prints its stderr if not
status_is() { [ "$(cat "$dir/$1.status" 2> /dev/null)" = "$2" ] || { cat "$dir/$1.err"; return 1; }; }

# ends NAME [COMM,...]: $T/counts receives ends.py's account of the callchains in $dir/NAME.data.
# Those of stack copies (*dwarf) are unwound by our perf script.
ends() {
	local unwound=()

	if [[ $1 = *dwarf ]]; then
		"$PERF" script --symfs "$dir/symfs" --ns --no-inline -F tid,time,ip,dso -i "$dir/$1.data" > "$T/unwound" || return 1
		unwound=(--unwound "$T/unwound")
	fi
	"$lib/../vm-tables/ends.py" "${unwound[@]}" "$dir/symfs" "$dir/$1.data" ${2:-} > "$T/counts" || { cat "$T/counts"; return 1; }
}

# field WORD: the number behind WORD in the first line of $T/counts, as ends.py and check.py print it
field() { sed -nE "1s/.*\b$1 ([0-9]+).*/\1/p" "$T/counts"; }

# nearly_all COMPLETE ALL: 99 in a hundred callchains are complete. On a busy host a recording may have
# few: the start of a program is more than one in a hundred then, and there the loader's resolver
# (_dl_runtime_resolve_xsavec) finds its caller by rbx, which a walk knows in the innermost frame only.
# Up to eight incomplete callchains are accepted, and a tenth.
nearly_all() {
	local cut=$(($2 - $1))

	[ $((10 * cut)) -le "$2" ] && { [ $cut -le 8 ] || [ $((100 * cut)) -le "$2" ]; }
}
