/* The parameters of a recording: the options that `record` and `start` share, and the file. */
#ifndef CANDOR_CLI_RECORD_RECORDING_H
#define CANDOR_CLI_RECORD_RECORDING_H

#include "base/agreed/recording_options.h"
#include "cli/cli.h"
#include "cli/paths_option.h"
#include "cli/record/event_list.h"
#include "cli/record/recording_file.h"

/* The rows of base/agreed/recording_options.h as options of a command. */
#define RECORDING_NUMBER(symbol, letter, key, kind, least, most, field, event, argument, without, wants, help)                             \
    {letter, key, argument, NULL, help, without},
#define RECORDING_WORD(symbol, letter, key, argument, choices, help) {letter, key, argument, choices, help},
#define RECORDING_OUTPUT(letter, name, argument, help)               {letter, name, argument, NULL, help},

#define RECORDING_OPTIONS RECORDING_OPTION_ROWS(RECORDING_NUMBER, RECORDING_WORD, RECORDING_OUTPUT)

#define RECORDING_EVENTS                                                                                                                   \
    "With -e wall all Java threads are sampled by wall-clock time, running or not. Each sample says what its thread "                      \
    "did: it ran, waited for a processor, slept, was parked, waited for a monitor, waited in Object.wait, or was in "                      \
    "a native method for input or output. A sleeping thread is not woken. 'candor report' shows such a recording. "                        \
    "For a recording with -e cpu,wall it shows the CPU time, and with --kind wall the wall-clock time.\n\n"                                \
    "With -e safepoint the JVM itself reports the stacks of at most 100 of its threads, drawn at random, at every "                        \
    "interval of wall-clock time; it stops all threads for that. This needs no clock, no signal and none of the "                          \
    "JVM's tables. It is biased: a running thread shows the next place where it can be stopped, not where it spent "                       \
    "the time. Use it where -e cpu does not work, to demonstrate that bias, and to see what threads wait for: the "                        \
    "stacks of waiting threads are exact, and 'candor report --kind waiting' prints them. It does not see virtual "                        \
    "threads, only their carriers."

#define RECORDING_COUNTERS                                                                                                                 \
    "With -e EVENT, an event of the processor or the kernel by its perf name, a thread is sampled each time it has "                       \
    "caused --event-interval of them, and samples weigh events instead of CPU time: cycles, instructions, branches, "                      \
    "branch-misses, cache-references, cache-misses, L1-dcache-load-misses, LLC-load-misses, dTLB-load-misses, "                            \
    "page-faults, minor-faults, major-faults, context-switches, cpu-migrations and others; rNNN, a processor event "                       \
    "by its hexadecimal number; SYSTEM:NAME, a tracepoint. Only one event at a time. If the processor counts several "                     \
    "events in turn, the figures are scaled, and the books say for how much of the time it counted. Virtual machines "                     \
    "often have no processor events."

#define RECORDING_ALLOC                                                                                                                    \
    "With -e alloc the JVM (11 and later) reports some of the objects that threads allocate, drawn by size. Each "                         \
    "sample stands for the bytes it was drawn from, so sums are right for small objects and for large ones. The "                          \
    "number of bytes between two samples is adapted to give about --alloc-rate samples a second, however much the "                        \
    "program allocates; --alloc-interval fixes it. -e cpu,alloc records both into one file. 'candor report --kind "                        \
    "alloc' prints the allocations by class, method and line.\n\n"                                                                         \
    "With -e live candor also watches whether sampled objects are still alive, with weak references, which keep "                          \
    "nothing alive: up to --live-max objects, drawn so that they represent all. At the end, and at each dump, "                            \
    "'candor report --kind live' shows what is alive, where it was allocated, and which classes grew all the time: "                       \
    "leak candidates. Only objects allocated during the recording are known, and only garbage collections show which "                     \
    "objects have died.\n\n"                                                                                                               \
    "With --paths the report shows what holds these objects: the chain of fields to them from a static field, a "                          \
    "thread or another root. To find it, candor walks the heap once for each step of the chain, while all threads of "                     \
    "the program stand still. All walks together are kept within TIME, judging by the cost of earlier ones. If TIME "                      \
    "is too short for a first walk, none is made, and the recording says how long it would take."

