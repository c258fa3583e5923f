/* How a recording is to be made: the options that `record` and `start` share, and the file. */
#ifndef CANDOR_CLI_RECORD_RECORDING_H
#define CANDOR_CLI_RECORD_RECORDING_H

#include "base/recording_options.h"
#include "cli/cli.h"
#include "cli/record/event_list.h"
#include "cli/record/paths_option.h"
#include "cli/record/recording_file.h"

/* The rows of base/recording_options.h as options of a command. */
#define RECORDING_NUMBER(symbol, letter, key, kind, least, most, field, event, argument, without, wants, help)                         \
    {letter, key, argument, NULL, help, without},
#define RECORDING_WORD(symbol, letter, key, argument, choices, help) {letter, key, argument, choices, help},
#define RECORDING_OUTPUT(letter, name, argument, help) {letter, name, argument, NULL, help},
#define RECORDING_OPTIONS RECORDING_OPTION_ROWS(RECORDING_NUMBER, RECORDING_WORD, RECORDING_OUTPUT)

#define RECORDING_EVENTS                                                                                               \
    "With -e wall all of Java's threads are sampled by the wall clock, running or not, and each sample says what its thread did: it "  \
    "ran, waited for a processor, slept, was parked, waited for a monitor, in Object.wait, or in a native method for input or "       \
    "output. A thread that sleeps is not woken for it. 'candor report' shows such a recording; of one with -e cpu,wall it shows the " \
    "CPU time, and with --kind wall the other.\n\n"                                                                                   \
    "With -e safepoint the JVM itself tells the stacks of at most 100 of its threads, drawn at random, every interval of "  \
    "wall-clock time; for that it stops all of them. This needs no clock, no signal and none of the JVM's tables, and is " \
    "biased: a running thread shows the next place where it can be stopped, not where it spent the time. It serves where " \
    "-e cpu does not work, to show that bias, and to see what threads wait for: their stacks are exact, and "              \
    "'candor report --kind waiting' prints them. What virtual threads do is not seen, only their carriers."

#define RECORDING_COUNTERS                                                                                             \
    "With -e EVENT of the processor's or the kernel's, by the name that perf has for it, a thread is sampled each time it has had " \
    "--event-interval of them, and samples weigh events in place of CPU time: cycles, instructions, branches, branch-misses, "    \
    "cache-references, cache-misses, L1-dcache-load-misses, LLC-load-misses, dTLB-load-misses, page-faults, minor-faults, "      \
    "major-faults, context-switches, cpu-migrations and others; rNNN, an event of the processor's by its number in hexadecimal; " \
    "SYSTEM:NAME, a tracepoint. One event at a time. Where the processor counts several by turns, the figures are scaled, and the " \
    "books say for how much of the time it counted. Virtual machines often have none of the processor's."

#define RECORDING_ALLOC                                                                                                \
    "With -e alloc the JVM (11 and later) tells of some of the objects that threads allocate, drawn by their size, and each " \
    "sample stands for the bytes it was drawn from: sums of them are right, for small objects and for large ones. How many " \
    "bytes lie between two samples is adapted so that about --alloc-rate of them come in a second, whatever the program "   \
    "allocates; --alloc-interval keeps it fixed. -e cpu,alloc records both into one file. 'candor report --kind alloc' "    \
    "prints the allocations: by class, method and line.\n\n"                                                             \
    "With -e live sampled objects are also watched for whether they are still alive, by weak references, which keep nothing alive: " \
    "up to --live-max of them, drawn so that they stand for all. At the end, and at each dump, 'candor report --kind live' has what is " \
    "alive, where it was allocated, and which classes grew all the time: leak candidates. Only what was allocated while recording is " \
    "known, and only collections tell what has died.\n\n"                                                               \
    "With --paths the report says who holds these objects, by the fields from a static field, a thread or another root to them. For " \
    "that the heap is walked, once for each step of the way, while all threads of the program stand still: for no longer than was "   \
    "allowed, by what a walk has taken before. Where the time is too short for a first walk none is made, and the recording says "    \
    "how long it would take."

#define RECORDING_LOCK                                                                                                 \
    "With -e lock threads tell when they have waited for a monitor that another had, or were parked (java.util.concurrent's " \
    "locks and queues): for how long, for what, and who had it. Waits of --lock-threshold or more are all recorded; the "     \
    "shorter ones are drawn in proportion to their time, so that sums of them are right, too. The threshold rises where "    \
    "more than --lock-rate would be recorded in a second. Threads are not stopped for it, and no Java is loaded. "           \
    "'candor report --kind lock' prints the locks with their holders, where threads waited, and deadlocks."

#define RECORDING_HALT                                                                                                 \
    "With -e halt, best beside others as in -e cpu,halt, the recording has each pause for garbage collection, with its collector and " \
    "cause, and how many safepoints the JVM counted and how long they took, without the JDK's own recorder: also on Java 8. No thread " \
    "is signalled for it. 'candor report --kind halt' prints them, and with --time what stopped the program between two times."

#define RECORDING_JFR                                                                                                  \
    "With --jfr on the JDK's own recorder (Flight Recorder) tells beside the agent what stopped threads: safepoints, VM operations, GC "  \
    "pauses and their phases, waits, sockets, files, exceptions. candor begins a recording there and ends it, and puts its chunks "     \
    "behind those of the agent, in the same file. A recording of the JDK's that runs there anyway gains these events meanwhile; a "     \
    "line says so. With --jfr existing nothing is begun: what the owner's recording has of the time is read, and it goes on. In a "     \
    "report what both tell of counts once. What the JVM has not written when it is killed is lost."

#define RECORDING_FLIGHT                                                                                               \
    "With --keep, --max-size or both the recording can go on for ever: the file keeps its end, and is a whole recording of " \
    "it at every instant, also after kill -9. It holds as much time as was asked for and up to a tenth more (chunks are "   \
    "discarded whole), and of a SIZE between half and seven eighths. Its books are those of what it holds. 'candor dump' "  \
    "copies that to another file: read the copy, since the file itself is moved about while it is written.\n\n"           \
    "With --dump-on the JVM makes such copies by itself, named after the recording and the time (UTC), with the JVM's own " \
    "rights, and where it sees them. 'cpu>90%/10s' means: on average over the last ten seconds the process used more than "  \
    "90 % of the processors that it may use (its CPU set, or the quota of its control group). Quote it: > is the shell's."

struct recording {
    const char *given[RECORDING_OPTIONS_COUNT]; /* what goes to the agent, "on" for a switch; NULL = nothing, and its default holds */
    unsigned long long interval_ns, duration_ns; /* duration 0 = until told */
    unsigned long long paths_ns;                 /* 0 = nobody asks */
    struct recording_file file;
};

/* Whether its clock counts another event than CPU time. */
bool recording_counts(const struct recording *r);
/* Reads and checks the options, but for the file. CLI_OK or CLI_USAGE. */
int recording_read(struct recording *r, const struct cli_args *args);
/* Chooses the file: --output, or a name made of `name` and the time. CLI_OK or a status. */
int recording_choose_file(struct recording *r, const struct cli_args *args, const char *name);
/* Adds the options to a request. guard_ns is added to a duration: for who stops the recording himself and wants the agent
 * to do it only should he die. */
void recording_options(const struct recording *r, struct control_request *request, unsigned long long guard_ns);

#endif
