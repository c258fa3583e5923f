/* The key=value lists of the control protocol and of -agentpath: what is accepted, and everything that is refused.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/control/options.h"
#include "base/agreed/recording_options.h"
#include "base/time_units.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct collect_options options;
static struct error error;

static int parse(const char *text)
{
    char *copy = strdup(text); /* exactly this long, for AddressSanitizer */
    error.text[0] = 0;
    int rc = options_parse(&options, copy, &error);
    free(copy);
    return rc;
}

static void refused(const char *text, int code, const char *word)
{
    int rc = parse(text);
    tap_ok(rc == code && strstr(error.text, word) && !strchr(error.text, '\n'), "'%.40s' is refused, naming %s", text, word);
    if (rc != code || !strstr(error.text, word))
        tap_note("%d: %s", rc, error.text);
}

/* The agent knows every option of the command line by the same name, and no other option. */
static void test_events(void)
{
    char words[] = RECORDING_EVENT_WORDS, pair[64], *rest = words;
    unsigned all = 0;
    for (const char *word; (word = strsep(&rest, "|"));) {
        snprintf(pair, sizeof pair, "event=%s", word);
        int rc = parse(pair);
        bool is_named = false;
        for (int i = 0; i < COLLECT_EVENTS; i++)
            is_named |= options.events >> i & 1 && !strcmp(collect_event_names[i], word);
        tap_ok(!rc && is_named && !options.counter.name[0], "the event %s", word);
        all |= options.events;
    }
    char text[COLLECT_EVENTS_BYTES];
    tap_ok(all == (1u << COLLECT_EVENTS) - 1, "and the agent has no other");
    tap_ok(!strcmp(collect_events_text(text, all), "cpu,wall,alloc,halt,lock,live,safepoint"), "in this order (%s)", text);
}

