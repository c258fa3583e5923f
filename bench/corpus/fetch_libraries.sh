#!/bin/sh
# Fetches the libraries of the corpus with everything they need, with the machine's own Maven configuration, once per pom.xml.
# usage: bench/corpus/fetch_libraries.sh [jmc]       prints the directory with the jars
#
# jmc: the rules of JDK Mission Control instead
set -eu

pom=$(dirname "$0")/${1:-.}/pom.xml
jars=${XDG_CACHE_HOME:-$HOME/.cache}/candor/jars/corpus-$(sha256sum "$pom" | cut -c1-12)
if [ ! -d "$jars" ]; then
    mkdir -p "${jars%/*}"
    part=$(mktemp -d "${jars%/*}/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    mvn -B -q -f "$pom" dependency:copy-dependencies -DoutputDirectory="$part/jars" -DincludeScope=runtime >&2
    mv -T "$part/jars" "$jars" 2>/dev/null || [ -d "$jars" ] # another run may have been faster
fi
echo "$jars"
