#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh: what "make demo" does. Each step is a make target of its own and is
# skipped when nothing changed, so that an interrupted demo goes on where it
# stopped.
set -eu -o pipefail
export LC_ALL=C
O=${O:?} MAKE=${MAKE:-make}
demo=$O/demo
bzimage=$O/linux-6.12/arch/x86/boot/bzImage
mkdir -p "$demo"

. "$(dirname "$0")/demo-text.sh"

step_pid='' ahead_pid=''
interrupted() {
	for pid in $step_pid $ahead_pid; do kill -TERM -- "-$pid" 2>/dev/null || :; done
	printf '\n%s\n' 'demo: interrupted; "make demo" goes on from here'
	exit 130
}
trap interrupted INT TERM HUP

# step WHAT SECONDS FOLDER COMMAND...: run it with a progress line. SECONDS is
# how long it takes on two cores when all is to be done; where FOLDER is given
# the percentage is that of the objects in it.
step() {
	local what=$1 seconds=$2 folder=$3 start=$SECONDS shown=$SECONDS now status=0
	shift 3
	set -m
	"$@" >"$demo/step.log" 2>&1 </dev/null &
	step_pid=$!
	set +m
	while kill -0 $step_pid 2>/dev/null; do
		sleep 1 & wait $! || :
		now=$((SECONDS - start))
		if [ -t 1 ]; then
			[ $now -lt 2 ] || printf '\r  %-34s %s\033[K' "$what" "$(progress $now "$seconds" "$folder")"
		elif [ $((SECONDS - shown)) -ge 30 ]; then
			shown=$SECONDS
			printf '  %-34s %s\n' "$what" "$(progress $now "$seconds" "$folder")"
		fi
	done
	wait $step_pid || status=$?
	step_pid=''
	[ ! -t 1 ] || printf '\r\033[K'
	if [ $status != 0 ]; then
		tail -n 40 "$demo/step.log"
		die "$what failed; the whole log is $demo/step.log"
	fi
	printf '  %-34s done in %d s\n' "$what" $((SECONDS - start))
}

# Objects of the kernel's configuration for the VM, about.
kernel_objects=1270
progress() {
	local elapsed=$1 seconds=$2 folder=$3 n=0
	if [ -n "$folder" ]; then
		[ ! -d "$folder" ] || n=$(find "$folder" -name '*.o' 2>/dev/null | wc -l)
		[ "$n" -lt $kernel_objects ] || n=$((kernel_objects - 1))
		printf '%2d %%, %d:%02d so far' $((n * 100 / kernel_objects)) $((elapsed / 60)) $((elapsed % 60))
	else
		printf '%d:%02d of about %d:%02d' $((elapsed / 60)) $((elapsed % 60)) $((seconds / 60)) $((seconds % 60))
	fi
}

head 'Complete user stacks, from source to flame graph'
if [ -e "$bzimage" ] && [ -x "$O/perf" ]; then
	say 'Everything was built before: this takes less than a minute unless sources changed.'
else
	say "The first time this takes about ten minutes on two cores, most of it for the kernel (there are $(nproc) here). It installs the Debian packages it needs, and changes nothing else outside of $O. Interrupt it whenever you like: it goes on where it stopped."
fi
head 'Building'
# A question comes before packages are installed: here, where there is a terminal;
# the steps have none.
[ "$(id -u)" = 0 ] || "$MAKE" --no-print-directory demo-packages
# While perf is built, the rest is installed and the kernel's source unpacked. The next steps wait for both.
set -m
"$MAKE" --no-print-directory demo-ahead >"$demo/ahead.log" 2>&1 </dev/null &
ahead_pid=$!
set +m
step 'perf' 30 '' "$MAKE" --no-print-directory -j"${JOBS:-1}" perf
step 'Debian packages' 20 '' "$MAKE" --no-print-directory demo-packages
"$(dirname "$0")/demo-host.sh" "$O"

head 'The same without copies: our kernel, in QEMU'
step 'the program to look at' 5 '' "$MAKE" --no-print-directory "$demo/deepread"
step 'the kernel' 420 "$O/src-6.12/o-vm" "$MAKE" --no-print-directory kernel

step 'booting it, recording in it' 40 '' "$MAKE" --no-print-directory demo-guest

exec "$(dirname "$0")/demo-show.sh" "$O"
