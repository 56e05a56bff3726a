#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, on Debian's own kernel, in /out: root's perf record -g, which walks by BPF.
export HOME=/tmp LC_ALL=C
perf record -v -F 199 -a -g -o python.data -- /stock/python3 /in/shapes.py 3 /out/truth \
	> python.out 2> python.err
echo $? > python.status
perf record -v -F 199 -g --off-cpu -o waits.data -- /stock/python3 -c '
import time
def waits():
    time.sleep(0.005)
for i in range(100):
    waits()' > waits.out 2> waits.err
echo $? > waits.status
cp -r /tmp/.debug home
