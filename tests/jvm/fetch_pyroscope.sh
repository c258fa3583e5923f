#!/bin/sh
# Fetches Pyroscope's Java agent, with the machine's own Maven configuration, once.
# usage: tests/jvm/fetch_pyroscope.sh [VERSION]      prints the path of its jar
set -eu

version=${1:-2.1.2}
jars=${XDG_CACHE_HOME:-$HOME/.cache}/candor/jars/pyroscope-$version
if [ ! -d "$jars" ]; then
    mkdir -p "${jars%/*}"
    part=$(mktemp -d "${jars%/*}/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    mvn -B -q dependency:copy -Dartifact="io.pyroscope:agent:$version" -DoutputDirectory="$part/jars" >&2
    mv -T "$part/jars" "$jars" 2>/dev/null || [ -d "$jars" ] # another run may have been faster
fi
echo "$jars/agent-$version.jar"
