/* Deletes old data in tiers: first the recordings as they were sent, because their samples stay; then days of samples, the oldest first,
 * because their sums by hour and by day stay (rollup/); then these. Each tier is deleted when it is too old, and when there is too much
 * data. Samples that are too old wait up to a day for their sums.
 *
 * If a service exceeds its limit, its data is deleted. If all services together exceed the limit of the disk, data of the services that
 * have more than an equal share is deleted. A service with less than an equal share leaves the rest of it to the others. So a service
 * that writes much does not displace the history of others. The samples of the newest day always stay.
 *
 * Recordings that are evidence of open findings or of alerts are spared by the limits of recordings (their age, their size). The limits of
 * all data take them last.
 *
 * A day is deleted as a whole: its segments, its dictionaries unless sums need them, and recordings without data of other days. */
#include "store/catalogue/catalogue_keep.h"
#include "store/catalogue/catalogue_rollup.h"
#include "store/rollup/rollup.h"
#include "store/store_internal.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { WAIT_DAYS = 1 }; /* how long samples that are too old wait for their sums, for example when the server was down */
enum { SLACK = 20 };    /* one SLACKth of a limit is freed in addition, so that the next recording does not exceed the limit again */

static const char *const options[DELETED_REASONS] = {[DELETED_AGE] = "--retain-recordings",
                                                     [DELETED_RAW] = "--max-recordings",
                                                     [DELETED_QUOTA] = "--max-disk-per-service",
                                                     [DELETED_DISK] = "--max-disk"};

/* The limits of all data, also of recordings that are evidence. */
static const char *const limits[DELETED_REASONS] = {[DELETED_AGE] = "--retain",
                                                    [DELETED_RAW] = "--max-recordings",
                                                    [DELETED_QUOTA] = "--max-disk-per-service",
                                                    [DELETED_DISK] = "--max-disk"};

static const enum catalogue_why forgotten[DELETED_REASONS] =
    {[DELETED_AGE] = FORGOTTEN_RETAIN, [DELETED_QUOTA] = FORGOTTEN_QUOTA, [DELETED_DISK] = FORGOTTEN_DISK};

/* ---- deleting ---- */

struct store_deleted store_deleted(struct store *s)
{
    pthread_mutex_lock(&s->deleting);
    struct store_deleted copy = s->deleted;
    pthread_mutex_unlock(&s->deleting);
    return copy;
}

static void remove_files(struct store *s, const struct catalogue_dropped *d, enum store_why why)
{
    char path[DISK_PATH_MAX];
    for (uint32_t i = 0; i < d->file_count; i++)
        merge_note_gone(s, d->files[i].dictionary, d->files[i].number, d->files[i].rollup);
    for (uint32_t i = 0; i < d->dictionary_count; i++) {
        cache_drop(&s->cache, d->dictionaries[i]);
        s->rows->remove_dictionary(s, d->dictionaries[i]);
    }
    for (uint32_t i = 0; i < d->identity_count; i++)
        disk_remove(store_recording_path(s, path, d->identities[i]));
    if (d->evidence_count)
        store_tell(s, "%s: %" PRIu32 " recordings that are evidence of open findings or of alerts are gone", limits[why],
                   d->evidence_count);
    pthread_mutex_lock(&s->deleting);
    s->deleted.evidence += d->evidence_count;
    s->deleted.days[why] += d->day_count;
    s->deleted.raw_files[why] += d->raw_bytes ? d->identity_count : 0;
    s->deleted.raw_bytes[why] += d->raw_bytes;
    pthread_mutex_unlock(&s->deleting);
}

