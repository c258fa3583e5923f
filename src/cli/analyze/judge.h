/* Checks a recording against the rules and prints the findings, for `analyze` and `diagnose`. */
#ifndef CANDOR_CLI_ANALYZE_JUDGE_H
#define CANDOR_CLI_ANALYZE_JUDGE_H

#include "analysis/findings.h"
#include "cli/cli.h"

#define JUDGE_OPTIONS                                                                                                                      \
    {0, "rules", "LIST", NULL, "apply only these rules, by their ids: deadlock,boxing (docs/findings.md)"},                                \
        {0, "not-rules", "LIST", NULL, "judge all but these"}, {'n', "top", "N", NULL, "findings to show; 0 for all (default 10)"},        \
        {0, "json", NULL, NULL, "as JSON"},

struct judge {
    uint32_t top;
    bool json;
    bool overview;     /* also shows what the program did */
    const char *again; /* the command's operand for a further recording, as in overview.h */
    bool left_out[FINDING_KINDS];
};

/* Reads JUDGE_OPTIONS. Returns CLI_OK or CLI_USAGE. */
int judge_read(struct judge *j, const struct cli_args *args);
/* Judges the recording in the file. Uses the option --time if the command has it. Returns an exit status. */
int judge_file(const struct judge *j, const struct cli_args *args, const char *path);

#endif
