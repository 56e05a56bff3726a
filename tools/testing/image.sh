#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# image.sh FOLDER: Debian packages of our kernel on a machine as people have it, as TAP. A disk
# image with a Debian of debootstrap (systemd, grub, Debian's own kernel), booted in QEMU from
# its disk. There the packages of FOLDER (build/deb) are installed by dpkg, as
# Documentation/installing.rst says: linux-image and linux-headers, perf-deferred. Then, on our kernel:
# what perf records, services that are frozen and restarted, modules, a module built with the
# headers, torture; and the way back.
#
# SUITE: the release (trixie); FLAVOUR: Debian's kernel (cloud-amd64); TORTURE_SECONDS (60).
# All is in build/image: disk, the logs of the console, commands.log with each command's output.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export O=${O:-$top/build} LC_ALL=C
suite=${SUITE:-trixie} flavour=${FLAVOUR:-cloud-amd64}
dir=$O/image/$suite
root=$dir/root disk=$dir/disk
debs=${1:?usage: image.sh FOLDER}
. "$top/tools/build/sudo.sh"

if [ "$(id -u)" != 0 ]; then
	may_sudo "The test of the packages on a disk image makes a chroot, which needs root: $0" ||
		{ echo "1..0 # SKIP a chroot needs root"; exit 0; }
	exec sudo --preserve-env=O,SUITE,FLAVOUR,TORTURE_SECONDS,CI,http_proxy,https_proxy "$0" "$@"
fi
cd "$top" || exit 1
mkdir -p "$dir"
. "$top/tools/build/bare.sh"

n=0 failed=0
ok() { n=$((n + 1)); echo "ok $n - $suite: $1"; }
not_ok() { n=$((n + 1)); failed=1; echo "not ok $n - $suite: $1"; tail -n 30 "$dir/last" | sed 's/^/# /'; }
check() { # WHAT COMMAND...
	local what=$1 status
	shift
	"$@" >"$dir/last" 2>&1
	status=$?
	{ echo "\$ $*"; cat "$dir/last"; } >>"$dir/commands.log"
	if [ $status = 0 ]; then ok "$what"; else not_ok "$what"; fi
	return $status
}
note() { sed 's/^/# /'; }
give_up() { echo "1..$n"; exit 1; }

image=$(find "$debs" -maxdepth 1 -name 'linux-image-*-unwind_*.deb' 2>/dev/null | sort -V | tail -n 1)
headers=$(find "$debs" -maxdepth 1 -name 'linux-headers-*-unwind_*.deb' 2>/dev/null | sort -V | tail -n 1)
tool=$(find "$debs" -maxdepth 1 -name 'perf-deferred_*.deb' 2>/dev/null | sort -V | tail -n 1)
for what in "linux-image:$image" "linux-headers:$headers" "perf-deferred:$tool"; do
	[ -n "${what#*:}" ] ||
		{ echo "image.sh: no package ${what%%:*} in $debs: make kernel-deb DEBCONFIG=..., make deb" >&2; exit 2; }
done
[ -x "$O/test/torture64" ] || { echo "image.sh: no $O/test/torture64: make test-image builds it" >&2; exit 2; }
release=$(basename "$image" | sed 's/^linux-image-//; s/_.*//')
: >"$dir/commands.log"

"$top/tools/build/packages.sh" debootstrap qemu-system-x86 e2fsprogs fdisk openssh-client || exit 1

# What a user has: systemd, a boot loader, Debian's kernel, a compiler; and ssh, by which this test types.
disk_packages="systemd-sysv dbus udev kmod grub-pc initramfs-tools linux-image-$flavour openssh-server
	gcc libc6-dev make procps util-linux cron"
make_disk() {
	bootstrap && unpack || return
	rm -f "$dir/key" "$dir/key.pub"
	ssh-keygen -q -t ed25519 -N '' -f "$dir/key" &&
	mkdir -p "$root/root/src" "$root/root/.ssh" && cp "$dir/key.pub" "$root/root/.ssh/authorized_keys" &&
	# A package of Debian starts nothing in a chroot.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" && chmod +x "$root/usr/sbin/policy-rc.d" &&
	echo 'grub-pc grub-pc/install_devices_empty boolean true' >"$root/root/debconf" &&
	inside "debconf-set-selections /root/debconf && apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install -y --no-install-recommends ${disk_packages//[$'\n\t']/ } && apt-get clean &&
		systemctl enable systemd-networkd" || return
	rm "$root/usr/sbin/policy-rc.d" "$root/root/debconf"
	echo image >"$root/etc/hostname"
	echo '/dev/vda1 / ext4 defaults 0 1' >"$root/etc/fstab"
	printf '[Match]\nName=en* eth*\n[Network]\nDHCP=yes\n' >"$root/etc/systemd/network/all.network"
	# As on servers: the boot loader and the kernel are on the serial port.
	sed -i -e 's/^GRUB_TIMEOUT=.*/GRUB_TIMEOUT=1/' -e 's/^GRUB_CMDLINE_LINUX_DEFAULT=.*/GRUB_CMDLINE_LINUX_DEFAULT="console=ttyS0 no_timer_check"/' \
		-e 's/^#*GRUB_TERMINAL=.*/GRUB_TERMINAL=serial/' "$root/etc/default/grub" &&
	cp "$root"/boot/vmlinuz-*-"$flavour" "$dir/vmlinuz" && cp "$root"/boot/initrd.img-*-"$flavour" "$dir/initrd" &&
	rm -f "$disk" && truncate -s 6G "$disk" &&
	echo 'start=2048, type=83, bootable' | sfdisk -q "$disk" &&
	mke2fs -q -t ext4 -d "$root" -E offset=1048576 "$disk" $(((6 * 1024 - 1) * 1024))k &&
	rm -rf --one-file-system "$root"
}

