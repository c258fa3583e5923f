/* The options of a recording, one row each. The command line (with its help, completion and man pages), the requests of the control socket,
 * and -agentpath use this table. docs/formats/control.md has the same table, and a test compares the two.
 *
 * NUMBER(symbol, letter, key, kind, least, most, field, event, argument, without, wants, help): an option whose value is a number.
 *   letter, key    -i, --interval and interval=; letter 0 = the option has no letter
 *   kind           a value of enum recording_option_kind
 *   least, most    the bounds, in nanoseconds, bytes, per second or as a count; a SHARE has fixed bounds: above 0 and at most 1
 *   field          the field of struct collect_options in which the agent keeps the value
 *   event          the option needs one of these events to be recorded: "alloc|live"; NULL = the option goes with all events
 *   argument       the name of the value in help texts; NULL = a switch, which has no value on the command line
 *   without        the value if the option is given without a value (--paths); NULL = the option needs a value
 *   wants          the words for a valid value, for error messages
 *   help           half a sentence, with the default
 * WORD(symbol, letter, key, argument, choices, help): an option whose value is not a number. The agent reads each with a function of its
 * own. OUTPUT(letter, name, argument, help): an option that only the command line has.
 *
 * A new option needs a row here, and a field in struct collect_options. */
#ifndef CANDOR_BASE_AGREED_RECORDING_OPTIONS_H
#define CANDOR_BASE_AGREED_RECORDING_OPTIONS_H

#include "base/agreed/recorded_events.h"
#include "base/error.h"
#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

enum recording_option_kind {
    RECORDING_OPTION_WORD, /* not a number */
    RECORDING_OPTION_DURATION,
    RECORDING_OPTION_SECONDS, /* a duration; a number without a unit is in seconds */
    RECORDING_OPTION_RATE,
    RECORDING_OPTION_SHARE,
    RECORDING_OPTION_SIZE,
    RECORDING_OPTION_COUNT,
    RECORDING_OPTION_SWITCH, /* "on" or "off", as 1 or 0 */
};

/* Some of the events that perf counts, for help texts. The other events are in recorded_events.h. */
#define RECORDING_EVENT_COUNTED "cycles|instructions|cache-misses|branch-misses|page-faults|context-switches|..."

