#!/bin/sh
# Fetches Mission Control's recording parser with all it needs, by the machine's own Maven configuration, once.
# usage: tests/jvm/fetch_jars.sh      prints the directory with the jars; other tests may use them too
set -eu

version=9.1.1
jars=${XDG_CACHE_HOME:-$HOME/.cache}/candor/jars/flightrecorder-$version
if [ ! -d "$jars" ]; then
    mkdir -p "${jars%/*}"
    part=$(mktemp -d "${jars%/*}/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    cat >"$part/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>candor</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.openjdk.jmc</groupId><artifactId>flightrecorder</artifactId><version>$version</version>
    </dependency>
  </dependencies>
</project>
POM
    mvn -B -q -f "$part/pom.xml" dependency:copy-dependencies -DoutputDirectory="$part/jars" -DincludeScope=runtime >&2
    mv -T "$part/jars" "$jars" 2>/dev/null || [ -d "$jars" ] # another run may have been faster
fi
echo "$jars"
