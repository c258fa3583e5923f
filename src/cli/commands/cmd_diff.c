/* candor diff A B: shows what changed between two recordings, and whether it is more than chance. */
#include "base/text/word_list.h"
#include "cli/cli.h"
#include "cli/diff/page.h"
#include "cli/gate.h"

#include "cli/read/input.h"
#include "profile/figures/diff.h"
#include "report/diff_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {0, "absolute", NULL, NULL, "compare times per second of recording, not shares"},
    {0, "level", "PERCENT", NULL, "expected number of reported changes that are due to chance (default 1)"},
    {0, "only", "LIST", NULL, "only changes of these kinds: new, gone, grown, shrunk"},
    {0, "all", NULL, NULL, "all methods, changed or not"},
    {'n', "top", "N", NULL, "at most N methods; 0 for all (default 30)"},
    {0, "gate", "PERCENT", NULL,
     "exit with status 1 if a method has certainly grown by more than PERCENT points; with --absolute by more than PERCENT of a CPU"},
    {0, "json", NULL, NULL, "as JSON"},
    {'o', "output", "FILE", NULL, "also write an HTML page to this file: one flame graph of both recordings, colored by the changes"},
    INPUT_OPTIONS,
    {0, "select2", "SELECTOR", NULL, "for a server: the selector for B, instead of --select"},
    {0, "from2", "TIME", NULL, "for a server: the start of the time range for B, instead of --from"},
    {0, "until2", "TIME", NULL, "for a server: the end of the time range for B, instead of --until"},
    {0},
};

static int parse_only(const struct cli_args *args, unsigned *only)
{
    static const struct {
        const char *word;
        enum diff_change change;
    } words[] = {{"new", DIFF_NEW}, {"gone", DIFF_GONE}, {"grown", DIFF_GREW}, {"shrunk", DIFF_SHRANK}};
    const char *list = cli_option(args, "only");
    char word[64];
    for (*only = 0; word_list_next(&list, word, sizeof word);) {
        size_t i = 0;
        while (i < 4 && strcmp(words[i].word, word))
            i++;
        if (i == 4)
            return cli_usage(args->command, "--only '%.60s': use new, gone, grown or shrunk", word);
        *only |= 1u << words[i].change;
    }
    return CLI_OK;
}

/* The quantity that the profiles measure. It must be the same for all of them. */
struct kind {
    enum profile_unit unit;
    enum profile_kind samples;
    char word[64], whole[64];
    bool known;
};

static const char *what_of(const struct profile *p, const char *unit)
{
    return p->unit == PROFILE_UNIT_NS ? profile_kinds[p->kind].whole : unit;
}

static int check_kind(struct kind *kind, const struct profile *p, const char *path, const char *first)
{
    const char *value = profile_text(p, p->value);
    if (!kind->known) {
        kind->known = true;
        kind->unit = p->unit;
        snprintf(kind->word, sizeof kind->word, "%s", profile_unit_word(p));
        kind->samples = p->kind;
        snprintf(kind->whole, sizeof kind->whole, "%% of %s", *value ? value : what_of(p, kind->word));
    } else if (kind->samples != p->kind) {
        return cli_fail("%s has samples of the kind %s, but %s has samples of the kind %s: they cannot be compared", path,
                        profile_kinds[p->kind].word, first, profile_kinds[kind->samples].word);
    } else if (kind->unit != p->unit || strcmp(kind->word, profile_unit_word(p))) {
        return cli_fail("%s has weights in %s, but %s has weights in %s: they cannot be compared", path, profile_unit_word(p), first,
                        kind->word);
    }
    return CLI_OK;
}

static int add(struct diff *d, struct diff_page *page, const struct cli_args *args, int i, struct kind *kind)
{
    struct profile p;
    char **path = &args->operands[i];
    if (profile_init(&p))
        return cli_fail("%s: out of memory", *path);
    int status = input_load_side(&p, args, *path, i % 2 ? REMOTE_SECOND : REMOTE_ONE, PROFILE_RUNNING);
    status = status ? status : check_kind(kind, &p, *path, args->operands[0]);
    if (!status && !p.sample_count)
        status = cli_fail("%s: no samples%s", *path, p.filtered ? " that pass the filter" : "");
    if (!status && d->absolute && (!p.duration_ns || p.unit != PROFILE_UNIT_NS))
        status =
            cli_fail("%s: its times per second are unknown: it says no %s; compare shares", *path, p.duration_ns ? "times" : "duration");
    enum diff_side side = i % 2 ? DIFF_B : DIFF_A;
    int rc = status ? 0 : diff_add(d, side, &p);
    if (!status && !rc && cli_option(args, "output"))
        rc = diff_page_add(page, side, &p);
    profile_deinit(&p);
    return rc ? cli_fail("%s: %s", *path, strerror(-rc)) : status;
}

/* Returns the certain part of the figure's growth; 0 = it has not grown for sure. */
static double growth(const struct diff_figure *f)
{
    return f->change == DIFF_GREW || f->change == DIFF_NEW ? f->interval.low : 0;
}