# boot LOG [QEMU OPTION...]: start the machine, and wait until one can log in. Without -kernel
# it starts as a machine does, by the boot loader on its disk.
port=$((20000 + $$ % 20000))
threads=multi
qemu_pid=''
ssh_options=(-q -i "$dir/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=20
	-o ServerAliveInterval=60)
guest() { ssh "${ssh_options[@]}" -p $port root@127.0.0.1 "$@"; }
into() { scp "${ssh_options[@]}" -P $port "$@" root@127.0.0.1:/root/; }
boot() {
	local log=$1 i
	shift
	: >"$dir/$log"
	qemu-system-x86_64 -accel "tcg,thread=$threads" -smp 2 -cpu max,la57=off -M pc -m 2048 -nodefaults -no-user-config \
		-display none -no-reboot -chardev "file,id=con,path=$dir/$log,append=on" -serial chardev:con \
		-drive "file=$disk,format=raw,if=virtio,cache=unsafe" \
		-nic "user,model=virtio-net-pci,hostfwd=tcp:127.0.0.1:$port-:22" "$@" \
		</dev/null >"$dir/qemu.log" 2>&1 &
	qemu_pid=$!
	for ((i = 0; i < 120; i++)); do
		kill -0 $qemu_pid 2>/dev/null || { cat "$dir/qemu.log" "$dir/$log"; return 1; }
		! guest true || return 0
		sleep 2
	done
	tail -n 40 "$dir/$log"
	return 1
}
# -no-reboot: the machine is off where it would start again.
restart() { # LOG
	guest 'systemctl reboot'
	wait_off && boot "$1"
}
wait_off() {
	local i
	for ((i = 0; i < 120; i++)); do
		kill -0 $qemu_pid 2>/dev/null || return 0
		sleep 1
	done
	kill -KILL $qemu_pid
	return 1
}
trap '[ -z "$qemu_pid" ] || kill -KILL $qemu_pid 2>/dev/null; rm -rf --one-file-system "$root"' EXIT

runs() { guest 'uname -r' | grep -qx -- "$1"; }
clean() { # LOG: no complaint of the kernel in it
	! grep -aEf "$top/tools/testing/vm/reports" "$dir/$1" |
		grep -avEf <(grep -v '^#' "$top/tools/testing/vm/known")
}

check "a disk with $suite and linux-image-$flavour" make_disk || give_up
check 'it boots' boot first.log -kernel "$dir/vmlinuz" -initrd "$dir/initrd" -append 'root=/dev/vda1 console=ttyS0 no_timer_check' || give_up
check 'the boot loader on the disk' guest 'grub-install /dev/vda && update-grub' || give_up
check "Debian's kernel boots from the disk" restart debian.log || give_up
debian=$(guest 'uname -r')
echo "# Debian's kernel: $debian; $(guest 'systemd-analyze | head -n 1')"

check 'our packages and programs go there' into "$image" "$headers" "$tool" "$O/test/torture64" "$O/test/torture32" || give_up
check 'apt-get install ./perf-deferred_*.deb' guest 'apt-get -qq install -y --no-install-recommends ./perf-deferred_*.deb' || give_up
check "on Debian's kernel it records, and says what that kernel has not" guest \
	'perf-deferred record -a -g -o before.data --call-graph fp,defer sleep 2 2>&1 | tee /dev/stderr | grep -q "defer"'
check 'dpkg -i linux-image-*.deb' guest 'dpkg -i linux-image-*.deb' || give_up
check 'dpkg -i linux-headers-*.deb' guest 'dpkg -i linux-headers-*.deb'
check 'our kernel is the one that boots next' restart ours.log || give_up
check "uname -r: $release" runs "$release" || give_up
echo "# our kernel: $release; $(guest 'systemd-analyze | head -n 1')"
guest "ls -l /boot/vmlinuz-* /boot/initrd.img-* | awk '{ print \$5, \$9 }'; du -sk /lib/modules/*" | note
check 'kernel.perf_event_defer_inline is there' guest 'sysctl kernel.perf_event_defer_inline'
check 'systemd: nothing failed' guest '! systemctl --failed --no-legend | grep .'

