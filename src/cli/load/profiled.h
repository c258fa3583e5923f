/* candor load --profile: a recording of the server's JVM while the load runs, and what it says about the slowest interval of the run.
 *
 *     profiled_begin -> the run -> profiled_end -> profiled_print_text or profiled_print_json -> profiled_close
 *
 * Both clocks are the host's, so the JVM must run on the host of the generator. */
#ifndef CANDOR_CLI_LOAD_PROFILED_H
#define CANDOR_CLI_LOAD_PROFILED_H

#include "base/text/jsonw.h"
#include "cli/load/intervals.h"
#include "cli/record/jdk_recorder.h"

/* The halts of all threads in a part of the run. */
struct profiled_halts {
    uint32_t count;
    uint64_t stopped_ns;       /* halts within halts count once */
    uint64_t longest_ns;       /* of its part within the time; 0 = there is no halt */
    int64_t longest_start_ns;  /* since the epoch */
    uint64_t counted_ns;       /* safepoints that the JVM counts, without their times */
    char kind[40], cause[200]; /* of the longest */
};

/* The interval with the highest p99, and the time in which its causes lie: from the moment at which its slowest request was due, at the
 * earliest, to its end. */
struct profiled_slowest {
    double at, length;       /* s: its start after the start of the run */
    uint64_t p99_ns, max_ns; /* of response times, or of service times without a schedule */
    double from, to;         /* s after the start of the recording */
    struct profiled_halts halts;
};

enum { PROFILED_WORDS = 10 };

struct profiled {
    char *words[PROFILED_WORDS], seconds[32]; /* the command line of `candor record` that `args` and `recording` refer to */
    struct cli_args args;
    struct session session;
    struct recording recording;
    struct jdk_recorder jdk;
    bool begun, known;                                     /* known: `slowest` and `all` are filled */
    char page[PATH_MAX + 16], slowest_page[PATH_MAX + 16]; /* flame graphs: of all, and of the slowest time */
    struct profiled_slowest slowest;
    struct profiled_halts all; /* of the measured time */
};

/* Whether the options ask for a profile. */
bool profiled_is_wanted(const struct cli_args *args);
/* Starts the recording. length_ns: how long the run can take; the agent ends the recording by itself later than that. Returns a status;
 * profiled_close is needed in any case. */
int profiled_begin(struct profiled *p, const struct cli_args *args, uint64_t length_ns);
/* Ends the recording, writes its flame graph, finds the slowest interval, and notes the halts of each interval in the page. Returns a
 * status. */
int profiled_end(struct profiled *p, struct load_intervals *intervals);
void profiled_close(struct profiled *p);

void profiled_print_text(const struct profiled *p);
/* Adds the member `profile` to an object. */
void profiled_print_json(const struct profiled *p, struct jsonw *j);
/* Writes the section of the HTML page. */
void profiled_write_page(const struct profiled *p, FILE *out);

#endif
