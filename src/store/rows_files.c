/* Rows in files: a segment (segment.h) or a roll-up (rollup.h) is a file beside its dictionary. */
#include "store/rows/rows.h"

#include "store/store_internal.h"

#include <inttypes.h>
#include <stdio.h>

static int seal(struct store *s, struct catalogue_segment *done, const char *service, struct segment *g, struct error *e)
{
    char path[DISK_PATH_MAX];
    (void)service;
    int rc = segment_write(g, store_segment_path(s, path, done->dictionary, done->id), false, e);
    done->rows = g->row_count;
    done->bytes = disk_size(path);
    rc = rc ? rc : catalogue_seal(s->catalogue, done, e);
    if (rc)
        disk_remove(path);
    return rc;
}

static int write_parts(struct store *s, struct rows_part *list, uint32_t count, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = 0;
    for (uint32_t i = 0; !rc && i < count; i++) {
        rc = disk_directory(store_dictionary_path(s, path, list[i].dictionary), e);
        rc = rc ? rc : segment_write(list[i].rows, store_segment_path(s, path, list[i].dictionary, list[i].number), false, e);
        list[i].bytes = disk_size(path);
    }
    return rc;
}

static int read_one(struct store *s, struct rows_ahead *ahead, const struct rows_wanted *wanted, unsigned columns, struct segment *out,
                    struct error *e)
{
    char path[DISK_PATH_MAX];
    (void)ahead;
    return segment_read(out, store_segment_path(s, path, wanted->dictionary, wanted->list->number), columns, e);
}

static int write_rollup(struct store *s, uint32_t dictionary, uint64_t number, struct rollup_file *f, uint64_t *bytes, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = rollup_write(f, store_rollup_path(s, path, dictionary, number), e);
    *bytes = disk_size(path);
    return rc;
}

static int read_rollup(struct store *s, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e)
{
    char path[DISK_PATH_MAX];
    return rollup_read(f, store_rollup_path(s, path, dictionary, number), e);
}

static char *path_of(const struct store *s, char *out, uint32_t dictionary, uint64_t number, bool rollup)
{
    return (rollup ? store_rollup_path : store_segment_path)(s, out, dictionary, number);
}

static void remove_one(struct store *s, uint32_t dictionary, uint64_t number, bool rollup)
{
    char path[DISK_PATH_MAX];
    disk_remove(path_of(s, path, dictionary, number, rollup));
}

static void remove_dictionary(struct store *s, uint32_t dictionary)
{
    char path[DISK_PATH_MAX];
    disk_remove_directory(store_dictionary_path(s, path, dictionary));
}

static void put_aside(struct store *s, uint32_t dictionary, uint64_t number, bool rollup)
{
    char path[DISK_PATH_MAX], name[64];
    snprintf(name, sizeof name, "%" PRIu32 "-%" PRIu64 "%s", dictionary, number, rollup ? ".roll" : ".seg");
    recover_put_aside(s, path_of(s, path, dictionary, number, rollup), name);
}

const struct rows_kind rows_in_files = {
    .ahead = 1,
    .merges = true,
    .seal = seal,
    .write = write_parts,
    .read = read_one,
    .write_rollup = write_rollup,
    .read_rollup = read_rollup,
    .remove = remove_one,
    .remove_dictionary = remove_dictionary,
    .put_aside = put_aside,
};
