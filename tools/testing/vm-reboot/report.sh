#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the second guest, another kernel without the module, in /out: the recordings of the first one, with its build-id
# cache, with nothing but the file, and by Debian's perf with the cache.
export HOME=/in/home LC_ALL=C
says() { # OUT FILE ARGS...
	out=$1 file=$2
	shift 2
	perf script "$@" -i /in/$file.data -F comm,ip,sym,symoff,dso > $out 2> $out.err
}
says kernel.after kernel
says module.after module
HOME=/none says module.alone module
HOME=/none says injected.alone injected
HOME=/none says kernel.alone kernel
HOME=/none perf report --stdio -i /in/kernel.data > kernel.report 2>&1
/peer/perf script -i /in/kernel.data -F comm,ip,sym > kernel.theirs 2> kernel.theirs.err
cp /sys/kernel/notes notes
