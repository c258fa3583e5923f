#!/bin/busybox sh
# The init of an emulated machine. The second disk is an archive (tar) with run.sh and what it needs. What run.sh leaves in /guest/out is
# written to the third disk, as an archive, before the machine is switched off.
for place in /tmp /run /var/tmp /guest /root; do
    /bin/busybox mount -t tmpfs -o mode=1777 tmpfs $place
done
/bin/busybox mkdir /run/bin
/bin/busybox --install -s /run/bin
export PATH=/run/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mkdir -p /dev/pts /dev/shm /run/cgroup
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
mount -t cgroup2 cgroup /run/cgroup
ip link set lo up
[ ! -e /sys/class/net/eth0 ] || { ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up; } # the emulator's own network
hostname guest
cd /guest && tar xf /dev/vdb
mkdir -p out home && chmod 1777 out home
(sh ./run.sh </dev/null; echo "run.sh ended with $?") 2>&1 | tee out/log >/dev/console
dmesg >out/dmesg
tar cf /dev/vdc -C out .
sync
poweroff -f
