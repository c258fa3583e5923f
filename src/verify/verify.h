/* Runs all cases with all tools, for `candor verify`. text.c, json.c and page.c show the result. */
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
    VERIFY_TRUE,    /* the truth is within every interval and its tolerance */
    VERIFY_WRONG,   /* it is not, in the same way in two runs */
    VERIFY_FAILED,  /* no recording could be made, or read */
    VERIFY_SKIPPED, /* the case cannot run on this machine or JVM */
    VERIFY_VERDICTS
};

struct verify_run {
    const struct verify_case *what;
    const struct tool *tool;
    enum verify_verdict verdict;
    char why[256];               /* the reason for VERIFY_FAILED and VERIFY_SKIPPED, or a remark on another verdict; or "" */
    struct judgement *judgement; /* the judgement of the first round; NULL if there is none */
    struct judge_pool pool;      /* results over all rounds */
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
    char jvm[200];           /* the JVM's version; "" if no recording contains it */
};

/* Runs the plan. The caller owns the result and frees it with verify_free, also after a failure. Returns 0, -ENOMEM, or -EINTR if a
 * signal asks this process to end; the result then has the runs that are done. */
int verify_all(struct verify_result *result, const struct verify_plan *plan, bool (*interrupted)(void));
void verify_free(struct verify_result *result);

/* Returns the number of a tool's runs with this verdict; tool NULL = runs of all tools. */
uint32_t verify_count(const struct verify_result *result, const struct tool *tool, enum verify_verdict verdict);
/* Whether any run could be judged, and Candor, if loaded at the JVM's start, was never wrong and never failed. */
bool verify_is_good(const struct verify_result *result);
/* Returns the error of the sum of weights of a run with a judgement (judge.h); 0 for tools that do not promise CPU time. */
double verify_cpu_off(const struct verify_run *run);
const char *verify_verdict_name(enum verify_verdict verdict);
/* Writes the name of a part for users, its method or its threads: "Shares.heavy". Returns out. */
char *verify_part_name(const struct truth_part *part, char *out, size_t size);

void verify_text_run(FILE *out, const struct verify_run *run, bool colour); /* writes one or two lines */
void verify_text_summary(FILE *out, const struct verify_result *result, bool colour);
void verify_json(FILE *out, const struct verify_result *result);
void verify_page(FILE *out, const struct verify_result *result);

#endif