#define RECORDING_OPTION_ROWS(NUMBER, WORD, OUTPUT)                                                                                        \
    WORD(EVENT, 'e', "event", "LIST", RECORDING_EVENT_WORDS "|" RECORDING_EVENT_COUNTED, "what to sample, comma-separated (default cpu)")  \
    NUMBER(EVENT_INTERVAL, 0, "event-interval", COUNT, 1, UINT64_C(1) << 40, event_interval, NULL, "N", NULL,                              \
           "how many events lie between two samples, such as 1000",                                                                        \
           "with -e page-faults and other perf events: how many events between two samples")                                               \
    NUMBER(INTERVAL, 'i', "interval", DURATION, 100 * NS_PER_US, 10 * NS_PER_S, interval_ns, NULL, "TIME", NULL,                           \
           "a duration from 100us to 10s",                                                                                                 \
           "time between two samples: a thread's CPU time (default 10ms); with -e wall (default 50ms) and -e safepoint wall-clock time")   \
    NUMBER(WALL_INTERVAL, 0, "wall-interval", DURATION, NS_PER_MS, 10 * NS_PER_S, wall.interval_ns, "wall", "TIME", NULL,                  \
           "a duration from 1ms to 10s", "with -e wall: wall-clock time between two looks at threads (default 50ms)")                      \
    NUMBER(WALL_RATE, 0, "wall-rate", RATE, 1, 100000, wall.rate, "wall", "RATE", NULL,                                                    \
           "looks at threads per second, from 1/s to 100000/s",                                                                            \
           "with -e wall: look at no more than this many threads a second; with more threads, look at a random choice of them, or less "   \
           "often (default 160/s)")                                                                                                        \
    NUMBER(DURATION, 'd', "duration", SECONDS, 0, UINT64_MAX, duration_ns, NULL, "TIME", NULL,                                             \
           "a number of seconds, or one with a unit, such as 5m",                                                                          \
           "stop after this time: 30s, 5m, or 30 for seconds (default: on request, or when the JVM ends)")                                 \
    OUTPUT('o', "output", "FILE", "the recording (default candor-NAME-DATE-TIME.jfr here)")                                                \
    NUMBER(MAX_OVERHEAD, 0, "max-overhead", SHARE, 0, 0, limits.max_overhead, NULL, "PERCENT", NULL,                                       \
           "a share of the JVM's CPU time, such as 1%",                                                                                    \
           "sample less often if the profiler would take more of the JVM's CPU time (such as 1%)")                                         \
    NUMBER(MAX_RATE, 0, "max-rate", RATE, 1, UINT64_MAX, limits.max_rate, NULL, "RATE", NULL, "samples per second, such as 600/s",         \
           "sample less often if there would be more samples (such as 600/s)")                                                             \
    NUMBER(KEEP, 0, "keep", DURATION, NS_PER_S, UINT64_MAX, keep.ns, NULL, "TIME", NULL, "a duration of 1s or more, such as 5m",           \
           "keep the last TIME of the recording and discard what is older (such as 5m)")                                                   \
    NUMBER(MAX_SIZE, 0, "max-size", SIZE, 1 << 20, 1 << 30, keep.bytes, NULL, "SIZE", NULL, "a size from 1MB to 1GB, such as 100MB",       \
           "keep the recording's end within SIZE on the disk (1MB to 1GB)")                                                                \
    WORD(DUMP_ON, 0, "dump-on", "RULE", NULL, "copy the recording when the JVM uses much CPU: 'cpu>90%/10s', 'cpu>1.5/10s' (processors)")  \
    WORD(DUMP_DIR, 0, "dump-dir", "DIR", NULL, "folder for these copies, as the JVM sees it (default: beside the recording)")              \
    NUMBER(DUMP_MAX, 0, "dump-max", COUNT, 1, 1000, dumps.max, NULL, "N", NULL, "a number from 1 to 1000",                                 \
           "make at most N copies (default 10)")                                                                                           \
    NUMBER(DUMP_PAUSE, 0, "dump-pause", DURATION, NS_PER_S, UINT64_MAX, dumps.pause_ns, NULL, "TIME", NULL, "a duration of 1s or more",    \
           "wait this long after each copy (default: as long as --keep, or 5m)")                                                           \
    NUMBER(ALLOC_RATE, 0, "alloc-rate", RATE, 1, 1000000, alloc.rate, "alloc|live", "RATE", NULL,                                          \
           "samples per second, from 1/s to 1000000/s, such as 100/s", "with -e alloc: about this many samples a second (default 100/s)")  \
    NUMBER(ALLOC_INTERVAL, 0, "alloc-interval", SIZE, 1024, INT32_MAX, alloc.interval, "alloc|live", "SIZE", NULL,                         \
           "a size from 1k to 2047m, such as 512k", "with -e alloc: a sample per this many bytes on average, such as 512k")                \
    NUMBER(LIVE_MAX, 0, "live-max", COUNT, 64, 16384, live.max, "live", "N", NULL, "a number of objects from 64 to 16384",                 \
           "with -e live: watch at most this many sampled objects (64 to 16384, default 1024)")                                            \
    NUMBER(PATHS, 0, "paths", DURATION, 1, 600 * NS_PER_S, live.paths_ns, "live", "TIME", "200ms",                                         \
           "the time that all threads may be stopped for it, up to 10m, such as 200ms",                                                    \
           "with -e live: find what holds sampled objects, at the end; stops all threads for at most TIME (default 200ms, up to 10m)")     \
    NUMBER(LOCK_THRESHOLD, 0, "lock-threshold", DURATION, 0, 10 * NS_PER_S, lock.threshold_ns, "lock", "TIME", NULL,                       \
           "a duration up to 10s, such as 1ms, or 0 for all waits",                                                                        \
           "with -e lock: record all waits of this time or more, and a random part of the shorter ones; 0 for all (default 1ms)")          \
    NUMBER(LOCK_RATE, 0, "lock-rate", RATE, 1, 1000000, lock.rate, "lock", "RATE", NULL,                                                   \
           "waits recorded per second, from 1/s to 1000000/s",                                                                             \
           "with -e lock: raise the threshold so that at most about this many waits a second are recorded for monitors, for parks on "     \
           "locks and semaphores, and for other parks each (default 100/s; no limit if --lock-threshold is given)")                        \
    WORD(JFR, 0, "jfr", "MODE", "off|existing|on",                                                                                         \
         "add what stopped threads, as the JDK's own recorder saw it, to the same file: off: nothing; existing: from a recording that "    \
         "already runs there; on: from one that candor starts (default off)")                                                              \
    WORD(CLOCK, 0, "clock", "CLOCK", "auto|sigtrap|signal|timer|itimer", "the clock that triggers samples (default auto)")                 \
    WORD(CLOCKS, 0, "clocks", "WHICH", "all|lot|auto",                                                                                     \
         "the threads that have a clock: all of them; some drawn by lot, anew every second or so, whose samples stand for the others; "    \
         "auto: by lot if threads are switched so often that clocks for all would cost more than 1 % (default auto)")                      \
    NUMBER(ASM, 0, "asm", SWITCH, 0, 1, code, NULL, NULL, NULL, "on or off",                                                               \
           "include the machine code that was sampled, for 'candor asm'")                                                                  \
    NUMBER(CARRIER_FRAMES, 0, "carrier-frames", SWITCH, 0, 1, carrier_frames, NULL, NULL, NULL, "on or off",                               \
           "below a virtual thread's frames, show those of its carrier thread")                                                            \
    WORD(HEAL, 0, "heal", "MODE", "off|paced|now",                                                                                         \
         "what to do with code that the JVM compiled before the agent was loaded, whose lines are approximate: off: nothing; paced: have " \
         "the JVM recompile the code that samples hit, within limits; now: all of it at once, which slows the "                            \
         "program down for some seconds (default paced)")                                                                                  \
    NUMBER(RECOMPILE, 0, "recompile", SWITCH, 0, 1, recompile, NULL, NULL, NULL, "on or off", "the same as --heal now")

