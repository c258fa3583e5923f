/* Answers calls for profiles: flame graphs of one selection, comparisons of two, graphs of functions, and pprof. */
#include "server/connect/call.h"

#include "format/pprof.h"
#include "server/connect/dot.h"
#include "server/connect/flamebearer.h"
#include "server/connect/pprof_fields.h"
#include "server/spans/picked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DOT_NODES = 100, DOT_NODES_MAX = 512 };
enum { FORMAT_FLAMEGRAPH = 1, FORMAT_TREE = 2, FORMAT_DOT = 3, FORMAT_PPROF = 4 };

/* ---- a profile ---- */

int call_nodes(struct call *c, const struct asked *a, uint32_t *nodes)
{
    const struct server_limits *limits = &c->http->server->limits;
    int64_t most = (int64_t)limits->nodes_most;
    if (a->max_nodes < 0)
        return error_set(&c->error, -EINVAL, "max_nodes must not be negative");
    if (a->max_nodes > most)
        return error_set(&c->error, -EINVAL,
                         "max_nodes is too high (max_flamegraph_nodes_max, actual: %" PRId64 ", limit: %" PRId64
                         "); raise it with --max-flamegraph-nodes",
                         a->max_nodes, most);
    int64_t otherwise = (int64_t)limits->nodes;
    *nodes = (uint32_t)(a->max_nodes ? a->max_nodes : otherwise < most ? otherwise : most);
    return 0;
}

/* Whether the root end of the stack consists of these functions. */
static bool begins_with(const struct profile *p, const struct asked_texts *site, uint32_t stack)
{
    uint32_t path[PROFILE_DEPTH_MAX], depth = 0;
    for (uint32_t node = stack; node && depth < PROFILE_DEPTH_MAX; node = p->nodes[node].parent)
        path[depth++] = node;
    for (uint32_t i = 0; i < site->count; i++) {
        if (i >= depth)
            return false;
        const struct profile_frame *f = &p->frames[p->nodes[path[depth - 1 - i]].frame];
        if (strcmp(profile_text(p, f->label), site->list[i]))
            return false;
    }
    return true;
}

static void keep_call_site(struct profile *p, const struct asked_texts *site)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        if (begins_with(p, site, p->samples[i].stack))
            p->samples[left++] = p->samples[i];
        else
            p->weight -= p->samples[i].weight;
    }
    p->sample_count = left;
}

/* Reads what the query selects. If it selects traces or spans, their samples are searched for in the recordings. */
static int read_profile(struct call *c, const struct asked *a, const struct store_query *q, struct profile *p, struct store_result *result)
{
    struct picked_wanted wanted = {a->trace_ids.list, a->span_ids.list, a->trace_ids.count, a->span_ids.count};
    return wanted.trace_count || wanted.span_count ? picked_profile(c->http, q, &wanted, p, result, &c->error)
                                                   : store_profile(c->store, q, p, result, &c->error);
}

int call_profile(struct call *c, const struct asked *a, uint32_t keep, struct profile *p)
{
    struct store_query q;
    struct selector selector = {0};
    struct store_result result = {0};
    char type[CATALOGUE_TYPE_MAX];
    bool nothing = false, late = a->call_site.count || a->trace_ids.count || a->span_ids.count; /* nodes can be left out only later */
    int rc = call_query(c, a, &q, &selector, type, &nothing);
    if (!rc && a->trace_ids.count && a->span_ids.count)
        rc = error_set(&c->error, -EINVAL, "span_selector and trace_id_selector cannot be used together");
    if (!rc && !nothing) {
        q.keep = late ? 0 : keep;
        rc = read_profile(c, a, &q, p, &result);
        missing_add_all(&c->missing, &result.missing);
        if (!rc && a->call_site.count)
            keep_call_site(p, &a->call_site);
        if (!rc && late && keep && profile_prune(p, keep, &result.pruned))
            rc = error_set(&c->error, -ENOMEM, "out of memory");
        store_result_deinit(&result);
    }
    selector_deinit(&selector);
    return rc;
}

/* ---- flame graphs ---- */

static void put_levels(struct wire *w, const struct flamebearer *f)
{
    wire_list(w, "names");
    for (uint32_t i = 0; i < f->name_count; i++)
        wire_text(w, 1, "names", f->names[i]);
    wire_list_end(w);
    wire_list(w, "levels");
    for (uint32_t i = 0; i < f->level_count; i++) {
        wire_message(w, 2, NULL);
        wire_ints(w, 1, "values", f->levels[i].values, f->levels[i].count);
        wire_message_end(w, 2);
    }
    wire_list_end(w);
    wire_int(w, 3, "total", f->totals[0] + f->totals[1]);
    wire_int(w, 4, "maxSelf", f->most_self);
}

static int put_flamegraph(struct call *c, struct profile *const sides[], int count)
{
    struct flamebearer f;
    int rc = flamebearer_build(&f, sides, count);
    if (rc) {
        error_set(&c->error, rc, rc == -EFBIG ? "more nodes than a flame graph can have" : "out of memory");
    } else {
        wire_message(&c->wire, 1, "flamegraph");
        put_levels(&c->wire, &f);
        if (count > 1) {
            wire_int(&c->wire, 5, "leftTicks", f.totals[0]);
            wire_int(&c->wire, 6, "rightTicks", f.totals[1]);
        }
        wire_message_end(&c->wire, 1);
    }
    flamebearer_deinit(&f);
    return rc;
}