static void test_accepted(void)
{
    tap_ok(!parse("") && !options.file[0] && options.interval_ns == 10 * NS_PER_MS && !options.duration_ns && options.clock == CLOCK_AUTO &&
               options.walker == WALKER_AUTO,
           "nothing means: no file, 10 ms, until stopped, whatever works best");
    tap_ok(!options_parse(&options, NULL, &error) && options.interval_ns == 10 * NS_PER_MS, "no text means the same");
    tap_ok(options.clocks == LOTS_AUTO && !parse("clocks=all") && options.clocks == LOTS_ALL && !parse("event=halt") &&
               options.clocks == LOTS_ALL && !parse("event=page-faults") && options.clocks == LOTS_ALL,
           "clocks are by lot where that helps, unless something else is said");
    tap_ok(!parse("file=/tmp/x.jfr,interval=1ms,duration=30s,clock=timer,event=cpu,walker=agct,carrier-frames=on,recompile=on") &&
               !strcmp(options.file, "/tmp/x.jfr") && options.interval_ns == NS_PER_MS && options.duration_ns == 30 * NS_PER_S &&
               options.clock == CLOCK_TIMER && options.walker == WALKER_AGCT && options.carrier_frames && options.recompile,
           "all of them");
    tap_ok(options.heal == HEAL_NOW && !parse("heal=off") && options.heal == HEAL_OFF && !parse("heal=paced") &&
               options.heal == HEAL_PACED && !parse("heal=now,recompile=on") && options.heal == HEAL_NOW,
           "recompile is the former name of heal=now");
    tap_ok(!parse("file=/x") && options.heal == HEAL_PACED && !parse("event=alloc") && options.heal == HEAL_OFF &&
               !parse("event=safepoint") && options.heal == HEAL_OFF,
           "healing is paced, or off without samples of CPU time");
    tap_ok(!options.limits.max_rate && !options.limits.max_overhead && !parse("max-rate=600/s,max-overhead=0.5%25") &&
               options.limits.max_rate == 600 && options.limits.max_overhead == 0.005 && !parse("max-rate=1,max-overhead=100") &&
               options.limits.max_rate == 1 && options.limits.max_overhead == 1,
           "budgets, with their units or without");
    tap_ok(!parse("event=safepoint,file=/x") && options.events == COLLECT_SAFEPOINT && options.interval_ns == 10 * NS_PER_MS &&
               !parse("interval=1ms,event=safepoint") && options.interval_ns == NS_PER_MS && !parse("event=cpu") &&
               options.events == COLLECT_CPU,
           "the event safepoint, every 10 ms, or every millisecond");
    tap_ok(!parse("event=alloc") && options.events == COLLECT_ALLOC && !options.alloc.interval && !options.alloc.rate &&
               !parse("event=cpu%2Calloc,alloc-interval=512k") && options.events == (COLLECT_CPU | COLLECT_ALLOC) &&
               options.alloc.interval == 512 << 10 && !parse("event=alloc%2Ccpu,alloc-rate=50/s") &&
               options.events == (COLLECT_CPU | COLLECT_ALLOC) && options.alloc.rate == 50 && !parse("event=cpu+wall+alloc") &&
               options.events == (COLLECT_CPU | COLLECT_WALL | COLLECT_ALLOC),
           "the event alloc, alone or beside the clock, by rate or by interval");
    tap_ok(!parse("event=live") && options.events == (COLLECT_ALLOC | COLLECT_LIVE) && !options.live.max &&
               !parse("event=live+cpu,live-max=64,alloc-rate=50/s") && options.events == (COLLECT_CPU | COLLECT_ALLOC | COLLECT_LIVE) &&
               options.live.max == 64 && !parse("event=cpu%2Cwall%2Calloc%2Clive,live-max=16384"),
           "the event live, which has the event alloc beside it");
    tap_ok(parse("event=alloc,live-max=100") && strstr(error.text, "event=live") && parse("event=live,live-max=63") &&
               parse("event=live,live-max=16385") && parse("event=live,live-max=1k") && parse("event=live+live") &&
               parse("event=live+safepoint") && parse("event=live,clock=timer"),
           "and what it cannot have");
    tap_ok(!parse("event=live,paths=200ms") && options.live.paths_ns == 200 * NS_PER_MS && !parse("file=/copy.jfr,event=live,paths=10m") &&
               parse("paths=1s") && strstr(error.text, "event=live") && parse("event=live,paths=0") && parse("event=live,paths=11m") &&
               parse("event=live,paths=on") && strstr(error.text, "200ms"),
           "and the time for who holds what is alive, which a dump may name, too");
    tap_ok(parse("alloc-rate=50") && strstr(error.text, "event=alloc") && parse("event=alloc,alloc-rate=1,alloc-interval=1k") &&
               strstr(error.text, "one of them") && parse("event=alloc,alloc-interval=1023") && parse("event=alloc,alloc-interval=2g") &&
               parse("event=alloc,alloc-rate=0") && parse("event=alloc,clock=timer") && strstr(error.text, "cpu,alloc") &&
               parse("event=safepoint%2Calloc") && parse("event=cpu%2C") && parse("event=cpu+cpu") && strstr(error.text, "one or several"),
           "what of it is refused");
    tap_ok(!parse("event=halt") && options.events == COLLECT_HALT && !parse("event=halt%2Ccpu") &&
               options.events == (COLLECT_CPU | COLLECT_HALT) && !parse("event=cpu+wall+alloc+halt") &&
               options.events == (COLLECT_CPU | COLLECT_WALL | COLLECT_ALLOC | COLLECT_HALT) && parse("event=safepoint+halt") &&
               parse("event=halt+halt") && parse("event=halt,clock=timer") && strstr(error.text, "cpu,halt") &&
               !parse("event=cpu+halt,clock=timer"),
           "the event halt, alone or beside others");
    tap_ok(!parse("event=lock") && options.events == COLLECT_LOCK && !options.lock.has_threshold && !options.lock.rate &&
               !parse("event=cpu+wall+alloc+lock,lock-threshold=20ms,lock-rate=50/s") &&
               options.events == (COLLECT_CPU | COLLECT_WALL | COLLECT_ALLOC | COLLECT_LOCK) && options.lock.has_threshold &&
               options.lock.threshold_ns == 20 * NS_PER_MS && options.lock.rate == 50 && !parse("event=lock,lock-threshold=0") &&
               options.lock.has_threshold && !options.lock.threshold_ns,
           "the event lock, alone or beside others, of all waits or of some");
    tap_ok(!parse("event=page-faults") && options.events == COLLECT_CPU && !strcmp(options.counter.name, "page-faults") &&
               options.counter.type == PERF_TYPE_SOFTWARE && options.counter.config == PERF_COUNT_SW_PAGE_FAULTS &&
               options.interval_ns == options.counter.interval && !parse("event=context-switches,event-interval=7") &&
               options.counter.in_kernel && options.interval_ns == 7 && !parse("event=r1A2b,asm=on") &&
               options.counter.type == PERF_TYPE_RAW && options.counter.config == 0x1a2b && options.code &&
               !parse("event=dTLB-load-misses") && options.counter.type == PERF_TYPE_HW_CACHE &&
               options.counter.config == (PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16) && !parse("event=cpu") &&
               !options.counter.name[0],
           "events that perf counts");
    tap_ok(!parse("event=wall") && options.events == COLLECT_WALL && options.interval_ns == 50 * NS_PER_MS &&
               options.wall.interval_ns == 50 * NS_PER_MS && options.wall.rate == 160 && !parse("interval=5ms,event=wall,wall-rate=20/s") &&
               options.interval_ns == 5 * NS_PER_MS && options.wall.interval_ns == 5 * NS_PER_MS && options.wall.rate == 20 &&
               !parse("event=wall,wall-interval=7ms") && options.interval_ns == 7 * NS_PER_MS && options.wall.interval_ns == 7 * NS_PER_MS,
           "the event wall, every 50 ms, or as asked");
    tap_ok(!parse("event=cpu%2Cwall") && options.events == (COLLECT_CPU | COLLECT_WALL) && options.interval_ns == 10 * NS_PER_MS &&
               options.wall.interval_ns == 50 * NS_PER_MS && !parse("event=wall%2Ccpu,clock=timer,max-rate=9") &&
               options.events == (COLLECT_CPU | COLLECT_WALL) && !parse("event=cpu+wall,interval=1ms,wall-interval=2ms") &&
               options.events == (COLLECT_CPU | COLLECT_WALL) && options.interval_ns == NS_PER_MS &&
               options.wall.interval_ns == 2 * NS_PER_MS,
           "with the CPU time, each with its own interval");
    tap_ok(!parse("") && !options.keep.ns && !options.keep.bytes && !options.dumps.rule.text[0] && options.dumps.max == 10 &&
               !parse("keep=5m,max-size=100MB,dump-on=cpu>90%25/10s,dump-dir=/var/tmp,dump-max=3,dump-pause=1m") &&
               options.keep.ns == 300 * NS_PER_S && options.keep.bytes == 100 << 20 && options.dumps.rule.share == 0.9 &&
               options.dumps.rule.window_ns == 10 * NS_PER_S && !strcmp(options.dumps.folder, "/var/tmp") && options.dumps.max == 3 &&
               options.dumps.pause_ns == 60 * NS_PER_S,
           "how much is kept, and when it is dumped");
    tap_ok(!parse("event=safepoint,keep=1s,max-size=1M") && options.keep.ns == NS_PER_S && options.keep.bytes == 1 << 20 &&
               !parse("max-size=1GiB"),
           "whatever the event; the ends of the ranges");
    tap_ok(!parse("") && !options.jfr && !parse("jfr=off") && !options.jfr && !parse("event=safepoint,jfr=existing") &&
               !strcmp(options.jfr, "existing") && !parse("jfr=on") && !strcmp(options.jfr, "on"),
           "what goes on beside it");
    refused("jfr=yes", -EINVAL, "jfr 'yes'");
    refused("heal=later", -EINVAL, "heal 'later'");
    refused("heal=off,recompile=on", -EINVAL, "heal=off");
    refused("event=safepoint,heal=paced", -EINVAL, "heal");
    tap_ok(!parse(",,file=/a%2Cb%25c%0Ad%3De,,") && !strcmp(options.file, "/a,b%c\nd=e"), "empty places; encoded values");
    char expected[64];
    snprintf(expected, sizeof expected, "/tmp/%d-%d.jfr%%p", (int)getpid(), (int)getpid());
    tap_ok(!parse("file=/tmp/%p-%p.jfr%25p") && !strcmp(options.file, expected), "%%p is the process's number, %%25p is %%p");
    tap_ok(!parse("file=/x") && !options.passed && !parse("file=/x,descriptor=passed") && options.passed, "a passed file");
    tap_ok(!parse("interval=100us") && !parse("interval=10s") && !parse("duration=0"), "the ends of the ranges");
    for (int i = 0; i < CLOCK_KINDS; i++) {
        char text[32];
        snprintf(text, sizeof text, "clock=%s", clock_names[i]);
        tap_ok(!parse(text) && (int)options.clock == i, "%s", text);
    }
    for (int i = 0; i < WALKERS; i++) {
        char text[32];
        snprintf(text, sizeof text, "walker=%s", walker_names[i]);
        tap_ok(!parse(text) && (int)options.walker == i, "%s", text);
    }
}

