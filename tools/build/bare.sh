# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# bare.sh, sourced by tests that need a bare Debian of their own: what debootstrap makes of a
# release, and a chroot of it with the files of this working tree. Their variables: $top, the
# tree; $suite, the release; $root, the chroot. All of it needs root.
#
#   files [PATTERN...]    names of the tree's files: what is committed, or will be
#   bootstrap             debootstrap, once: build/fresh/SUITE/base.tar
#   unpack                a new $root of it, with this machine's way to the mirror
#   clone                 the tree's files, as a user has them, in $root/root/src
#   inside COMMAND        COMMAND of bash in the chroot, in /root/src

# In a tarball (make dist) every file is one of ours.
files() {
	if [ -e .git ]; then
		git -c safe.directory="$top" ls-files -co --exclude-standard "$@"
	else
		[ $# -gt 0 ] || set -- .
		[ "$1" != -- ] || shift
		# shellcheck disable=SC2068 # patterns
		find $@ -name build -prune -o \( -type f -o -type l \) -print | sed 's|^\./||'
	fi
}

. "$top/tools/build/mirror.sh"
mirror=$(debian_mirror)
base=${O:-$top/build}/fresh/$suite/base

bootstrap() {
	[ -e "$base.tar" ] && return
	rm -rf --one-file-system "$base" && mkdir -p "$base" &&
	debootstrap --variant=minbase "$suite" "$base" "$mirror" &&
	tar -C "$base" -cf "$base.tar.new" . &&
	mv "$base.tar.new" "$base.tar"
	local status=$?
	rm -rf --one-file-system "$base"
	return $status
}

unpack() {
	umount -lR "$root" 2>/dev/null
	rm -rf --one-file-system "$root" && mkdir -p "$root" &&
	tar -C "$root" -xf "$base.tar" &&
	# How apt reaches the mirror and how names are found, as on this machine; of
	# what is there to be had only the release.
	cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" &&
	echo "deb $mirror $suite main" >"$root/etc/apt/sources.list" || return
	for f in /etc/hosts /etc/resolv.conf; do
		[ ! -e $f ] || cp -L $f "$root$f" || return
	done
	for f in /usr/local/share/ca-certificates /etc/ssl/certs/ca-certificates.crt; do
		[ ! -e $f ] || cp -rL --parents $f "$root" || return
	done
}

# Their times are the tree's, so that make in the chroot builds again only what changed.
clone() {
	local source=$root/root/src

	rm -rf --one-file-system "$source" && mkdir -p "$source" &&
	files | while read -r f; do [ ! -e "$f" ] && [ ! -L "$f" ] || printf '%s\0' "$f"; done |
		xargs -0 cp --parents --preserve=mode,timestamps -P -t "$source"
}

# With mounts that go with the process, and only /proc, /sys and /dev themselves: no tracefs,
# debugfs, cgroups, devpts.
inside() {
	local propagation=private

	# In a chroot "/" is no mount point, which unshare's default cannot bear.
	unshare --mount true 2>/dev/null || propagation=unchanged
	unshare --mount --propagation $propagation bash -c '
		mount --bind "$1" "$1" && mount --make-private "$1" || exit 1
		mount -t proc proc "$1/proc" && mount -t sysfs sysfs "$1/sys" && mount --bind /dev "$1/dev" &&
		env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			CI="${CI:-}" http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
			chroot "$1" bash -c "cd /root/src && $2" </dev/null
		status=$?
		umount -lR "$1"
		exit $status' inside "$root" "$1"
}
