/* Merges small segments into large ones. Without this, a recording per minute from each host would become a file per minute.
 *
 *     1  The rows of up to CATALOGUE_MERGE_MAX segments of one dictionary and type are written to a new file, which is synced.
 *     2  The catalog replaces these segments by the new one, in one transaction, if they have not changed.
 *     3  The old files are removed when every query that may have found them in the catalog has ended.
 *
 * After a crash before step 2, the catalog does not know the new file. After a crash later, it does not know the old ones. Such files are
 * removed when the store is opened. A merge only puts rows together: a row keeps the id of its recording. Damaged parts are sealed again
 * from the recordings, each into its own segment. */
#include "base/text/number.h"
#include "base/time_units.h"
#include "store/catalogue/catalogue_rollup.h"
#include "store/store_internal.h"

#include "base/array.h"
#include "base/text/units.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAME = 64,      /* segments of one label set: an hour of recordings, one a minute */
    ALL = 1024,     /* segments of any label sets, if each has only a few */
    ROWS = 1 << 20, /* rows of a merged segment */
    LATE_S = 7200,  /* seconds after a day's end; later, only late recordings arrive for it */
};
#define PATIENCE_NS (1500 * NS_PER_MS) /* how long one call may take; the next one goes on where it ended */

/* ---- readers ---- */

unsigned merge_read_begin(struct store *s)
{
    pthread_mutex_lock(&s->reading);
    unsigned epoch = s->epoch;
    s->readers[epoch]++;
    pthread_mutex_unlock(&s->reading);
    return epoch;
}

void merge_read_end(struct store *s, unsigned epoch)
{
    pthread_mutex_lock(&s->reading);
    s->readers[epoch]--;
    pthread_mutex_unlock(&s->reading);
}

/* Whether all readers that began before the last change of the epoch have ended. */
static bool others_have_ended(struct store *s)
{
    pthread_mutex_lock(&s->reading);
    bool ended = !s->readers[1 - s->epoch];
    pthread_mutex_unlock(&s->reading);
    return ended;
}

static void next_epoch(struct store *s)
{
    pthread_mutex_lock(&s->reading);
    s->epoch = 1 - s->epoch;
    pthread_mutex_unlock(&s->reading);
}

static void remove_files(struct store *s, struct obsolete *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        s->rows->remove(s, o->list[i].dictionary, o->list[i].segment, o->list[i].rollup);
    o->count = 0;
}

static void remove_leaving(struct store *s)
{
    if (s->leaving.count && others_have_ended(s))
        remove_files(s, &s->leaving);
}

/* Removes files that no reader uses any more. The epoch changes only when `leaving` is empty, so the new epoch has no readers when it
 * begins. */
static void remove_gone(struct store *s)
{
    remove_leaving(s);
    if (s->leaving.count || !s->gone.count)
        return;
    struct obsolete empty = s->leaving;
    s->leaving = s->gone;
    s->gone = empty;
    next_epoch(s);
    remove_leaving(s);
}

void merge_deinit(struct store *s)
{
    remove_files(s, &s->gone);
    remove_files(s, &s->leaving);
    free(s->gone.list);
    free(s->leaving.list);
}

/* ---- one merge ---- */

static int take_recordings(struct segment *to, const struct segment *from, uint32_t *cap)
{
    for (uint32_t i = 0; i < from->recording_count; i++) {
        if (ARRAY_GROW(to->recordings, *cap, to->recording_count))
            return -ENOMEM;
        to->recordings[to->recording_count++] = from->recordings[i];
    }
    return 0;
}

static int take_rows(struct segment *to, const struct segment *from, uint32_t recordings)
{
    for (uint32_t i = 0; i < from->row_count; i++) {
        if (ARRAY_GROW(to->rows, to->row_cap, to->row_count))
            return -ENOMEM;
        to->rows[to->row_count] = from->rows[i];
        to->rows[to->row_count++].recording += recordings;
    }
    return 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Appends the rows of a segment. All segments of a dictionary belong to one day, and their seconds count from its beginning. */
static int take_segment(struct segment *to, const struct segment *from, uint32_t *cap)
{
    uint32_t recordings = to->recording_count;
    if (recordings && to->first != from->first)
        return -EBADMSG;
    to->first = from->first;
    to->strings = larger(to->strings, from->strings);
    to->nodes = larger(to->nodes, from->nodes);
    to->threads = larger(to->threads, from->threads);
    to->contexts = larger(to->contexts, from->contexts);
    int rc = take_recordings(to, from, cap);
    return rc ? rc : take_rows(to, from, recordings);
}

/* Reads all segments of the set into one. *aside: a damaged segment was put aside, so the set has changed. */
static int read_sources(struct store *s, const struct catalogue_merge *m, struct segment *to, bool *aside, struct error *e)
{
    uint32_t cap = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->count; i++) {
        char path[DISK_PATH_MAX];
        struct segment one;
        rc = segment_read(&one, store_segment_path(s, path, m->dictionary, m->segments[i]), SEGMENT_ALL, e);
        if (!rc) {
            rc = take_segment(to, &one, &cap);
            if (rc)
                error_set(e, rc, rc == -ENOMEM ? "%s: out of memory" : "%s: of another day than its dictionary", path);
            segment_deinit(&one);
        }
        *aside = rc == -EBADMSG || rc == -ENOENT;
        if (*aside)
            recover_quarantine(s, m->dictionary, m->segments[i], e->text);
    }
    return rc;
}

