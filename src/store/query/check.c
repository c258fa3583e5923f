/* Reads every byte of every segment, and checks it against its dictionary. */
#include "store/query/gather.h"

#include <errno.h>

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row)
{
    return gather_fits(context, segment) ? 0 : -EBADMSG;
}

static int check_dictionary(struct store *s, const struct gather *g, const struct store_query *q, uint32_t *at, struct dictionary *d,
                            struct store_result *r, struct error *e)
{
    uint32_t id = g->list[*at].dictionary;
    struct gather_fit fit = gather_fit_of(d);
    int rc = 0;
    while (!rc && *at < g->count && g->list[*at].dictionary == id) {
        const struct gathered *first = &g->list[*at];
        rc = gather_segment(g, s, q, at, SEGMENT_ALL | SEGMENT_SUMS, take_row, &fit, r, e);
        if (rc == -EBADMSG) {
            gather_misfit(g, s, first, r);
            rc = 0;
        }
    }
    return rc;
}

int store_check(struct store *s, int64_t to, struct store_result *r, struct error *e)
{
    struct gather g;
    struct store_query q = {.to = to, .type = ""};
    int rc = gather_init(&g, s, &q, NULL, r, e);
    for (uint32_t at = 0; !rc && at < g.count;) {
        char path[DISK_PATH_MAX];
        struct dictionary *d;
        uint32_t id = g.list[at].dictionary;
        rc = cache_get(&s->cache, id, store_dictionary_file(s, path, id), &d, e);
        if (rc)
            break;
        rc = check_dictionary(s, &g, &q, &at, d, r, e);
        cache_put(&s->cache, d);
    }
    gather_deinit(&g);
    return rc;
}
