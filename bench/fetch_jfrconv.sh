#!/bin/sh
# Fetches async-profiler's converter of recordings, by the machine's own Maven configuration, once.
# usage: bench/fetch_jfrconv.sh      prints the path of its jar
set -eu

version=4.5
jars=${XDG_CACHE_HOME:-$HOME/.cache}/candor/jars
jar=$jars/jfr-converter-$version.jar
if [ ! -e "$jar" ]; then
    mkdir -p "$jars"
    part=$(mktemp -d "$jars/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    mvn -B -q dependency:copy -Dartifact="tools.profiler:jfr-converter:$version" -DoutputDirectory="$part" >&2
    mv "$part/jfr-converter-$version.jar" "$jar"
fi
echo "$jar"