void merge_note_gone(struct store *s, uint32_t dictionary, uint64_t number, bool rollup)
{
    if (ARRAY_GROW(s->gone.list, s->gone.cap, s->gone.count))
        return; /* the file is removed when the store is opened again */
    s->gone.list[s->gone.count++] = (struct obsolete_file){dictionary, number, rollup};
}

static int write_merged(struct store *s, const struct catalogue_merge *m, struct segment *to, struct error *e)
{
    char path[DISK_PATH_MAX];
    struct catalogue_segment done = {.id = ++s->last_segment, .dictionary = m->dictionary};
    uint64_t parts = to->recording_count;
    int rc = segment_write(to, store_segment_path(s, path, m->dictionary, done.id), true, e);
    done.rows = to->row_count;
    done.bytes = disk_size(path);
    rc = rc ? rc : catalogue_merged(s->catalogue, m, &done, parts, e);
    if (rc)
        disk_remove(path);
    return rc;
}

/* Merges the set. Returns 0 if it was merged, or if nothing remains to be done about it. Returns a code if another attempt later makes
 * sense. */
static int merge_set(struct store *s, const struct catalogue_merge *m, struct error *e)
{
    struct segment to = {0};
    bool aside = false;
    int rc = m->count > 1 ? read_sources(s, m, &to, &aside, e) : -EAGAIN;
    rc = rc ? rc : write_merged(s, m, &to, e);
    segment_deinit(&to);
    if (aside)
        return 0;
    if (rc == -EAGAIN)
        return catalogue_leave(s->catalogue, m, e);
    for (uint32_t i = 0; !rc && i < m->count; i++)
        merge_note_gone(s, m->dictionary, m->segments[i], false);
    return rc;
}

static struct catalogue_merge_rule rule_of(const struct store *s)
{
    struct catalogue_merge_rule rule = s->options.merge;
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S);
    rule.same = rule.same ? rule.same : SAME;
    rule.all = rule.all ? rule.all : ALL;
    rule.rows = rule.rows ? rule.rows : ROWS;
    rule.ended = (now - LATE_S) / SECONDS_PER_DAY;
    return rule;
}

/* Finds the next set. A search begins where the one before has ended, and looks at all once before it gives up. */
static int next_set(struct store *s, const struct catalogue_merge_rule *rule, struct catalogue_merge *m, struct error *e)
{
    int rc = catalogue_mergeable(s->catalogue, rule, s->merge_from, m, e);
    if (!rc && !m->count && s->merge_from)
        rc = catalogue_mergeable(s->catalogue, rule, 0, m, e);
    s->merge_from = m->count ? m->dictionary : 0;
    return rc;
}

bool merge_some(struct store *s)
{
    struct catalogue_merge_rule rule = rule_of(s);
    struct catalogue_merge *m = malloc(sizeof *m);
    struct error e;
    uint64_t end = clock_monotonic_ns() + PATIENCE_NS;
    int rc = m ? 0 : error_set(&e, -ENOMEM, "merging: out of memory");
    bool more = s->rows->merges;
    while (!rc && more && !store_is_stopping(s) && clock_monotonic_ns() < end) {
        rc = next_set(s, &rule, m, &e);
        more = !rc && m->count;
        rc = more ? merge_set(s, m, &e) : rc;
    }
    if (rc && !s->merging_failed)
        store_tell(s, "merging segments: %s", e.text);
    s->merging_failed = rc;
    remove_gone(s);
    free(m);
    return more && !rc;
}

/* ---- files that the catalog does not know ---- */

static int note_rollup(void *context, const struct catalogue_rollup_file *f)
{
    bool added;
    return map_add(context, f->number, &added) ? 0 : -ENOMEM;
}

static int note_segment(void *context, uint64_t segment)
{
    bool added;
    return map_add(context, segment, &added) ? 0 : -ENOMEM;
}

/* Reads a number that is followed by `end`. Returns 0 if the name is anything else. */
static uint64_t number_of(const char *name, const char *end)
{
    uint64_t number;
    return number_take(&name, 10, 0, UINT64_MAX, &number) || strcmp(name, end) ? 0 : number;
}

static void sweep_files(const char *folder, const struct map *known)
{
    char path[2 * DISK_PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        uint64_t segment = number_of(entry->d_name, ".seg"), number = segment ? segment : number_of(entry->d_name, ".roll");
        bool stray = number ? !map_find(known, number) : strstr(entry->d_name, ".new") != NULL;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stray)
            disk_remove(path);
    }
    if (dir)
        closedir(dir);
}

static void sweep_folder(struct store *s, const char *name)
{
    uint64_t dictionary = number_of(name, "");
    char path[DISK_PATH_MAX];
    struct map known;
    struct error e;
    bool is_known;
    if (!dictionary || dictionary > UINT32_MAX)
        return;
    map_init(&known);
    int rc = catalogue_segments(s->catalogue, (uint32_t)dictionary, &is_known, note_segment, &known, &e);
    rc = rc ? rc : catalogue_rollup_files_in(s->catalogue, (uint32_t)dictionary, note_rollup, &known, &e);
    store_dictionary_path(s, path, (uint32_t)dictionary);
    if (!rc && is_known)
        sweep_files(path, &known);
    else if (!rc)
        s->rows->remove_dictionary(s, (uint32_t)dictionary);
    map_deinit(&known);
}

void merge_sweep(struct store *s)
{
    char path[DISK_PATH_MAX];
    DIR *dir = opendir(store_path(s, path, "segments"));
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        sweep_folder(s, entry->d_name);
    if (dir)
        closedir(dir);
}
