# A Tomcat for the demos, with the example pages of its distribution, and load on it. To be sourced; needs $base, a directory, and $jdk, one
# of script/jdks. The functions set variables for what they start: tomcat and port, load.
# shellcheck shell=bash disable=SC2034,SC2154

# Separate from anything that the system runs: its files in $base, any free port, loopback only.    start_tomcat [JVM OPTION...]
start_tomcat()
{
    local home=/usr/share/tomcat10
    mkdir -p "$base"/{conf,logs,temp,work,webapps}
    cp $home/skel/conf/web.xml "$base/conf"
    cat >"$base/conf/server.xml" <<'XML'
<Server port="-1">
  <Service name="Catalina">
    <Connector address="127.0.0.1" port="0" protocol="HTTP/1.1" maxKeepAliveRequests="-1"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps">
        <Context path="/examples" docBase="/usr/share/tomcat10-examples/examples"/>
      </Host>
    </Engine>
  </Service>
</Server>
XML
    JAVA_HOME=${XDG_CACHE_HOME:-$HOME/.cache}/candor/jdks/$jdk CATALINA_HOME=$home CATALINA_BASE=$base CATALINA_OPTS="$*" \
        $home/bin/catalina.sh run >"$base/logs/out" 2>&1 &
    tomcat=$!
    for _ in {1..120}; do
        ! grep -q 'Server startup in' "$base/logs/out" || break
        kill -0 $tomcat 2>/dev/null || break
        sleep 0.5
    done
    port=$(sed -n 's/.*Starting ProtocolHandler.*-auto-[0-9]*-\([0-9]*\)".*/\1/p' "$base/logs/out")
    [ -n "$port" ] || { cat "$base/logs/out" >&2; echo "demo: Tomcat does not start" >&2; exit 1; }
}

# Eight keep-alive connections over pages of several kinds; each keeps its session, as a browser does.    start_load SECONDS
start_load()
{
    cat >"$base/pages.lua" <<'LUA'
local pages = {
    "jsp/jsp2/el/basic-arithmetic.jsp", "jsp/jsp2/el/basic-comparisons.jsp", "jsp/jsp2/simpletag/book.jsp",
    "jsp/jsp2/tagfiles/products.jsp", "jsp/dates/date.jsp", "servlets/servlet/RequestInfoExample",
    "CompressionTest",
}
local next_page = 0

wrk.headers["Accept-Encoding"] = "gzip"

function request()
    next_page = next_page % #pages + 1
    return wrk.format("GET", "/examples/" .. pages[next_page])
end

function response(status, headers)
    local cookie = headers["Set-Cookie"]
    if cookie and not wrk.headers["Cookie"] then
        wrk.headers["Cookie"] = cookie:match("^[^;]+")
    end
end
LUA
    wrk --threads 1 --connections 8 --duration "$1s" --script "$base/pages.lua" "http://127.0.0.1:$port" >"$base/logs/load" 2>&1 &
    load=$!
}
