#include "cli/analyze/judge.h"

#include "analysis/analyze.h"
#include "analysis/show/findings_print.h"
#include "analysis/recording_evidence.h"
#include "base/text/word_list.h"
#include "cli/read/problems.h"

#include <errno.h>
#include <string.h>

enum { TOP = 10, WORD_BYTES = 64 };

static const char *rule_at(const void *context, size_t i)
{
    (void)context;
    return i < FINDING_KINDS ? finding_infos[i].id : NULL;
}

static int unknown_rule(const struct cli_args *args, const char *option, const char *word)
{
    const char *near = cli_nearest(word, rule_at, NULL);
    return cli_usage(args->command, "--%s: there is no rule '%.60s'%s%s%s", option, word, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "; docs/findings.md has them");
}

/* Sets the marks of the rules that the option lists. */
static int read_list(const struct cli_args *args, const char *option, bool marks[FINDING_KINDS])
{
    const char *list = cli_option(args, option);
    char word[WORD_BYTES];
    while (word_list_next(&list, word, sizeof word)) {
        enum finding_kind kind = finding_named(word, strlen(word));
        if (kind == FINDING_KINDS)
            return unknown_rule(args, option, word);
        marks[kind] = true;
    }
    return CLI_OK;
}

int judge_read(struct judge *j, const struct cli_args *args)
{
    bool only[FINDING_KINDS] = {false};
    *j = (struct judge){.json = cli_switch(args, "json")};
    int status = cli_number(args, "top", TOP, &j->top);
    status = status ? status : read_list(args, "rules", only);
    status = status ? status : read_list(args, "not-rules", j->left_out);
    for (int kind = 0; cli_option(args, "rules") && kind < FINDING_KINDS; kind++)
        j->left_out[kind] = j->left_out[kind] || !only[kind];
    return status;
}

static int print(const struct judge *j, const struct evidence *e, const char *path)
{
    struct overview overview;
    struct findings f;
    struct findings_print o = {.file = path, .duration_ns = e->duration_ns, .top = j->top, .overview = j->overview ? &overview : NULL};
    int rc = findings_init(&f);
    memcpy(f.left_out, j->left_out, sizeof f.left_out);
    rc = rc ? rc : analyze(&f, e);
    if (!rc && j->overview) {
        overview_make(&overview, &f, e);
        overview.again = j->again;
    }
    if (!rc && !f.failed)
        (j->json ? findings_print_json : findings_print_text)(stdout, &f, &o);
    bool failed = rc || f.failed;
    findings_deinit(&f);
    return failed ? cli_fail("%s: out of memory", path) : cli_finish_output();
}

int judge_file(const struct judge *j, const struct cli_args *args, const char *path)
{
    static struct jfr_problems problems;
    struct recording_evidence *r;
    struct error e;
    int rc = recording_evidence_load(&r, path, cli_option(args, "time"), &problems, &e);
    if (rc == -EDOM)
        return cli_usage(args->command, "%s", e.text);
    if (rc)
        return cli_fail("%s%s%s", rc == -ERANGE ? path : "", rc == -ERANGE ? ": " : "", e.text);
    int status = print(j, recording_evidence_get(r), path);
    problems_print(path, &problems);
    recording_evidence_free(r);
    return status;
}