static int drop_days(struct store *s, uint64_t service, int64_t before, enum store_why why, struct error *e)
{
    struct catalogue_dropped dropped;
    int rc = catalogue_drop_before(s->catalogue, service, before, forgotten[why], &dropped, e);
    /* Dictionaries of roll-ups are written without waiting for the disk, because recordings contain the same. */
    bool synced = !rc && dropped.file_count && dropped.identity_count;
    if (synced) {
        rc = disk_sync_all(s->path, e);
        s->files_stay |= rc != 0;
    }
    if (!rc) {
        remove_files(s, &dropped, why);
        rc = synced ? disk_sync_all(s->path, e) : 0;
        rc = rc || !dropped.identity_count || s->files_stay ? rc : catalogue_gone(s->catalogue, e);
        if (dropped.day_count)
            store_tell(s, "forgot %" PRIu32 " days of services and %" PRIu32 " recordings", dropped.day_count, dropped.identity_count);
    }
    catalogue_dropped_deinit(&dropped);
    return rc;
}

static int drop_rollups(struct store *s, uint64_t service, uint32_t step, int64_t before, enum store_why why, struct error *e)
{
    struct catalogue_dropped dropped;
    int rc = catalogue_drop_rollups(s->catalogue, service, step, before, forgotten[why], &dropped, e);
    if (!rc)
        remove_files(s, &dropped, why);
    catalogue_dropped_deinit(&dropped);
    return rc;
}

/* Deletes recordings as they were sent that have at least `bytes` bytes together, but not, with spares_evidence, those that are evidence
 * of open findings or kept for alerts. *freed: their size. */
static int drop_raw(struct store *s, uint64_t service, int64_t before, uint64_t bytes, bool spares_evidence, enum store_why why,
                    uint64_t *freed, struct error *e)
{
    uint64_t files = 0;
    bool more = true;
    int rc = 0;
    *freed = 0;
    while (!rc && more && *freed < bytes && !store_is_stopping(s)) {
        struct catalogue_dropped dropped;
        rc = catalogue_drop_raw(s->catalogue, service, before, bytes - *freed, spares_evidence, &dropped, e);
        /* Segments are written without waiting for the disk, because the recordings contain the same samples. So segments must be on the
         * disk before the recordings are removed. */
        if (!rc && dropped.identity_count)
            rc = disk_sync_all(s->path, e);
        if (!rc)
            remove_files(s, &dropped, why);
        *freed += dropped.raw_bytes;
        files += dropped.identity_count;
        more = dropped.identity_count == CATALOGUE_DROP_MAX;
        catalogue_dropped_deinit(&dropped);
    }
    if (files)
        store_tell(s, "%s: %" PRIu64 " recordings are kept as samples only", options[why], files);
    return rc;
}

/* ---- how much each service has ---- */

struct service {
    uint64_t id, raw, rows; /* in bytes; raw: recordings as they were sent; rows: samples, their sums, and what they refer to */
    int64_t oldest_day, oldest_hours, oldest_days; /* of rows, and of roll-ups */
};

struct services {
    struct service *list;
    uint32_t count, cap;
    uint64_t raw, all; /* sums over all services */
};

static int note_service(void *context, const struct catalogue_usage *u)
{
    struct services *all = context;
    if (ARRAY_GROW(all->list, all->cap, all->count))
        return -ENOMEM;
    struct service one = {.id = u->service,
                          .raw = u->raw_bytes,
                          .rows = u->segment_bytes + u->dictionary_bytes + u->rollup_bytes,
                          .oldest_day = u->oldest_day,
                          .oldest_hours = u->oldest_hours,
                          .oldest_days = u->oldest_days};
    all->list[all->count++] = one;
    all->raw += one.raw;
    all->all += one.raw + one.rows;
    return 0;
}

