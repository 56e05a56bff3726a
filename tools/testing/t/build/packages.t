#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/build/packages.sh: what it does as root and as a user, on a terminal and
# without one. id, sudo, dpkg-query and apt-get say what the test wants, and
# what was run stands in $tmp/ran.
. "$(dirname "$0")/../../lib/tap.sh"
here=$(cd "$(dirname "$0")/../../../build" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
shown=("$tmp/out" "$tmp/ran")
has() { # TEXT NAME
	grep -qF -- "$1" "$tmp/out"
	ok $? "$2"
}
ran() { # NAME [LINE]...: these lines, and no other, were run
	local name=$1
	shift
	[ "$(cat "$tmp/ran")" = "$(printf '%s\n' "$@")" ]
	ok $? "$name"
}

mkdir "$tmp/bin" "$tmp/few"
fake() { # NAME LINE...
	printf '%s\n' '#!/bin/bash' "${@:2}" >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
export TEST_TMP=$tmp
fake id 'cat "$TEST_TMP/uid"'
fake dpkg-query '[ -e "$TEST_TMP/had-${!#}" ] || case ${!#} in here*) ;; *) exit 1 ;; esac' 'echo "install ok installed"'
# "nowhere" is in no source, "secure" in the security suite alone.
fake apt-get 'parts=${5#Dir::Etc::SourceParts=}' \
	'[ "$1" != indextargets ] || { echo "http://mirror/debian/ Debian Debian"; exit; }' \
	'echo "apt-get $*" | sed "s|SourceParts=[^ ]*|SourceParts=PARTS|" >>"$TEST_TMP/ran"' \
	'[[ "$*" = *secure* ]] && grep -q "^deb http://mirror/debian-security [a-z]*-security main$" "$parts/security.list" && exit 0' \
	'[[ "$*" = *secure* ]] && exit 100' \
	'[ "$*" != "${*/nowhere/}" ] && { echo "Unable to locate package nowhere"; exit 100; }' 'exit 0'
fake sudo 'echo "sudo $*" >>"$TEST_TMP/ran"' '"$@"'
for tool in bash sed mktemp rm tail cat dirname flock; do
	ln -s "$(command -v $tool)" "$tmp/few/"
done
all=$tmp/bin:$PATH
apt='apt-get -y -o DPkg::Lock::Timeout=300'
install="$apt install --no-install-recommends"

# without COMMAND...: with no terminal; with_terminal ANSWER COMMAND: on one of its own
without() {
	: >"$tmp/ran"
	setsid -w env PATH="${path:-$all}" "$@" >"$tmp/out" 2>&1 </dev/null
	status=$?
}
with_terminal() {
	: >"$tmp/ran"
	printf '%b' "$1" | PATH=$all timeout 60 script -qec "$2" /dev/null >"$tmp/out" 2>&1
	status=$?
	sed -i 's/\r$//' "$tmp/out"
}
packages=$here/packages.sh

echo 0 >"$tmp/uid"
without "$packages" here here-too
ok $status 'nothing is missing'
ran 'nothing is run'
without "$packages" here one two
ok $status 'root: what is missing is installed'
ran 'by apt-get' "$install one two"
without "$packages" nowhere
[ $status != 0 ]; ok $? 'root: what is nowhere: a failure'
has 'cannot install: nowhere (no network' 'which names the package'
ran 'after a look for newer lists, and at the security suite' "$install nowhere" "$apt update" "$install nowhere" \
	"$apt -o Dir::Etc::SourceParts=PARTS update" "${install/install/-o Dir::Etc::SourceParts=PARTS install} nowhere"
without "$packages" secure
ok $status 'root: a package of the security suite, which the sources of apt lack'
# As by make -j: the slower one of two finds installed what the other one installed.
cp "$tmp/bin/apt-get" "$tmp/apt-get"
fake apt-get 'echo "apt-get $*" >>"$TEST_TMP/ran"' 'sleep 1' 'touch "$TEST_TMP/had-${!#}"'
without bash -c "$packages one & $packages one; wait \$!"
ok $status 'two at once'
ran 'install one after the other' "$install one"
cp "$tmp/apt-get" "$tmp/bin/apt-get"
rm "$tmp/had-one"

echo 1000 >"$tmp/uid"
without "$packages" here
ok $status 'a user: nothing is missing'
without "$packages" here one two
[ $status != 0 ]; ok $? 'a user without a terminal: a failure'
has 'type: sudo apt-get install --no-install-recommends one two' 'which says what to type'
ran 'nothing is run by sudo'
path=$tmp/few
cp "$tmp"/bin/{id,dpkg-query} "$tmp/few/"
without "$packages" one
[ $status != 0 ]; ok $? 'a user without sudo: a failure'
has 'as root, type: apt-get install --no-install-recommends one' 'which says what to type'
path=

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	if [ "${CI:-}" = true ]; then
		ok 1 'a terminal: there are no pseudo-terminals here'
	else
		skip 'a terminal' 'there are no pseudo-terminals here'
	fi
	plan
	exit
fi
with_terminal 'y\n' "$packages one two"
ok $status 'a user who says yes'
has 'These packages are missing: apt-get install --no-install-recommends one two' 'knows what will be run'
ran 'by sudo' "sudo $install one two" "$install one two"
for answer in 'n\n' '\n' 'nay\n'; do
	with_terminal "$answer" "$packages one"
	[ $status != 0 ]; ok $? "a user who says '$answer': a failure"
	has 'type: sudo apt-get install --no-install-recommends one' 'which says what to type'
	ran 'nothing is run by sudo'
done
with_terminal 'y\n' "$packages one </dev/null | cat"
ok $status 'the terminal need not be stdin and stdout'
ran 'the question comes there' "sudo $install one" "$install one"
with_terminal 'y\n' "set -m; $packages one & wait \$!"
[ $status != 0 ]; ok $? 'a job in the background does not ask'
has 'type: sudo apt-get install --no-install-recommends one' 'but says what to type'
ran 'nothing is run by sudo'

# make perf, up to the packages.
fake dpkg-query 'exit 1'
unset MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR
make="${MAKE:-make} --no-print-directory -C $here/../.. O=$tmp/build"
without $make perf
[ $status != 0 ]; ok $? 'make perf by a user, without a terminal: a failure'
grep -qE '^packages.sh: missing packages; type: sudo apt-get install --no-install-recommends .*libelf-dev' "$tmp/out"
ok $? 'which says what to type'
ran 'nothing is run by sudo'
with_terminal 'n\n' "$make perf"
[ $status != 0 ]; ok $? 'make perf by a user who says no: a failure'
ran 'nothing is run by sudo'
with_terminal 'y\n' "$make $tmp/build/.perf-packages"
ok $status 'make perf by a user who says yes: goes on'
grep -q '^sudo apt-get .* libelf-dev' "$tmp/ran"
ok $? 'with the packages'
plan
