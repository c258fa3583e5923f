#include "cli/read/remote.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "cli/read/remote_get.h"
#include "format/read/formats.h"
#include "http/address.h"
#include "server/request/times.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { QUERY_MAX = 1 << 16, DEFAULT_SPAN_S = 3600, MISSING_MAX = 512 };

bool remote_is(const char *path)
{
    return address_is(path);
}

/* ---- options ---- */

/* The query of one side. Texts are as the user wrote them, NULL = not given. */
struct wish {
    const char *select, *from, *until, *value;
    bool has_from, has_until;
    int64_t from_s, until_s;
};

const char *remote_file_format(const struct cli_args *args)
{
    const char *from = cli_option(args, "from");
    return from ? formats_named(from) : NULL;
}

/* Returns the current time in whole seconds, rounded up. It is the same for all queries of this process, so that two ranges that meet at
 * a point of time have no sample twice. */
static int64_t now_s(void)
{
    static int64_t now;
    if (!now)
        now = ((int64_t)clock_realtime_ns() + NS_PER_S - 1) / NS_PER_S;
    return now;
}

static int parse_time(const struct cli_args *args, const char *name, const char *text, bool up, int64_t *seconds)
{
    int64_t ns;
    if (times_parse(text, now_s() * NS_PER_S, &ns))
        return cli_usage(args->command, "--%s '%.40s' is not a time; write -1h, 2026-11-22T16:41:00Z or seconds since the epoch", name,
                         text);
    int64_t below = ns / NS_PER_S - (ns % NS_PER_S < 0);
    *seconds = below + (up && below * NS_PER_S < ns);
    return CLI_OK;
}

/* Finds the server's name for the samples that --kind chooses (docs/formats/server-api.md). */
static int parse_kind(const struct cli_args *args, const char **type)
{
    const char *word = cli_option(args, "kind");
    char stored[128] = "";
    enum profile_kind kind = PROFILE_RUNNING;
    if (word && profile_kind_named(word, &kind) && profile_kinds[kind].stored)
        *type = profile_kinds[kind].stored;
    if (!word || *type)
        return CLI_OK;
    for (int i = 0; i < PROFILE_KINDS; i++)
        if (profile_kinds[i].stored)
            snprintf(stored + strlen(stored), sizeof stored - strlen(stored), "%s%s", *stored ? ", " : "", profile_kinds[i].word);
    return cli_usage(args->command, "--kind %.20s needs a recording; a server has %s", word, stored);
}

/* Reads the query of a side. The second side has its own times if one of them is given, else those of the first side. */
static int read_wish(const struct cli_args *args, enum remote_side side, struct wish *w)
{
    bool own = side == REMOTE_SECOND && (cli_option(args, "from2") || cli_option(args, "until2"));
    const char *from_name = own ? "from2" : "from", *until_name = own ? "until2" : "until";
    const char *select = side == REMOTE_SECOND ? cli_option(args, "select2") : NULL;
    *w = (struct wish){.select = select ? select : cli_option(args, "select"),
                       .from = cli_option(args, from_name),
                       .until = cli_option(args, until_name),
                       .value = cli_option(args, "value")};
    w->from = w->from && !own && formats_named(w->from) ? NULL : w->from;
    w->has_from = w->from != NULL;
    w->has_until = w->until != NULL;
    int status = w->value ? CLI_OK : parse_kind(args, &w->value);
    if (!status && w->from)
        status = parse_time(args, from_name, w->from, false, &w->from_s);
    if (!status && w->until)
        status = parse_time(args, until_name, w->until, true, &w->until_s);
    if (!status && w->has_until && !w->has_from) {
        w->has_from = true;
        w->from_s = w->until_s - DEFAULT_SPAN_S;
    }
    if (!status && w->has_until && w->until_s <= w->from_s)
        status = cli_usage(args->command, "--%s '%.40s' must be later than --%s '%.40s'", until_name, w->until, from_name,
                           w->from ? w->from : "an hour before");
    return status;
}

static bool is_same(const struct wish *a, const struct wish *b)
{
    return !strcmp(a->select ? a->select : "", b->select ? b->select : "") && a->has_from == b->has_from && a->has_until == b->has_until &&
           a->from_s == b->from_s && a->until_s == b->until_s;
}