static void test_refused(void)
{
    static char long_name[RECORDING_PATH_MAX + 16] = "file=/";
    refused("file", -EINVAL, "'file'");
    static const char *const rates[] = {"", "0", "-1", "1.5", "600/m", "99999999999999999999", "x"};
    static const char *const shares[] = {"", "0", "0%25", "-1", "101", "1/s", "nan", "x"};
    char limit[64];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        snprintf(limit, sizeof limit, "max-rate=%s", rates[i]);
        refused(limit, -EINVAL, "max-rate");
    }
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        snprintf(limit, sizeof limit, "max-overhead=%s", shares[i]);
        refused(limit, -EINVAL, "max-overhead");
    }
    refused("event=safepoint,max-rate=1", -EINVAL, "max-rate");
    refused("=", -EINVAL, "''");
    refused("=x", -EINVAL, "''");
    refused("flavour=vanilla", -EINVAL, "'flavour'");
    refused("File=/x", -EINVAL, "'File'");
    refused("file=", -EINVAL, "absolute");
    refused("file=x.jfr", -EINVAL, "'x.jfr'");
    refused("file=/%p%", -EINVAL, "encoding");
    refused("descriptor=3", -EINVAL, "passed");
    memset(long_name + 6, 'x', RECORDING_PATH_MAX - 1);
    refused(long_name, -ENAMETOOLONG, "too long");
    long_name[5 + RECORDING_PATH_MAX - 1] = 0;
    tap_ok(!parse(long_name), "the longest name that fits");
    refused("file=/a%", -EINVAL, "%-encoding");
    refused("file=/a%2", -EINVAL, "%-encoding");
    refused("file=/a%zz", -EINVAL, "%-encoding");
    refused("file=/a%00b", -EINVAL, "%-encoding");
    refused("interval=", -EINVAL, "interval");
    refused("interval=0", -EINVAL, "'0'");
    refused("interval=99999ns", -EINVAL, "100us");
    refused("interval=10001ms", -EINVAL, "10s");
    refused("interval=5", -EINVAL, "'5'");
    refused("interval=-1s", -EINVAL, "'-1s'");
    refused("interval=1e400s", -EINVAL, "1e400s");
    refused("duration=nan", -EINVAL, "'nan'");
    refused("duration=forever", -EINVAL, "'forever'");
    refused("clock=sundial", -EINVAL, "'sundial'");
    refused("event=moon", -EINVAL, "'moon'");
    refused("event=", -EINVAL, "page-faults");
    refused("event=cpu%2Cpage-faults", -EINVAL, "alone");
    refused("event=rxyz", -EINVAL, "'rxyz'");
    refused("event=r00112233445566778", -EINVAL, "rNNN");
    refused("event=sched:", -EINVAL, "SYSTEM:TRACEPOINT");
    refused("event=../x:y", -EINVAL, "'../x:y'");
    int rc = parse("event=candor:none"); /* a user who may not look there cannot know */
    tap_ok((rc == -ENOENT || rc == -EACCES) && strstr(error.text, "/sys/kernel/tracing"), "no such tracepoint: %s", error.text);
    refused("event=page-faults,interval=1ms", -EINVAL, "event-interval");
    refused("event=page-faults,event-interval=0", -EINVAL, "'0'");
    refused("event=cycles,event-interval=99999", -EINVAL, "100000 or more");
    refused("event-interval=999,event=cache-misses", -EINVAL, "1000 or more");
    refused("event=page-faults,event-interval=1k", -EINVAL, "'1k'");
    refused("event=page-faults,max-rate=5", -EINVAL, "max-rate");
    refused("event=page-faults,clock=timer", -EINVAL, "only CPU time");
    refused("event-interval=5", -EINVAL, "event=page-faults");
    refused("event=wall,interval=999us", -EINVAL, "use 1ms or more");
    refused("event=wall,clock=timer", -EINVAL, "leave out clock");
    refused("event=wall,max-rate=5", -EINVAL, "wall-rate");
    refused("wall-rate=5", -EINVAL, "event=wall");
    refused("event=safepoint,wall-interval=5ms", -EINVAL, "event=wall");
    refused("event=wall,wall-interval=999us", -EINVAL, "1ms to 10s");
    refused("event=wall,wall-rate=0", -EINVAL, "'0'");
    refused("event=wall,wall-rate=100001", -EINVAL, "100000/s");
    refused("lock-threshold=1ms", -EINVAL, "event=lock");
    refused("event=lock,lock-threshold=11s", -EINVAL, "up to 10s");
    refused("event=lock,lock-rate=0", -EINVAL, "'0'");
    refused("event=lock,max-rate=5", -EINVAL, "cpu,lock");
    refused("event=safepoint%2Clock", -EINVAL, "one or several");
    refused("event=safepoint,interval=999us", -EINVAL, "use 1ms or more");
    refused("interval=999us,event=safepoint", -EINVAL, "use 1ms or more");
    refused("event=safepoint,clock=timer", -EINVAL, "leave out clock");
    refused("event=safepoint,walker=agct", -EINVAL, "walker");
    refused("carrier-frames=on,event=safepoint", -EINVAL, "carrier-frames");
    refused("walker=sky", -EINVAL, "'sky'");
    refused("carrier-frames=1", -EINVAL, "on or off");
    tap_ok(!parse("asm=on") && options.code && !parse("asm=off") && !options.code && !parse("") && !options.code, "asm is off unless on");
    refused("asm=yes", -EINVAL, "on or off");
    refused("asm=on,event=safepoint", -EINVAL, "asm");
    refused("keep=0", -EINVAL, "keep");
    refused("keep=5", -EINVAL, "5m");
    refused("keep=999ms", -EINVAL, "1s or more");
    refused("max-size=1048575", -EINVAL, "1MB");
    refused("max-size=1025M", -EINVAL, "1GB");
    refused("max-size=x", -EINVAL, "'x'");
    refused("max-size=2MBs", -EINVAL, "'2MBs'");
    refused("dump-on=lock>1s", -EINVAL, "not lock");
    refused("dump-on=cpu>90%25,dump-dir=x", -EINVAL, "absolute");
    refused("dump-on=cpu>1,dump-max=0", -EINVAL, "1 to 1000");
    refused("dump-on=cpu>1,dump-max=1001", -EINVAL, "1 to 1000");
    refused("dump-on=cpu>1,dump-pause=1ms", -EINVAL, "1s or more");
    refused("dump-max=3", -EINVAL, "need dump-on");
    refused("dump-max=10", -EINVAL, "need dump-on");
    refused("dump-dir=/var/tmp", -EINVAL, "need dump-on");
    refused("clock=timer,interval=soon,file=/x", -EINVAL, "'soon'");
    refused("interval=1ms,interval=2ms", -EINVAL, "'interval' is given twice");
    refused("file=/x,asm=on,file=/x", -EINVAL, "'file' is given twice");
    refused("jfr=off,,jfr=off", -EINVAL, "'jfr' is given twice");
    refused("descriptor=passed", -EINVAL, "needs file");
}

