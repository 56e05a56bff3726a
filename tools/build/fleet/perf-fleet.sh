#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-fleet: what perf-fleet.service runs once a minute. Records the whole system for some seconds,
# converts the recording for engines that keep those of many machines, and deletes the oldest
# files beyond a total size. Documentation/fleet.rst has the settings, all of which are in the
# environment.
set -eu
umask 077

perf=${PERF_FLEET_PERF:-perf}
dir=${PERF_FLEET_DIR:-${STATE_DIRECTORY:-/var/lib/perf-fleet}}
format=${PERF_FLEET_FORMAT:-jsonl}
keep=${PERF_FLEET_KEEP_MB:-1024}
recording=$dir/.recording.data

case $format in
jsonl) suffix=jsonl.gz ;;
pprof) suffix=pb.gz ;;
*)	echo "perf-fleet: PERF_FLEET_FORMAT is jsonl or pprof, not $format" >&2
	exit 2 ;;
esac
mkdir -p "$dir"
out=$dir/$(uname -n)-$(date -u +%Y%m%dT%H%M%SZ).$suffix
trap 'rm -f "$recording" "$out.part"' EXIT
trap 'exit 143' INT TERM

"$perf" record -q -o "$recording" -a -e "${PERF_FLEET_EVENT:-cpu-clock}" -F "${PERF_FLEET_HZ:-99}" \
	--call-graph "${PERF_FLEET_CALL_GRAPH:-fp}" -k monotonic --all-cgroups \
	--max-size "${PERF_FLEET_MAX_MB:-32}M" -- sleep "${PERF_FLEET_SECONDS:-5}"
if [ "$format" = pprof ]; then
	"$perf" data convert -i "$recording" --to-pprof "$out.part"
else
	# The status of a pipe is that of its last command: this one must be that of perf, too.
	{ "$perf" data convert -i "$recording" --to-jsonl - || rm -f "$recording"; } | gzip -3 >"$out.part"
	[ -e "$recording" ]
fi
mv "$out.part" "$out"

# Names begin with the host and go on with the time: the oldest is first.
total=$(du -sk "$dir" | cut -f 1)
for f in "$dir"/*.gz; do
	[ "$total" -gt $((keep * 1024)) ] || break
	total=$((total - $(du -k "$f" | cut -f 1)))
	rm -f "$f"
done
