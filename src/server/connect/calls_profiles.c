/* Answers calls for profiles: flame graphs of one selection, comparisons of two, and pprof. */
#include "server/connect/call.h"

#include "format/pprof.h"
#include "server/connect/flamebearer.h"

#include <errno.h>
#include <string.h>

enum { NODES_DEFAULT = 8192, NODES_MAX = 1 << 20, FORMAT_FLAMEGRAPH = 1 };

/* ---- a profile ---- */

static int nodes_of(struct call *c, const struct asked *a, uint32_t *nodes)
{
    if (a->max_nodes < 0 || a->max_nodes > NODES_MAX)
        return error_set(&c->error, -EINVAL, "max_nodes must be from 0 to %d", NODES_MAX);
    *nodes = a->max_nodes ? (uint32_t)a->max_nodes : NODES_DEFAULT;
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

/* Loads a profile into p, which must be initialized. keep: how many nodes to keep; 0 = all. */
static int load(struct call *c, const struct asked *a, uint32_t keep, struct profile *p)
{
    struct store_query q;
    struct selector selector = {0};
    struct store_result result = {0};
    char type[CATALOGUE_TYPE_MAX];
    bool nothing = false;
    int rc = call_query(c, a, &q, &selector, type, &nothing);
    if (!rc && !nothing) {
        q.keep = a->call_site.count ? 0 : keep;
        rc = store_profile(c->store, &q, p, &result, &c->error);
        missing_add_all(&c->missing, &result.missing);
        if (!rc && a->call_site.count)
            keep_call_site(p, &a->call_site);
        if (!rc && a->call_site.count && keep && profile_prune(p, keep, &result.pruned))
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

int calls_stacktraces(struct call *c)
{
    struct profile p, *side = &p;
    uint32_t nodes = 0;
    int rc = nodes_of(c, &c->asked, &nodes);
    if (!rc && c->asked.format > FORMAT_FLAMEGRAPH)
        rc = error_set(&c->error, -ENOTSUP, "only the format PROFILE_FORMAT_FLAMEGRAPH is made here; SelectMergeProfile gives pprof");
    if (rc)
        return rc;
    if (profile_init(&p))
        return error_set(&c->error, -ENOMEM, "out of memory");
    rc = load(c, &c->asked, nodes, &p);
    rc = rc ? rc : put_flamegraph(c, &side, 1);
    profile_deinit(&p);
    return rc;
}

int calls_span_profile(struct call *c)
{
    if (c->asked.span_ids.count)
        return error_set(
            &c->error, -ENOTSUP,
            "profiles cannot be selected by span, because the server does not store the spans of samples; leave out span_selector");
    return calls_stacktraces(c);
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
        rc = nodes_of(c, asked[i], &of_side);
        nodes = of_side > nodes ? of_side : nodes;
    }
    for (int i = 0; !rc && i < 2; i++) {
        rc = profile_init(&list[i]) ? error_set(&c->error, -ENOMEM, "out of memory") : 0;
        rc = rc ? rc : load(c, asked[i], nodes, &list[i]);
    }
    rc = rc ? rc : put_flamegraph(c, sides, 2);
    for (int i = 0; i < 2; i++)
        profile_deinit(&list[i]);
    return rc;
}

/* ---- pprof ---- */

int calls_profile(struct call *c)
{
    struct profile p;
    if (c->wire.json)
        return error_set(&c->error, -ENOTSUP, "a pprof profile is not written as JSON; ask with application/proto");
    uint32_t nodes = 0;
    int rc = c->asked.max_nodes ? nodes_of(c, &c->asked, &nodes) : 0; /* all nodes, unless max_nodes is set */
    if (rc)
        return rc;
    if (profile_init(&p))
        return error_set(&c->error, -ENOMEM, "out of memory");
    rc = load(c, &c->asked, nodes, &p);
    int written = rc ? 0 : pprof_write_plain(c->out, &p);
    if (written)
        rc = error_set(&c->error, written, written == -EFBIG ? "a text or a sample is too large for pprof" : "out of memory");
    profile_deinit(&p);
    return rc;
}
