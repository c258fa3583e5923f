/* The key=value lists of the control protocol and of -agentpath: what is accepted, and every refusal.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/control/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct collect_options options;
static struct error error;

static int parse(const char *text)
{
    char *copy = strdup(text); /* exactly as long as it is, for AddressSanitizer */
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

static void test_accepted(void)
{
    tap_ok(!parse("") && !options.file[0] && options.interval_ns == 10000000 && !options.duration_ns &&
               options.clock == CLOCK_AUTO && options.walker == WALKER_AUTO,
           "nothing means: no file, 10 ms, until stopped, whatever works best");
    tap_ok(!options_parse(&options, NULL, &error) && options.interval_ns == 10000000, "no text means the same");
    tap_ok(!parse("file=/tmp/x.jfr,interval=1ms,duration=30s,clock=timer,event=cpu,walker=agct,carrier-frames=on,recompile=on") &&
               !strcmp(options.file, "/tmp/x.jfr") && options.interval_ns == 1000000 &&
               options.duration_ns == 30000000000u && options.clock == CLOCK_TIMER && options.walker == WALKER_AGCT &&
               options.carrier_frames && options.recompile,
           "all of them");
    tap_ok(!parse("event=safepoint,file=/x") && options.event == COLLECT_SAFEPOINT && options.interval_ns == 10000000 &&
               !parse("interval=1ms,event=safepoint") && options.interval_ns == 1000000 && !parse("event=cpu") &&
               options.event == COLLECT_CPU,
           "the event safepoint, every 10 ms, or every millisecond");
    tap_ok(!parse(",,file=/a%2Cb%25c%0Ad%3De,,") && !strcmp(options.file, "/a,b%c\nd=e"), "empty places; encoded values");
    char expected[64];
    snprintf(expected, sizeof expected, "/tmp/%d-%d.jfr%%p", (int)getpid(), (int)getpid());
    tap_ok(!parse("file=/tmp/%p-%p.jfr%25p") && !strcmp(options.file, expected), "%%p is the process's number, %%25p is %%p");
    tap_ok(!parse("file=/x") && !options.passed && !parse("file=/x,descriptor=passed") && options.passed, "a passed file");
    tap_ok(!parse("interval=1ms,interval=2ms") && options.interval_ns == 2000000, "the last of two counts");
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
    refused("event=wall", -EINVAL, "'wall'");
    refused("event=safepoint,interval=999us", -EINVAL, "use 1ms or more");
    refused("interval=999us,event=safepoint", -EINVAL, "use 1ms or more");
    refused("event=safepoint,clock=timer", -EINVAL, "leave out clock");
    refused("event=safepoint,walker=agct", -EINVAL, "walker");
    refused("carrier-frames=on,event=safepoint", -EINVAL, "carrier-frames");
    refused("walker=sky", -EINVAL, "'sky'");
    refused("carrier-frames=1", -EINVAL, "on or off");
    refused("clock=timer,interval=soon,file=/x", -EINVAL, "'soon'");
}

int main(void)
{
    test_accepted();
    test_refused();
    return tap_done();
}