/* Reads the list again. The caller calls free(all->list) after the last reading. */
static int read_services(struct store *s, struct services *all, struct error *e)
{
    all->count = 0;
    all->raw = all->all = 0;
    int rc = catalogue_usage(s->catalogue, note_service, all, e);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

static uint64_t raw_of(const struct service *one)
{
    return one->raw;
}

static uint64_t all_of(const struct service *one)
{
    return one->raw + one->rows;
}

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Computes the share: the most bytes that each service may have so that all services together have at most `budget`. */
static int find_share(const struct services *all, uint64_t of(const struct service *one), uint64_t budget, uint64_t *share, struct error *e)
{
    uint64_t *bytes = malloc(((size_t)all->count + 1) * sizeof *bytes);
    if (!bytes)
        return error_set(e, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < all->count; i++)
        bytes[i] = of(&all->list[i]);
    qsort(bytes, all->count, sizeof *bytes, ascending);
    *share = UINT64_MAX;
    for (uint32_t i = 0; i < all->count && *share == UINT64_MAX; i++) {
        uint64_t equal = budget / (all->count - i);
        if (bytes[i] > equal)
            *share = equal;
        else
            budget -= bytes[i];
    }
    free(bytes);
    return 0;
}

/* ---- limits ---- */

static uint64_t with_slack(uint64_t limit)
{
    return limit - limit / SLACK;
}

/* Reads again how many bytes the service has, and its oldest day. */
static int look_again(struct store *s, struct service *one, struct error *e)
{
    struct services all = {0};
    int rc = read_services(s, &all, e);
    *one = (struct service){.id = one->id, .oldest_day = INT64_MAX, .oldest_hours = INT64_MAX, .oldest_days = INT64_MAX};
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i].id == one->id)
            *one = all.list[i];
    free(all.list);
    return rc;
}

static int64_t oldest_rollup(const struct service *one)
{
    return one->oldest_hours < one->oldest_days ? one->oldest_hours : one->oldest_days;
}

/* Deletes data of a service until it has `most` bytes, or until only the samples of the newest day are left. */
static int shrink(struct store *s, struct service one, uint64_t most, int64_t newest_day, enum store_why why, struct error *e)
{
    uint64_t freed;
    uint64_t excess = all_of(&one) - most;
    int rc = one.raw ? drop_raw(s, one.id, INT64_MAX, excess, true, why, &freed, e) : 0;
    if (!rc && one.raw && freed < excess)
        rc = drop_raw(s, one.id, INT64_MAX, excess - freed, false, why, &freed, e);
    rc = rc ? rc : look_again(s, &one, e);
    while (!rc && all_of(&one) > most && one.oldest_day < newest_day && !store_is_stopping(s)) {
        rc = drop_days(s, one.id, one.oldest_day + 1, why, e);
        rc = rc ? rc : look_again(s, &one, e);
    }
    while (!rc && all_of(&one) > most && oldest_rollup(&one) < newest_day && !store_is_stopping(s)) {
        int64_t before = oldest_rollup(&one) + 1;
        rc = drop_rollups(s, one.id, ROLLUP_HOUR, before, why, e);
        rc = rc ? rc : drop_rollups(s, one.id, ROLLUP_DAY, before, why, e);
        rc = rc ? rc : look_again(s, &one, e);
    }
    return rc;
}

static int fit_services(struct store *s, const struct services *all, int64_t newest_day, struct error *e)
{
    uint64_t limit = s->options.limits.max_service;
    int rc = 0;
    for (uint32_t i = 0; limit && !rc && i < all->count; i++)
        if (all_of(&all->list[i]) > limit)
            rc = shrink(s, all->list[i], with_slack(limit), newest_day, DELETED_QUOTA, e);
    return rc;
}

static int fit_raw(struct store *s, const struct services *all, struct error *e)
{
    uint64_t limit = s->options.limits.max_raw, share, freed;
    int rc = 0;
    if (!limit || all->raw <= limit)
        return 0;
    rc = find_share(all, raw_of, with_slack(limit), &share, e);
    for (uint32_t i = 0; !rc && i < all->count; i++)
        if (all->list[i].raw > share)
            rc = drop_raw(s, all->list[i].id, INT64_MAX, all->list[i].raw - share, true, DELETED_RAW, &freed, e);
    return rc;
}

static int fit_disk(struct store *s, const struct services *all, int64_t newest_day, struct error *e)
{
    uint64_t limit = s->options.limits.max_disk, share;
    if (!limit || all->all <= limit)
        return 0;
    int rc = find_share(all, all_of, with_slack(limit), &share, e);
    for (uint32_t i = 0; !rc && i < all->count; i++)
        if (all_of(&all->list[i]) > share)
            rc = shrink(s, all->list[i], share, newest_day, DELETED_DISK, e);
    return rc;
}

