#!/bin/busybox sh
# The first program of an emulated machine. It mounts the machine's disk, and runs the init there.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for module in /modules/*; do
    $b insmod "$module"
done
n=0
while [ ! -b /dev/vda ] && [ $n -lt 300 ]; do
    $b sleep 0.1
    n=$((n + 1))
done
$b mount -t ext4 -o ro /dev/vda /root
for place in dev proc sys; do
    $b mount --move /$place /root/$place
done
exec $b switch_root /root /init
