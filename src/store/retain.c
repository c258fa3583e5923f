/* Forgetting by age and by disk. A day goes as a whole: its segments, its dictionaries, and recordings that have nothing else. */
#include "base/time_units.h"
#include "store/store_internal.h"

#include "base/text/units.h"

#include <inttypes.h>
#include <stdio.h>

static void remove_files(struct store *s, const struct catalogue_dropped *d)
{
    char path[DISK_PATH_MAX];
    for (uint32_t i = 0; i < d->dictionary_count; i++) {
        cache_drop(&s->cache, d->dictionaries[i]);
        disk_remove_directory(store_dictionary_path(s, path, d->dictionaries[i]));
    }
    for (uint32_t i = 0; i < d->identity_count; i++)
        disk_remove(store_recording_path(s, path, d->identities[i]));
}

static int drop_before(struct store *s, int64_t day, enum catalogue_why why, struct error *e)
{
    struct catalogue_dropped dropped;
    int rc = catalogue_drop_before(s->catalogue, day, why, &dropped, e);
    if (!rc) {
        remove_files(s, &dropped);
        if (dropped.dictionary_count)
            store_tell(s, "forgot %" PRIu32 " days of services and %" PRIu32 " recordings", dropped.dictionary_count,
                       dropped.identity_count);
    }
    catalogue_dropped_deinit(&dropped);
    return rc;
}

static uint64_t disk_used(const struct catalogue_sums *sums)
{
    return sums->recording_bytes + sums->segment_bytes + sums->dictionary_bytes;
}

/* The oldest day first; of the last one the recordings as they were sent, whose samples stay. */
static int fit_disk(struct store *s, struct error *e)
{
    struct catalogue_sums sums;
    struct catalogue_dropped dropped;
    uint64_t limit = s->options.max_disk;
    for (;;) {
        int rc = catalogue_sums(s->catalogue, &sums, e);
        if (rc || disk_used(&sums) <= limit)
            return rc;
        if (sums.oldest_day == sums.newest_day)
            break;
        rc = drop_before(s, sums.oldest_day + 1, FORGOTTEN_DISK, e);
        if (rc)
            return rc;
    }
    int rc = catalogue_drop_raw(s->catalogue, disk_used(&sums) - limit + limit / 20, &dropped, e);
    if (!rc)
        remove_files(s, &dropped);
    if (dropped.identity_count)
        store_tell(s, "--max-disk: %" PRIu32 " recordings of today are kept as samples only", dropped.identity_count);
    catalogue_dropped_deinit(&dropped);
    return rc;
}

void retain_all(struct store *s)
{
    struct error e;
    struct catalogue_sums sums;
    int64_t oldest = ((int64_t)(clock_realtime_ns() / NS_PER_S) - (int64_t)s->options.retain_s) / SECONDS_PER_DAY;
    int rc = catalogue_sums(s->catalogue, &sums, &e);
    if (!rc && sums.recordings && sums.oldest_day < oldest)
        rc = drop_before(s, oldest, FORGOTTEN_RETAIN, &e);
    if (!rc && s->options.max_disk)
        rc = fit_disk(s, &e);
    if (rc)
        store_tell(s, "%s", e.text);
}
