# Functions for run.sh, which runs in the machine. The host reads what they leave in /guest/out.
#
#   cell NAME JDK WHO PARANOID HOW PROGRAM "GO" SECONDS OPTION...
#     Records a program of tests/java. WHO: root; user; root-denied, user-denied (without perf_event_open); limited (root, in a cgroup with
#     half a processor). HOW: attach; often (attach, after ten short recordings); start (record --); agent (OPTIONs are the agent's);
#     faulty, capture (the same with those agents of the tests, and they leave NAME/faults or NAME/images).
#     GO: the line that the program gets. It leaves NAME/recording.jfr, NAME/verdict, and what was printed.
candor=/guest/candor
agent=/guest/libcandor.so
patience=180 # seconds that a program may take to start

mkdir -p /run/cgroup/limited && echo "+cpu +memory" >/run/cgroup/cgroup.subtree_control
echo "50000 100000" >/run/cgroup/limited/cpu.max
echo 600M >/run/cgroup/limited/memory.max
chmod -R a+rX /guest/classes
chmod 755 /guest /guest/candor /guest/libcandor.so /guest/become

# Test programs start others with a shell, in the place where systems have it. The disk has busybox alone.
if [ ! -e /bin/sh ]; then
    cp /bin/busybox /run/busybox
    mkdir /run/shell
    /run/busybox --install -s /run/shell
    mount --bind /run/shell /bin
fi

# Becomes a command of somebody else's.
as()
{
    local who=$1
    shift
    export HOME=/guest/home
    case $who in
        root) exec "$@" ;;
        limited) exec sh -c 'echo $$ >/run/cgroup/limited/cgroup.procs; exec "$@"' sh "$@" ;;
        *) exec /guest/become "${who#root-}" "$@" ;;
    esac
}

# await FILE TEXT: until a line of the file begins with the text, or the patience ends.
await()
{
    local n=0
    until grep -q "^$2" "$1" 2>/dev/null; do
        sleep 0.2
        n=$((n + 1))
        [ $n -lt $((patience * 5)) ] || return 1
    done
}

cell()
{
    local name=$1 jdk=$2 who=$3 paranoid=$4 how=$5 program=$6 go=$7 seconds=$8
    local d=/guest/out/$1 java job status=none agent=$agent CANDOR_INJECT CANDOR_INJECT_REPORT CANDOR_CAPTURE
    shift 8
    echo "cell $name at $(cut -d' ' -f1 /proc/uptime) s"
    echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
    mkdir -m 777 "$d"
    mkfifo -m 666 "$d/in"
    java="$(echo /usr/lib/jvm/java-"$jdk"-openjdk-*/bin/java) -Xmx256m -XX:ErrorFile=$d/hs_err.log"
    cd "$d"
    case $how in
        attach | often) (as "$who" $java -cp /guest/classes $program) <in >java.out 2>&1 & ;;
        start) (as "$who" $candor record -o recording.jfr "$@" -- $java -cp /guest/classes $program) <in >java.out 2>&1 & ;;
        agent | faulty | capture)
            [ "$how" = agent ] || agent_of_tests "$how" "$d"
            (as "$who" $java "-agentpath:$agent=file=$d/recording.jfr,$*" -cp /guest/classes $program) <in >java.out 2>&1 & ;;
    esac
    job=$!
    exec 7>in
    if await java.out ready; then
        echo "$go" >&7
        if [ "$how" = attach ] || [ "$how" = often ]; then
            sleep 3
            [ "$how" = attach ] || short_recordings $job >short.out 2>&1
            (as "$who" timeout $patience $candor record -d "${seconds}s" -o "$d/recording.jfr" "$@" $job) >record.out 2>&1
            status=$?
            kill $job
        fi
    fi
    exec 7>&- # a program ends when its input does, after its round
    stop_after $patience $job
    wait $job
    echo "record=$status java=$?" >verdict
    cd /guest
    rm -f "$d/in"
}

# agent_of_tests HOW FOLDER: sets agent and its environment, for the JVM that starts next.
agent_of_tests()
{
    case $1 in
        faulty)
            head -c 16384 /dev/zero >"$2/faults"
            export CANDOR_INJECT=loads=0.01,walks=20 CANDOR_INJECT_REPORT=$2/faults ;;
        capture) export CANDOR_CAPTURE=$2/images ;;
    esac
    agent=/guest/libcandor-$1.so
}

# truth NAME JDK SECONDS CASE...: candor verify, with an interval that an emulated processor can bear. Leaves NAME/verify.json.
truth()
{
    local jdk=$2 limit=$3 d=/guest/out/$1 status
    shift 3
    echo "truth at $(cut -d' ' -f1 /proc/uptime) s"
    mkdir "$d"
    echo 1 >/proc/sys/kernel/perf_event_paranoid
    timeout "$limit" $candor verify --java /usr/lib/jvm/java-"$jdk"-openjdk-* --tools candor -i 5ms -d 4s --json "$@" \
        >"$d/verify.json" 2>"$d/verify.out"
    status=$?
    [ $status -gt 1 ] || status=ran # 1: a case is not true
    echo "$status" >"$d/verdict"
}

# programs NAME SECONDS: the test programs in programs/NAME, two at a time. Leaves NAME/PROGRAM/out and NAME/PROGRAM/status.
programs()
{
    local d=/guest/out/$1
    echo "programs $1 at $(cut -d' ' -f1 /proc/uptime) s"
    mkdir "$d"
    cd /guest/source
    export CANDOR_HALF=0 CANDOR_TIER=quick CANDOR_BUILD=/guest
    find "/guest/programs/$1" -name 'test_*' | sort | timeout "$2" xargs -n 1 -P 2 sh -c '
        d=$0/${1##*/}
        mkdir "$d"
        timeout 600 "$1" >"$d/out" 2>&1
        echo $? >"$d/status"' "$d"
    echo ran >"$d/verdict"
    cd /guest
}

# Kills a process that does not end by itself.
stop_after()
{
    local n=0
    while kill -0 "$2" 2>/dev/null; do
        sleep 0.2
        n=$((n + 1))
        [ $n -lt $(($1 * 5)) ] || kill -9 "$2"
    done
}

short_recordings()
{
    for n in 1 2 3 4 5 6 7 8 9 10; do
        timeout $patience $candor record -d 0.3s -o short-$n.jfr "$1" || echo "recording $n failed"
    done
    rm -f short-*
}

# daemon NAME JDK SECONDS URL: profiles a JVM by the daemon, which sends to the server there. NAME/left has what it could not send.
daemon()
{
    local name=$1 jdk=$2 seconds=$3 d=/guest/out/$1 java daemon
    echo "daemon $name at $(cut -d' ' -f1 /proc/uptime) s"
    mkdir "$d"
    cd "$d"
    printf '[daemon]\nserver = %s\nchunk = 5s\nlook = 1s\nmin-age = 0\n[jvm all]\n' "$4" >daemon.conf
    mkfifo in
    $(echo /usr/lib/jvm/java-"$jdk"-openjdk-*/bin/java) -Xmx256m -XX:ErrorFile=hs_err.log -cp /guest/classes Steady <in >java.out 2>&1 &
    java=$!
    exec 7>in
    await java.out ready && echo "go seconds=300 threads=1" >&7
    $candor daemon --config daemon.conf --spool /guest/spool 2>daemon.out &
    daemon=$!
    sleep "$seconds"
    kill $daemon
    stop_after $patience $daemon
    wait $daemon
    echo "daemon=$?" >verdict
    exec 7>&-
    kill $java
    find /guest/spool/live /guest/spool/queue -type f >left
    cd /guest
    rm "$d/in"
}