static const char *given(const struct cli_args *args)
{
    static const char *const names[] = {"select", "until", "token-file", "ca-file", "select2", "from2", "until2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_option(args, names[i]))
            return names[i];
    return NULL;
}

static enum remote_side side_of(int operand)
{
    return operand % 2 ? REMOTE_SECOND : REMOTE_ONE;
}

/* Checks the query of an operand, and that no earlier operand makes the same query to the same server. */
static int check_operand(const struct cli_args *args, int operand)
{
    struct wish wish, before;
    int status = read_wish(args, side_of(operand), &wish);
    for (int i = 0; !status && i < operand; i++) {
        if (strcmp(args->operands[i], args->operands[operand]))
            continue;
        status = read_wish(args, side_of(i), &before);
        if (!status && is_same(&before, &wish))
            status = cli_usage(
                args->command,
                "%.200s is given twice with the same selection, so there is nothing to compare; use --from2, --until2 or --select2 for B",
                args->operands[i]);
    }
    return status;
}

int remote_check(const struct cli_args *args)
{
    const char *from = cli_option(args, "from");
    int servers = 0;
    for (int i = 0; i < args->operand_count; i++)
        servers += remote_is(args->operands[i]);
    if (!servers && from && !formats_named(from))
        return cli_usage(args->command, "--from '%.40s' must be one of " FORMATS_READ "; a time needs a server", from);
    if (!servers && given(args))
        return cli_usage(args->command, "--%s needs a server: give http://HOST:PORT instead of a FILE", given(args));
    if (servers == args->operand_count && from && formats_named(from))
        return cli_usage(args->command, "--from '%.40s' names a format of files; for a server it is a time, such as -1h", from);
    int status = CLI_OK;
    for (int i = 0; !status && i < args->operand_count; i++)
        if (remote_is(args->operands[i]))
            status = check_operand(args, i);
    return status;
}

const char *remote_name(const struct cli_args *args, const char *path, enum remote_side side, char out[REMOTE_NAME_MAX])
{
    struct wish w;
    if (!remote_is(path) || read_wish(args, side, &w))
        return path;
    snprintf(out, REMOTE_NAME_MAX, "%.100s %.200s%s%.40s..%.40s", path, w.select ? w.select : "", w.select ? " " : "",
             w.from    ? w.from
             : w.until ? "an hour"
                       : "-1h",
             w.until ? w.until : "now");
    return out;
}

/* ---- the request ---- */

static int make_query(struct buffer *url, const struct wish *w)
{
    buffer_text(url, "/v1/profile?format=otlp");
    if (w->select) {
        buffer_text(url, "&select=");
        address_escape(url, w->select);
    }
    if (w->value) {
        buffer_text(url, "&type=");
        address_escape(url, w->value);
    }
    if (w->has_from)
        buffer_printf(url, "&from=%" PRId64, w->from_s);
    if (w->has_until)
        buffer_printf(url, "&to=%" PRId64, w->until_s);
    buffer_u8(url, 0);
    return url->failed ? -E2BIG : 0;
}

static int ask(const struct cli_args *args, const char *path, const struct wish *w, struct fetch_answer *answer)
{
    struct buffer query;
    buffer_init(&query, QUERY_MAX);
    int status =
        make_query(&query, w) ? cli_usage(args->command, "--select is too long") : remote_get(args, path, (const char *)query.data, answer);
    buffer_deinit(&query);
    return status;
}

/* Reads from the headers which data are missing from the answer; "" = none. */
static void read_missing(const struct fetch_answer *answer, char out[MISSING_MAX])
{
    char complete[8];
    *out = 0;
    if (fetch_header(answer, "X-Candor-Complete", complete, sizeof complete) && !strcmp(complete, "false") &&
        !fetch_header(answer, "X-Candor-Missing", out, MISSING_MAX))
        snprintf(out, MISSING_MAX, "incomplete");
}

static int nothing(const char *path, const struct wish *w, const char *missing)
{
    const char *from = w->from ? w->from : w->until ? "an hour before that" : "-1h";
    char select[300] = "", value[100] = "";
    if (w->select)
        snprintf(select, sizeof select, " of --select '%.250s'", w->select);
    if (w->value)
        snprintf(value, sizeof value, " with --value %.60s", w->value);
    return cli_fail("%s: no recordings%s%s from %s until %s; %s", path, select, value, from, w->until ? w->until : "now",
                    *missing ? missing : "its page shows which services there are");
}

static bool read_number(const struct fetch_answer *answer, const char *name, uint64_t *out)
{
    char text[32];
    return fetch_header(answer, name, text, sizeof text) && !number_parse(text, 0, UINT64_MAX, out);
}

/* ---- the answer ---- */

static int read_profile(struct profile *p, const char *path, const struct fetch_answer *answer)
{
    struct intake in;
    struct error e;
    int rc = intake_open_memory(&in, answer->body.data, answer->body.len, path, &e);
    rc = rc ? rc : formats_load_from(p, &in, path, "otlp", NULL, NULL, &e);
    return rc ? cli_fail("%s", e.text) : CLI_OK;
}

/* Adds to the profile the facts that OTLP cannot express. CPU time gets no value name, as in a recording, so that the two can be added
 * up. */
static int complete(struct profile *p, uint64_t recordings, const char *missing)
{
    static const char source[] = "candor server";
    if (p->unit == PROFILE_UNIT_NS && !strcmp(profile_text(p, p->value), "cpu"))
        p->value = 0;
    p->merged = recordings < UINT32_MAX ? (uint32_t)recordings : UINT32_MAX;
    if (*missing && profile_add_problem(p, "warning", "%s", missing))
        return -ENOMEM;
    p->thinned = true; /* samples of many recordings do not follow each other */
    p->books_elsewhere = true;
    return profile_string(p, source, sizeof source - 1, &p->source);
}

static int take(struct profile *p, const char *path, const struct wish *w, const struct fetch_answer *answer)
{
    uint64_t recordings, total;
    char missing[MISSING_MAX];
    if (!read_number(answer, "X-Candor-Recordings", &recordings) || !read_number(answer, "X-Candor-Total", &total))
        return cli_fail("%s: not a Candor server, or an older version: its answer has no X-Candor-Total", path);
    read_missing(answer, missing);
    if (!recordings)
        return nothing(path, w, missing);
    int status = read_profile(p, path, answer);
    if (!status && p->weight != total)
        status =
            cli_fail("%s: the samples that arrived add up to %" PRIu64 ", the server has %" PRIu64 "; the server may be of another version",
                     path, p->weight, total);
    if (!status && complete(p, recordings, missing))
        status = cli_fail("%s: out of memory", path);
    if (!status && *missing)
        cli_fail("%s: %s", path, missing);
    return status;
}

int remote_load(struct profile *p, const struct cli_args *args, const char *path, enum remote_side side)
{
    struct wish w;
    struct fetch_answer answer = {0};
    int status = read_wish(args, side, &w);
    status = status ? status : ask(args, path, &w, &answer);
    status = status ? status : take(p, path, &w, &answer);
    fetch_deinit(&answer);
    return status;
}