# Recording: the whole system while services work.
check 'perf-deferred record -a -g' guest \
	'(for i in 1 2 3; do systemctl restart cron ssh dbus 2>/dev/null; sleep 1; done) & perf-deferred record -a -g -o a.data sleep 8 && wait'
check 'its report has samples of systemd' guest 'perf-deferred report --stdio -i a.data -s comm 2>/dev/null | grep -E "systemd"'
check 'deferred: every cookie has its record' guest \
	'perf-deferred record -a --call-graph fp,defer -e sched:sched_switch -o d.data -- sh -c "ls -R /usr/share/doc >/dev/null; sync" &&
	 perf-deferred report -D -i d.data | grep -c CALLCHAIN_DEFERRED && ! perf-deferred script -i d.data 2>&1 | grep "(cookie)"'
# How many stacks are cut record says itself, if any are; by frame pointers most are.
check 'by unwind tables: of the user stacks of ls and gcc 95 % are whole' guest '
	echo "int main(void) { return 0; }" >e.c
	# Twice by table: cc1 is large, and the first time it begins before its table is made.
	for g in table fp table; do
		perf-deferred record -e cpu-clock:u --call-graph $g -F 4999 -o $g.data -- \
			sh -c "for i in 1 2 3; do ls -R /usr/lib >/dev/null; gcc -c -O2 e.c; done" >$g.log 2>&1 || exit
		cat $g.log
		perf-deferred script -i $g.data -F ip 2>/dev/null | awk -v by=$g "NF { frames++; if (!last) stacks++ } { last = NF }
			END { print by \": \" stacks \" stacks of \" frames / stacks \" frames\" }"
	done | tee t.log
	! grep "takes no" table.log &&
	awk "/^fp: / { fp = \$5 } /^table: / { n = \$2; table = \$5 } END { exit !(n > 100 && table > 2 * fp) }" t.log &&
	sed -n "s/.*callchains (\([0-9]*\) %) are cut.*/\1/p" table.log | awk "\$1 > 5 { bad = 1 } END { exit bad }"'
check 'services are frozen and thawed while they are recorded' guest \
	'perf-deferred record -a --call-graph fp,defer -o f.data sleep 6 & sleep 1
	 for s in systemd-journald systemd-udevd systemd-networkd; do systemctl freeze $s; sleep 1; systemctl thaw $s || exit 1; done; wait $! && perf-deferred script -i f.data >/dev/null'
check 'modules come and go while they are recorded' guest \
	'perf-deferred record -a --call-graph fp,defer -o m.data sleep 10 & sleep 1
	 for i in 1 2 3; do for m in loop dummy xfs; do modprobe $m || exit 1; done; for m in loop dummy xfs; do modprobe -r $m || exit 1; done; done; wait $! && perf-deferred report --stdio -i m.data >/dev/null'
check 'a module built with linux-headers, as DKMS does' guest '
	mkdir -p ours && cd ours && printf "obj-m := ours.o\n" >Makefile && printf "%s\n" "#include <linux/module.h>" \
		"static int __init ours_init(void) { pr_info(\"ours is here\\n\"); return 0; }" \
		"static void __exit ours_exit(void) { }" \
		"module_init(ours_init); module_exit(ours_exit); MODULE_LICENSE(\"GPL\");" >ours.c &&
	make -C /lib/modules/$(uname -r)/build M=$PWD modules && insmod ours.ko && dmesg | grep -q "ours is here" && rmmod ours'
check 'the console has no complaint' clean ours.log

# The CPUs run in turn: with a thread for each, QEMU 7.2 can translate code that another CPU changes
# (Documentation/testing.rst), which the static keys of events that come and go do all the time.
threads=single
check 'our kernel again, its CPUs in turn' restart torture.log || give_up
seconds=${TORTURE_SECONDS:-60}
check "torture, 64 bits, $seconds s" guest "mkdir -p /tests; ./torture64 $((seconds / 2)) && sysctl kernel.perf_event_defer_inline=0"
check "torture, 32 bits" guest "./torture32 $((seconds - seconds / 2)); s=\$?; sysctl kernel.perf_event_defer_inline=1; exit \$s"
guest 'cat /sys/kernel/debug/unwind/stats' | note
threads=multi
check 'the console has no complaint' clean torture.log

# The way back.
entry="Advanced options for Debian GNU/Linux>Debian GNU/Linux, with Linux $debian"
check "grub-reboot: Debian's kernel once" guest "grub-reboot '$entry'"
check 'it boots' restart back.log || give_up
check "uname -r: $debian" runs "$debian"
check 'apt-get purge of our kernel' guest "DEBIAN_FRONTEND=noninteractive apt-get -qq purge -y 'linux-image-*-unwind*' 'linux-headers-*-unwind*'"
check 'nothing of it is left' guest "! ls -d /boot/*unwind* /lib/modules/*unwind* /usr/src/*unwind* 2>/dev/null | grep ."
check 'the next boot' restart end.log || give_up
check "uname -r: $debian" runs "$debian"
guest 'systemctl poweroff'
check 'the machine goes off' wait_off
qemu_pid=''
echo "1..$n"
exit $failed