static int fit_all(struct store *s, struct error *e)
{
    struct services all = {0};
    struct catalogue_sums sums;
    int64_t today = (int64_t)(clock_realtime_ns() / NS_PER_S) / SECONDS_PER_DAY;
    int rc = catalogue_sums(s->catalogue, &sums, e);
    int64_t newest_day = sums.newest_day < today ? sums.newest_day : today; /* the clock of a host may be ahead */
    rc = rc ? rc : read_services(s, &all, e);
    rc = rc ? rc : fit_services(s, &all, newest_day, e);
    rc = rc ? rc : read_services(s, &all, e);
    rc = rc ? rc : fit_raw(s, &all, e);
    rc = rc ? rc : read_services(s, &all, e);
    rc = rc ? rc : fit_disk(s, &all, newest_day, e);
    free(all.list);
    return rc;
}

/* ---- age ---- */

/* Deletes old days of a service, each when it has roll-ups, or has waited for them long enough. */
static int drop_days_of(struct store *s, struct service one, int64_t oldest, struct error *e)
{
    int rc = 0;
    if (!s->options.limits.retain_hours_s)
        return drop_days(s, one.id, oldest, DELETED_AGE, e);
    while (!rc && one.oldest_day < oldest && !store_is_stopping(s)) {
        bool covers = true;
        if (one.oldest_day >= oldest - WAIT_DAYS)
            rc = catalogue_rollup_covers(s->catalogue, one.id, one.oldest_day, &covers, e);
        if (rc || !covers)
            return rc;
        rc = drop_days(s, one.id, one.oldest_day + 1, DELETED_AGE, e);
        rc = rc ? rc : look_again(s, &one, e);
    }
    return rc;
}

/* Deletes old days service by service. So the catalog is locked for only one service at a time, and new recordings wait no longer than
 * that. */
static int drop_old_days(struct store *s, int64_t oldest, struct error *e)
{
    struct services all = {0};
    int rc = read_services(s, &all, e);
    for (uint32_t i = 0; !rc && i < all.count && !store_is_stopping(s); i++)
        if (all.list[i].oldest_day < oldest)
            rc = drop_days_of(s, all.list[i], oldest, e);
    free(all.list);
    return rc;
}

static int drop_old_rollups(struct store *s, int64_t now, struct error *e)
{
    int64_t hours = (now - (int64_t)s->options.limits.retain_hours_s) / SECONDS_PER_DAY;
    int64_t days = s->options.limits.retain_hours_s ? (now - (int64_t)s->options.limits.retain_days_s) / SECONDS_PER_DAY : hours;
    struct services all = {0};
    int rc = read_services(s, &all, e);
    for (uint32_t i = 0; !rc && i < all.count && !store_is_stopping(s); i++) {
        const struct service *one = &all.list[i];
        if (one->oldest_hours < hours)
            rc = drop_rollups(s, one->id, ROLLUP_HOUR, hours, DELETED_AGE, e);
        if (!rc && one->oldest_days < days)
            rc = drop_rollups(s, one->id, ROLLUP_DAY, days, DELETED_AGE, e);
    }
    free(all.list);
    return rc;
}

static int drop_old(struct store *s, struct error *e)
{
    struct catalogue_sums sums;
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S), oldest = (now - (int64_t)s->retain_s) / SECONDS_PER_DAY;
    uint64_t freed;
    int rc = catalogue_sums(s->catalogue, &sums, e);
    if (!rc && sums.recordings && sums.oldest_day < oldest)
        rc = drop_old_days(s, oldest, e);
    rc = rc ? rc : drop_old_rollups(s, now, e);
    rc = rc ? rc : catalogue_keep_until(s->catalogue, now, e);
    if (!rc && s->options.limits.retain_raw_s)
        rc = drop_raw(s, 0, now - (int64_t)s->options.limits.retain_raw_s, UINT64_MAX, true, DELETED_AGE, &freed, e);
    return rc;
}

void retain_all(struct store *s)
{
    struct error e;
    int rc = drop_old(s, &e);
    rc = rc ? rc : fit_all(s, &e);
    if (rc)
        store_tell(s, "%s", e.text);
}
