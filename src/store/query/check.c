/* Reads every byte of every segment and every roll-up, and checks segments against their dictionary. */
#include "store/catalogue/catalogue_select.h"
#include "store/query/gather.h"
#include "store/rollup/rollup.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct checking {
    struct store *store;
    const struct gather *g;
    const struct store_query *q;
    struct store_result *result;
};

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
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

struct rollup_files {
    struct listed_file {
        struct catalogue_rollup_file file;
        bool stale; /* it may have been put aside */
    } * list;
    uint32_t count, cap;
    bool stale; /* the roll-up that the catalog lists */
};

static int note_file(void *context, const struct catalogue_rollup_file *f)
{
    struct rollup_files *files = context;
    if (ARRAY_GROW(files->list, files->cap, files->count))
        return -ENOMEM;
    files->list[files->count++] = (struct listed_file){*f, files->stale};
    return 0;
}

static int note_rollup(void *context, const struct catalogue_rollup *u)
{
    ((struct rollup_files *)context)->stale = u->stale;
    return 0;
}

static bool is_any(void *context, const char *name)
{
    return true;
}

static int check_rollup(struct store *s, const struct listed_file *listed, struct store_result *r, struct error *e)
{
    const struct catalogue_rollup_file *f = &listed->file;
    struct rollup_file file;
    int rc = s->rows->read_rollup(s, f->dictionary, f->number, &file, e);
    if (!rc)
        rollup_file_deinit(&file);
    if (rc == -ENOENT && listed->stale)
        return 0;
    if (rc != -EBADMSG && rc != -ENOENT)
        return rc;
    buffer_printf(&r->unreadable, "%s\n", e->text + (strncmp(e->text, s->path, strlen(s->path)) ? 0 : strlen(s->path) + 1));
    rollup_quarantine(s, f->dictionary, f->number, e->text);
    return 0;
}

static int check_rollups(struct store *s, int64_t to, struct store_result *r, struct error *e)
{
    struct rollup_files files = {0};
    const struct catalogue_select_visitor visitor = {is_any, is_any, note_rollup, note_file, .context = &files};
    unsigned epoch = merge_read_begin(s);
    int rc = catalogue_select(s->catalogue, 0, to, NULL, &visitor, e);
    for (uint32_t i = 0; !rc && i < files.count; i++)
        rc = check_rollup(s, &files.list[i], r, e);
    merge_read_end(s, epoch);
    free(files.list);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

int store_check(struct store *s, int64_t to, struct store_result *r, struct error *e)
{
    struct gather g;
    struct store_query q = {.to = to, .type = "", .labels = true};
    struct checking c = {s, &g, &q, r};
    s->checking = true;
    int rc = gather_init(&g, s, &q, NULL, GATHER_EACH_ROW, r, e);
    rc = rc ? rc : gather_dictionaries(&g, s, check_dictionary, &c, e);
    gather_deinit(&g);
    rc = rc ? rc : check_rollups(s, to, r, e);
    s->checking = false;
    return rc;
}