static int check_gate(const struct diff *d, double threshold)
{
    struct gate g = {.threshold = threshold};
    for (uint32_t i = 0; i < d->count; i++) {
        double self = growth(&d->rows[i].self), total = growth(&d->rows[i].total);
        gate_note(&g, diff_name(d, &d->rows[i]), self > total ? self : total);
    }
    return gate_end(&g, d->absolute ? "% of a CPU" : "points",
                    d->absolute ? "" : " (a share also grows if others shrink: --absolute compares times of runs with the same load)");
}

static int compare(struct diff *d, struct diff_page *page, const struct cli_args *args, struct diff_options *o, double gate)
{
    struct kind kind = {0};
    int status = CLI_OK;
    for (int i = 0; !status && i < args->operand_count; i++)
        status = add(d, page, args, i, &kind);
    if (status)
        return status;
    int rc = diff_compute(d);
    if (rc)
        return cli_fail("%s", strerror(-rc));
    o->unit = kind.word;
    o->whole = kind.whole;
    if (cli_switch(args, "json"))
        diff_json(stdout, d, o);
    else
        diff_text(stdout, d, o);
    status = cli_finish_output();
    if (!status && cli_option(args, "output"))
        status = diff_page_write(page, d, args->operands, args->operand_count, cli_option(args, "output"));
    return status || !cli_option(args, "gate") ? status : check_gate(d, gate);
}

static int diff_run(const struct cli_args *args)
{
    struct diff d;
    struct diff_page page;
    struct diff_options o = {.all = cli_switch(args, "all"), .width = cli_width(stdout), .colour = cli_colour(stdout)};
    char names[2][REMOTE_NAME_MAX];
    double gate, level;
    int status = remote_check(args);
    status = status ? status : cli_percent(args, "gate", 0, 0, &gate);
    status = status ? status : cli_percent(args, "level", 1, 1e-6, &level);
    status = status ? status : parse_only(args, &o.only);
    status = status ? status : cli_number(args, "top", cli_switch(args, "json") ? 0 : 30, &o.top);
    if (!status && args->operand_count % 2)
        status = cli_usage(args->command, "recordings are compared in pairs, A B A2 B2 ...: '%.60s' has no partner; add one",
                           args->operands[args->operand_count - 1]);
    if (!status && cli_switch(args, "absolute") && cli_option(args, "output"))
        status = cli_usage(args->command, "--output cannot be used with --absolute: the page shows shares; leave one of the two out");
    if (!status && cli_option(args, "output"))
        status = cli_check_output(args, cli_option(args, "output"));
    if (status)
        return status;
    o.a = remote_name(args, args->operands[0], REMOTE_ONE, names[0]);
    o.b = remote_name(args, args->operands[1], REMOTE_SECOND, names[1]);
    if (diff_init(&d) || diff_page_init(&page))
        return cli_fail("out of memory");
    d.absolute = cli_switch(args, "absolute");
    d.level = level;
    status = compare(&d, &page, args, &o, gate);
    diff_page_deinit(&page);
    diff_deinit(&d);
    return status;
}

const struct cli_command command_diff = {
    .name = "diff",
    .arguments = "[OPTION...] A B [A2 B2...]",
    .summary = "show what changed between two recordings, and whether it is more than chance",
    .about = "Compares the shares of methods, self and total, in recording A with those in B; with --absolute it compares their CPU time "
             "per second, which is meaningful if both did the same amount of work. It reports only changes that are more than chance, and "
             "shows at the top the smallest change that it could have detected.\n\n"
             "Programs vary from run to run. With several runs of each, A B A2 B2 A3 B3, this variation is measured. With a single run of "
             "each, the slow variation within the run is used instead.\n\n"
             "Shares add up to 100 %: if the share of one method grows, the other shares shrink. --absolute shows which method really "
             "changed.\n\n" INPUT_FORMATS
             " Each file is one run. A filter drops whole samples; the shares are shares of the remaining samples.\n\n"
             "On a server you can compare two times or two selections: --from2, --until2 and --select2 apply to B; without them, B uses "
             "the values for A. With --absolute, times are per second of the selected time range.\n\n"
             "docs/formats/diff-json.md describes the output of --json.",
    .examples = "candor diff before.jfr after.jfr\n"
                "    what changed\n"
                "candor diff --only new,grown a1.jfr b1.jfr a2.jfr b2.jfr a3.jfr b3.jfr\n"
                "    three runs of each: what got worse\n"
                "candor diff -o changes.html before.jfr after.jfr\n    also write a page that shows the changes\n"
                "candor diff --from -2h --until -1h --from2 -1h --until2 now http://host:4041 http://host:4041\n"
                "    two hours of a server's data\n"
                "candor diff --select 'version=\"1\"' --select2 'version=\"2\"' https://host https://host\n"
                "    two versions in the last hour\n"
                "candor diff --gate 2 before.jfr after.jfr\n"
                "    for CI: status 1 if a method has grown by more than 2 points\n",
    .often = "absolute,all,top,gate,json,output",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 2,
    .operands_max = -1,
    .run = diff_run,
};