#define RECORDING_LOCK                                                                                                                     \
    "With -e lock threads record their waits for a monitor that another thread holds, and their parks (locks and "                         \
    "queues of java.util.concurrent): how long, for what, and who held it. All waits of --lock-threshold or more are "                     \
    "recorded. Shorter ones are drawn in proportion to their time, so that their sums are right, too. The threshold "                      \
    "rises if more than --lock-rate would be recorded in a second. No thread is stopped for this, and no Java code "                       \
    "is loaded. 'candor report --kind lock' prints the locks with their holders, the places where threads waited, "                        \
    "and deadlocks."

#define RECORDING_HALT                                                                                                                     \
    "With -e halt, best with other events as in -e cpu,halt, the recording has each pause for garbage collection, "                        \
    "with its collector and cause, and the number and total time of safepoints as the JVM counts them. It does not "                       \
    "need the JDK's own recorder, and also works on Java 8. No thread gets a signal for it. 'candor report --kind "                        \
    "halt' prints them, and with --time what stopped the program between two times."

#define RECORDING_JFR                                                                                                                      \
    "With --jfr on the JDK's own recorder (Flight Recorder) records what stopped threads, beside the agent: "                              \
    "safepoints, VM operations, GC pauses and their phases, waits, sockets, files, exceptions. candor starts a "                           \
    "recording there, ends it, and appends its chunks to those of the agent, in the same file. Any other JDK "                             \
    "recording that runs at the time gains these events; a line says so. With --jfr existing candor starts nothing: "                      \
    "it reads the owner's recording for this time, and that recording continues. In a report, events that both "                           \
    "recorders have count once. Data that the JVM has not written when it is killed is lost."

#define RECORDING_FLIGHT                                                                                                                   \
    "With --keep, --max-size or both the recording can go on forever. The file keeps only the end of the recording, "                      \
    "and is whole at every instant, even after kill -9. It goes back as far as --keep and up to a tenth further "                          \
    "(whole chunks are discarded), and uses between half and seven eighths of --max-size. Its books cover what the "                       \
    "file contains. 'candor dump' copies it to another file; read the copy, because data moves within the file while "                     \
    "it is written.\n\n"                                                                                                                   \
    "With --dump-on the JVM makes such copies automatically, named after the recording and the time (UTC), with the "                      \
    "JVM's own rights, in a folder as the JVM sees it. 'cpu>90%/10s' means: on average over the last ten seconds the "                     \
    "process used more than 90 % of the processors that it may use (its CPU set, or the quota of its control group). "                     \
    "Quote it, because > is special to the shell."

#define RECORDING_BESIDE                                                                                                                   \
    "Up to four recordings of a JVM run at a time, each with events, an interval, a file and a duration of its own. So "                   \
    "what 'candor daemon' records goes on while you record more finely, or other events. The agent samples as often as "                   \
    "the most demanding of them wants; the others get an unbiased part of these samples. Not possible beside others are "                  \
    "-e live, -e safepoint, events that perf counts, and --jfr."

struct recording;

/* Shows a recording that has ended, for a command that prints something else than the report and the page. Returns an exit status. */
typedef int recording_show(const struct recording *r, const struct cli_args *args);
/* Looks at the first seconds of a recording that goes on. Returns what they show that only the JDK's recorder explains, or NULL. */
typedef const char *recording_look(const struct recording *r);

struct recording {
    const char *given[RECORDING_OPTIONS_COUNT];  /* options for the agent, "on" for a switch; NULL = not given: the agent's default */
    unsigned long long interval_ns, duration_ns; /* duration 0 = until a command or a signal ends it */
    unsigned long long paths_ns;                 /* 0 = do not search for paths */
    struct recording_file file;
    uint64_t id;          /* the agent's number for the recording; 0 = the agent has not sent one */
    recording_show *show; /* NULL = the report and the page */
    recording_look *look; /* decides after look_ns whether the JDK's recorder joins; NULL = r->given says it */
    unsigned long long look_ns;
};

/* Whether the recording's clock counts another event instead of CPU time. */
bool recording_counts(const struct recording *r);
/* Reads and checks all options except the file. Returns CLI_OK or CLI_USAGE. */
int recording_read(struct recording *r, const struct cli_args *args);
/* Chooses the file: --output, or a name made of `name` and the time. Returns CLI_OK or a status. */
int recording_choose_file(struct recording *r, const struct cli_args *args, const char *name);
/* Adds the options to a request. guard_ns is added to a duration. It is for a client that stops the recording itself: the agent then
 * stops the recording only if the client dies. */
void recording_options(const struct recording *r, struct control_request *request, unsigned long long guard_ns);

#endif