static int parse_about(const char *text, enum request request)
{
    char *copy = strdup(text);
    error.text[0] = 0;
    int rc = options_parse_about(&options, copy, request, &error);
    free(copy);
    return rc;
}

static int parse_dump(const char *text)
{
    return parse_about(text, REQUEST_DUMP);
}

static void test_dump(void)
{
    static const char *const others[] = {"interval=1ms", "duration=5s", "clock=timer", "event=cpu", "keep=5m", "jfr=on", "walker=agct"};
    tap_ok(!parse_dump("") && !options.file[0] && !parse_dump("file=/x,descriptor=passed,paths=1s") && !strcmp(options.file, "/x") &&
               options.passed && options.live.paths_ns == NS_PER_S,
           "what a dump can be told");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tap_ok(parse_dump(others[i]) == -EINVAL && strstr(error.text, "is not for dump"), "and not %s: %s", others[i], error.text);
    tap_ok(parse_dump("file=/x,file=/y") == -EINVAL && strstr(error.text, "given twice") && parse_dump("flavour=vanilla") == -EINVAL &&
               parse_dump("paths=0") == -EINVAL && parse_dump("file=x") == -EINVAL && parse_dump("descriptor=passed") == -EINVAL,
           "nor anything twice, unknown or out of range");
}

