/* A recording, judged by rules and printed: what analyze and diagnose share. */
#ifndef CANDOR_CLI_ANALYZE_JUDGE_H
#define CANDOR_CLI_ANALYZE_JUDGE_H

#include "analysis/findings.h"
#include "cli/cli.h"

#define JUDGE_OPTIONS                                                                                                                      \
    {0, "rules", "LIST", NULL, "judge these rules alone, by their ids: deadlock,boxing (docs/findings.md)"},                               \
        {0, "not-rules", "LIST", NULL, "judge all but these"}, {'n', "top", "N", NULL, "findings to show; 0 for all (default 10)"},        \
        {0, "json", NULL, NULL, "as JSON"},

struct judge {
    uint32_t top;
    bool json;
    bool overview;     /* also shows what the program did */
    const char *again; /* as in overview.h */
    bool left_out[FINDING_KINDS];
};

/* Reads JUDGE_OPTIONS. CLI_OK or CLI_USAGE. */
int judge_read(struct judge *j, const struct cli_args *args);
/* --time is the command's own, if it has it. An exit status. */
int judge_file(const struct judge *j, const struct cli_args *args, const char *path);

#endif