int calls_diff(struct call *c)
{
    static const struct asked none;
    const struct asked *asked[2];
    struct profile list[2] = {0}, *sides[2] = {&list[0], &list[1]};
    uint32_t nodes = 0;
    int rc = 0;
    for (int i = 0; !rc && i < 2; i++) {
        uint32_t of_side = 0;
        asked[i] = c->asked.sides[i] ? c->asked.sides[i] : &none;
        rc = call_nodes(c, asked[i], &of_side);
        nodes = of_side > nodes ? of_side : nodes;
    }
    for (int i = 0; !rc && i < 2; i++) {
        rc = profile_init(&list[i]) ? error_set(&c->error, -ENOMEM, "out of memory") : 0;
        rc = rc ? rc : call_profile(c, asked[i], nodes, &list[i]);
    }
    rc = rc ? rc : put_flamegraph(c, sides, 2);
    for (int i = 0; i < 2; i++)
        profile_deinit(&list[i]);
    return rc;
}

/* ---- other forms ---- */

/* Writes the fields of pprof's message Profile into the message that has begun. */
static int put_pprof(struct call *c, const struct profile *p)
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&bytes, &n);
    int rc = out ? pprof_write_plain(out, p) : -ENOMEM;
    if (out && fclose(out))
        rc = -ENOMEM;
    if (!rc && n > WIRE_BYTES_MAX)
        rc = -EFBIG;
    rc = rc ? rc : pprof_fields_put(&c->wire, bytes, n);
    free(bytes);
    return rc ? error_set(&c->error, rc, rc == -EFBIG ? "a text or a sample is too large for pprof" : "out of memory") : 0;
}

static int put_dot(struct call *c, const struct profile *p, uint32_t nodes)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    int rc = out ? dot_write(out, p, nodes) : -ENOMEM;
    if (out && fclose(out))
        rc = -ENOMEM;
    if (!rc)
        wire_text(&c->wire, 3, "dot", text);
    free(text);
    return rc ? error_set(&c->error, rc, "out of memory") : 0;
}

static int put_profile(struct call *c, struct profile *p, uint32_t nodes)
{
    if (c->asked.format == FORMAT_DOT)
        return put_dot(c, p, nodes);
    if (c->asked.format != FORMAT_PPROF)
        return put_flamegraph(c, &p, 1);
    wire_message(&c->wire, 5, "pprof");
    wire_message(&c->wire, 1, "profile");
    int rc = put_pprof(c, p);
    wire_message_end(&c->wire, 1);
    wire_message_end(&c->wire, 5);
    return rc;
}

/* Chooses how many nodes of the call tree to load, and how many an answer shows. A graph of functions is made of the whole tree. */
static int choose_nodes(struct call *c, uint32_t *loaded, uint32_t *shown)
{
    int64_t most = c->asked.max_nodes;
    int rc = call_nodes(c, &c->asked, shown);
    *loaded = *shown;
    if (c->asked.format == FORMAT_DOT) {
        *shown = !most ? DOT_NODES : *shown < DOT_NODES_MAX ? *shown : DOT_NODES_MAX;
        *loaded = 0;
    } else if (c->asked.format == FORMAT_PPROF && !most) {
        *loaded = 0;
    }
    return rc;
}

int calls_stacktraces(struct call *c)
{
    struct profile p;
    uint32_t loaded = 0, shown = 0;
    int rc = choose_nodes(c, &loaded, &shown);
    if (!rc && (c->asked.format == FORMAT_TREE || c->asked.format > FORMAT_PPROF))
        rc = error_set(&c->error, -ENOTSUP, "the formats are PROFILE_FORMAT_FLAMEGRAPH, PROFILE_FORMAT_DOT and PROFILE_FORMAT_PPROF");
    if (rc)
        return rc;
    if (profile_init(&p))
        return error_set(&c->error, -ENOMEM, "out of memory");
    rc = call_profile(c, &c->asked, loaded, &p);
    rc = rc ? rc : put_profile(c, &p, shown);
    profile_deinit(&p);
    return rc;
}

/* The answer is a flame graph, whatever the format, as Pyroscope's is. */
int calls_span_profile(struct call *c)
{
    if (c->asked.format != FORMAT_TREE)
        c->asked.format = FORMAT_FLAMEGRAPH;
    return calls_stacktraces(c);
}

int calls_profile(struct call *c)
{
    struct profile p;
    uint32_t nodes = 0;
    int rc = c->asked.max_nodes ? call_nodes(c, &c->asked, &nodes) : 0; /* all nodes, unless max_nodes is set */
    if (rc)
        return rc;
    if (profile_init(&p))
        return error_set(&c->error, -ENOMEM, "out of memory");
    rc = call_profile(c, &c->asked, nodes, &p);
    rc = rc ? rc : put_pprof(c, &p);
    profile_deinit(&p);
    return rc;
}