/* Requests about a running recording. */
static void test_about(void)
{
    static const char *const bad[] = {"recording=0", "recording=-1", "recording=x", "recording=1x", "recording=", "recording=99999999999"};
    tap_ok(!parse_about("recording=4000000000", REQUEST_STOP) && options.recording == 4000000000u, "stop can say which recording it ends");
    tap_ok(!parse_about("", REQUEST_STATUS) && !options.recording && !parse_dump("recording=3,file=/x") && options.recording == 3,
           "so can dump, and nobody has to");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(parse_about(bad[i], REQUEST_STATUS) == -EINVAL && strstr(error.text, "a number that 'status' shows"), "%s: %s", bad[i],
               error.text);
    tap_ok(parse_about("file=/x", REQUEST_STOP) == -EINVAL && strstr(error.text, "is not for stop"), "and nothing else: %s", error.text);
    refused("recording=1", -EINVAL, "unknown option 'recording'");
    refused("name=0123456789012345678901234567890123456789012345678901234567890123456789", -EINVAL, "at most 63 bytes");
    tap_ok(parse("name=daemon") == 0 && !strcmp(options.name, "daemon"), "a recording can have a name");
}

int main(void)
{
    test_events();
    test_accepted();
    test_refused();
    test_dump();
    test_about();
    return tap_done();
}
