#!/bin/sh
# Fetches a Java library with everything it needs, with the machine's own Maven configuration, once.
# usage: tests/jvm/fetch_jars.sh [flightrecorder | jfrconv | spans | jmh | opentracing | jaeger | cassandra | hdr0 | hdr1]
# It prints the directory with the jars; other tests may use them too.
# flightrecorder: Mission Control's parser of recordings; jfrconv: async-profiler's converter;
# spans: its API for spans;
# jmh: the benchmark harness with its annotation processor; opentracing: its API and a tracer for tests; jaeger: a tracer of OpenTracing;
# cassandra: a whole server; hdr0, hdr1: versions of HdrHistogram that write its old encodings
set -eu

name=${1:-flightrecorder}
case $name in
    flightrecorder) group=org.openjdk.jmc artifact=flightrecorder version=9.1.1 ;;
    jfrconv) group=tools.profiler artifact=jfr-converter version=4.5 ;;
    spans) group=tools.profiler artifact=async-profiler version=4.5 ;;
    jmh) group=org.openjdk.jmh artifact=jmh-generator-annprocess version=1.37 ;;
    opentracing) group=io.opentracing artifact=opentracing-mock version=0.33.0 ;;
    cassandra) group=org.apache.cassandra artifact=cassandra-all version=4.1.7 ;;
    hdr0) group=org.hdrhistogram artifact=HdrHistogram version=1.2.1 ;;
    hdr1) group=org.hdrhistogram artifact=HdrHistogram version=2.1.6 ;;
    jaeger) group=io.jaegertracing artifact=jaeger-core version=1.8.1 ;;
    *) sed -n 3p "$0" >&2; exit 2 ;;
esac

jars=${XDG_CACHE_HOME:-$HOME/.cache}/candor/jars/$name-$version
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
      <groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>
    </dependency>
  </dependencies>
</project>
POM
    mvn -B -q -f "$part/pom.xml" dependency:copy-dependencies -DoutputDirectory="$part/jars" -DincludeScope=runtime >&2
    mv -T "$part/jars" "$jars" 2>/dev/null || [ -d "$jars" ] # another run may have been faster
fi
echo "$jars"
