/* All cases under all tools: what `candor verify` does. text.c, json.c and page.c show the result. */
#ifndef CANDOR_VERIFY_VERIFY_H
#define CANDOR_VERIFY_VERIFY_H

#include "base/error.h"
#include "verify/cases.h"
#include "verify/judge.h"
#include "verify/tool.h"
#include "verify/trial.h"

#include <stdio.h>

enum { VERIFY_CASES_MAX = 64 };

enum verify_verdict {
    VERIFY_TRUE,    /* the truth lies within every interval and its tolerance */
    VERIFY_WRONG,   /* it does not, in two runs alike */
    VERIFY_FAILED,  /* no recording could be made, or read */
    VERIFY_SKIPPED, /* this machine or JVM cannot show it */
    VERIFY_VERDICTS
};

struct verify_run {
    const struct verify_case *what;
    const struct tool *tool;
    enum verify_verdict verdict;
    char why[256];               /* of VERIFY_FAILED and VERIFY_SKIPPED, and what is to be said of others; or "" */
    struct judgement *judgement; /* of the first round; NULL when there is none */
    struct judge_pool pool;      /* of all rounds */
};

struct verify_plan {
    struct trial_setup setup;
    const struct verify_case *cases[VERIFY_CASES_MAX];
    uint32_t case_count;
    struct tool tools[TOOLS_MAX];
    uint32_t tool_count;
    void (*begins)(const struct verify_run *run, uint32_t number, uint32_t of);
    void (*ended)(const struct verify_run *run);
};

struct verify_result {
    const struct verify_plan *plan;
    struct verify_run *runs; /* case by case, in the plan's order of tools */
    uint32_t count;          /* less than planned when interrupted */
    char jvm[200];           /* its version, "" if no recording contains it */
};

/* Owned by the caller, to be freed also on failure. 0, -ENOMEM, or -EINTR when a signal wants us to end: what is done stands in
 * the result. */
int verify_all(struct verify_result *result, const struct verify_plan *plan, bool (*interrupted)(void));
void verify_free(struct verify_result *result);

/* How many runs of a tool came to this verdict; tool NULL = of all. */
uint32_t verify_count(const struct verify_result *result, const struct tool *tool, enum verify_verdict verdict);
/* True if anything could be judged, and our profiler, when loaded at the JVM's start, was never wrong and never failed. */
bool verify_is_good(const struct verify_result *result);
/* By how much the sum of the weights of a run with a judgement is off (judge.h); 0 for tools that do not promise CPU time. */
double verify_cpu_off(const struct verify_run *run);
const char *verify_verdict_name(enum verify_verdict verdict);
/* "Shares.heavy": a part's method, or its threads, as people see it. Returns out. */
char *verify_part_name(const struct truth_part *part, char *out, size_t size);

void verify_text_run(FILE *out, const struct verify_run *run, bool colour); /* a line or two */
void verify_text_summary(FILE *out, const struct verify_result *result, bool colour);
void verify_json(FILE *out, const struct verify_result *result);
void verify_page(FILE *out, const struct verify_result *result);

#endif