#define RECORDING_OPTION_NO_ROW(...)
#define RECORDING_OPTION_NUMBER_SYMBOL(symbol, ...) OPTION_##symbol,
#define RECORDING_OPTION_WORD_SYMBOL(symbol, ...)   OPTION_##symbol,
enum recording_option {
    RECORDING_OPTION_ROWS(RECORDING_OPTION_NUMBER_SYMBOL, RECORDING_OPTION_WORD_SYMBOL, RECORDING_OPTION_NO_ROW) RECORDING_OPTIONS_COUNT
};

struct recording_option_row {
    const char *key, *event, *wants;
    enum recording_option_kind kind;
    uint64_t least, most;
};

extern const struct recording_option_row recording_option_rows[RECORDING_OPTIONS_COUNT];

struct recording_option_value {
    uint64_t number;
    double share; /* the value, if the kind is SHARE */
};

/* Reads the value of an option of any kind but WORD. Returns 0, or -EINVAL and the error "KEY 'TEXT': use ...". */
int recording_option_read(enum recording_option option, const char *text, struct recording_option_value *value, struct error *e);
/* Checks whether `events` (separated by commas) contains an event that the option needs. Returns NULL if it does, or if the option needs
 * none. Otherwise returns the first event that would do: n characters, not terminated. */
const char *recording_option_lacks(enum recording_option option, const char *events, int *n);

#endif
