/* Reads every byte of every segment, and checks it against its dictionary. */
#include "store/query/gather.h"

struct checking {
    struct store *store;
    const struct gather *g;
    const struct store_query *q;
    struct store_result *result;
};

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row)
{
    return 0;
}

static int check_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    struct checking *c = context;
    uint32_t id = c->g->list[*at].dictionary;
    int rc = 0;
    while (!rc && *at < c->g->count && c->g->list[*at].dictionary == id)
        rc = gather_segment(c->g, c->store, c->q, at, SEGMENT_ALL | SEGMENT_SUMS, fit, take_row, c, c->result, e);
    return rc;
}

int store_check(struct store *s, int64_t to, struct store_result *r, struct error *e)
{
    struct gather g;
    struct store_query q = {.to = to, .type = "", .labels = true};
    struct checking c = {s, &g, &q, r};
    int rc = gather_init(&g, s, &q, NULL, r, e);
    rc = rc ? rc : gather_dictionaries(&g, s, check_dictionary, &c, e);
    gather_deinit(&g);
    return rc;
}
