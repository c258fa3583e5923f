#!/bin/sh
# Fetches the profilers with which we compare ourselves, with the machine's own Maven configuration, once.
# usage: bench/fetch_peers.sh [VERSION]      prints the directory with libasyncProfiler.so
set -eu

version=${1:-4.6}
peers=${XDG_CACHE_HOME:-$HOME/.cache}/candor/peers/async-profiler-$version
case $(uname -m) in
    x86_64) platform=linux-x64 ;;
    aarch64) platform=linux-arm64 ;;
    *) echo "fetch_peers: no async-profiler for $(uname -m)" >&2; exit 1 ;;
esac
if [ ! -d "$peers" ]; then
    mkdir -p "${peers%/*}"
    part=$(mktemp -d "${peers%/*}/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    mvn -B -q dependency:copy -Dartifact="tools.profiler:async-profiler:$version" -DoutputDirectory="$part" >&2
    python3 -m zipfile -e "$part/async-profiler-$version.jar" "$part/jar"
    mkdir "$part/peers"
    cp "$part/jar/$platform/libasyncProfiler.so" "$part/peers"
    mv -T "$part/peers" "$peers" 2>/dev/null || [ -d "$peers" ] # another run may have been faster
fi
echo "$peers"
