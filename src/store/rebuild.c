/* Finds out what is missing after the catalog was made anew. The segments of the old catalog name their recordings. If they name more
 * recordings of a day than were found again, the others are lost: the recordings had been deleted, although their samples stayed. Where
 * only roll-ups had stayed, they say how many recordings there were. Their labels are unknown, so every answer about that day reports
 * their number. */
#include "store/rollup/rollup.h"
#include "store/store_internal.h"

#include "base/array.h"
#include "base/map.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_SHIFT = 44 }; /* for keys in the map: days are below 2^20, recordings below 2^44 */

struct rebuild {
    struct map recordings; /* (day, recording) */
    struct map places;     /* day -> place in days */
    struct day {
        int64_t day;
        uint64_t recordings;
    } * days;
    uint32_t count, cap;
    uint64_t unread;         /* files and folders whose recordings are unknown */
    uint64_t last_recording; /* the highest id */
    uint64_t limit;          /* for ids */
    bool rollups;            /* look at roll-ups, too */
};

static int add_to_day(struct rebuild *n, int64_t day, uint64_t recordings)
{
    bool added;
    uint32_t *place = map_add(&n->places, (uint64_t)day, &added);
    if (!place || ARRAY_GROW(n->days, n->cap, n->count))
        return -ENOMEM;
    if (added) {
        *place = n->count;
        n->days[n->count++] = (struct day){.day = day};
    }
    n->days[*place].recordings += recordings;
    return 0;
}

static int note_recording(struct rebuild *n, int64_t day, uint64_t recording)
{
    bool added;
    if (recording > n->limit)
        return 0;
    n->last_recording = recording > n->last_recording ? recording : n->last_recording;
    if (!map_add(&n->recordings, (uint64_t)day << DAY_SHIFT | recording, &added))
        return -ENOMEM;
    return added ? add_to_day(n, day, 1) : 0;
}

/* What one folder has. Each roll-up has the recordings of one type, so the largest number is the least that there were. */
struct found {
    struct map recordings; /* that its segments name */
    int64_t day;           /* of its roll-ups */
    uint64_t rolled;
};

static int look_at_rollup(struct rebuild *n, const char *path, struct found *found)
{
    struct rollup_file f;
    struct error e;
    int rc = rollup_read(&f, path, &e);
    if (rc == -ENOMEM)
        return rc;
    if (rc) {
        n->unread++;
        return 0;
    }
    found->day = f.first / SECONDS_PER_DAY;
    found->rolled = f.recordings > found->rolled ? f.recordings : found->rolled;
    rollup_file_deinit(&f);
    return 0;
}

static int look_at_segment(struct rebuild *n, const char *path, struct found *found)
{
    struct segment g;
    struct error e;
    int rc = segment_read(&g, path, 0, &e);
    if (rc == -ENOMEM)
        return rc;
    if (rc) {
        n->unread++;
        return 0;
    }
    int64_t day = g.first / SECONDS_PER_DAY;
    for (uint32_t i = 0; !rc && day >= 0 && i < g.recording_count; i++) {
        bool added;
        rc = map_add(&found->recordings, g.recordings[i], &added) ? note_recording(n, day, g.recordings[i]) : -ENOMEM;
    }
    segment_deinit(&g);
    return rc;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

static int look_at_file(struct rebuild *n, const char *path, struct found *found)
{
    return ends_in(path, ".roll") && n->rollups ? look_at_rollup(n, path, found)
           : ends_in(path, ".seg")              ? look_at_segment(n, path, found)
                                                : 0;
}

/* Notes the recordings of all segments in a folder. depth: the number of levels of folders below this one. If roll-ups had more recordings
 * than the segments name, rows were deleted: the segments may be of parts that came later. */
static int look_at_folder(struct rebuild *n, const char *folder, int depth)
{
    char path[DISK_PATH_MAX];
    struct found found = {0};
    DIR *dir = opendir(folder);
    int rc = 0;
    n->unread += !dir;
    map_init(&found.recordings);
    for (struct dirent *entry; !rc && dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        rc = depth ? look_at_folder(n, path, depth - 1) : look_at_file(n, path, &found);
    }
    if (!rc && found.rolled > found.recordings.count && found.day >= 0)
        rc = add_to_day(n, found.day, found.rolled - found.recordings.count);
    map_deinit(&found.recordings);
    if (dir)
        closedir(dir);
    return rc;
}

int rebuild_look(struct rebuild **out, const char *segments, bool rollups, uint64_t limit, struct error *e)
{
    struct rebuild *n = *out = calloc(1, sizeof *n);
    if (n) {
        n->rollups = rollups;
        n->limit = limit;
    }
    return n && !look_at_folder(n, segments, 1) ? 0 : error_set(e, -ENOMEM, "out of memory");
}

uint64_t rebuild_last_recording(const struct rebuild *n)
{
    return n->last_recording;
}

int rebuild_note_missing(struct store *s, const struct rebuild *n, int64_t before_ns, struct rebuild_found *found, struct error *e)
{
    int rc = 0;
    *found = (struct rebuild_found){.unread = n->unread};
    for (uint32_t i = 0; !rc && i < n->count; i++) {
        uint64_t of_day;
        rc = catalogue_note_rebuilt(s->catalogue, n->days[i].day, n->days[i].recordings, before_ns, &of_day, e);
        found->missing += rc ? 0 : of_day;
    }
    return rc;
}

void rebuild_free(struct rebuild *n)
{
    if (!n)
        return;
    map_deinit(&n->recordings);
    map_deinit(&n->places);
    free(n->days);
    free(n);
}
