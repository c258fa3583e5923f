#include "daemon/discover.h"

#include "base/array.h"
#include "base/text/number.h"
#include "base/time_units.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 17, YOUNG_LOOKS = 12 };

static const uint64_t again_ns = 300 * NS_PER_S;

struct seen_process {
    pid_t pid;
    uint64_t start, look_at;
    char name[NAME];
    uint8_t looks;
    bool present;
};

void discover_deinit(struct discover *d)
{
    free(d->list);
    *d = (struct discover){0};
}

/* The format is "pid (name) state ppid ...". The name may contain any characters. The start time is the twenty-second field. */
int discover_parse_stat(const char *text, char *name, uint64_t *start)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return -EINVAL;
    snprintf(name, NAME, "%.*s", (int)(close - open - 1), open + 1);
    const char *at = close + 1;
    for (int field = 2; field < 21 && at; field++)
        at = strchr(at + 1, ' ');
    *start = 0;
    return at && (at++, !number_take(&at, 10, 0, UINT64_MAX, start)) ? 0 : -EINVAL;
}

static int read_stat(pid_t pid, char *name, uint64_t *start)
{
    char text[1024];
    ssize_t n = process_read_file(pid, "stat", text, sizeof text);
    return n < 0 || discover_parse_stat(text, name, start) ? -ESRCH : 0;
}

int discover_start_of(pid_t pid, uint64_t *start)
{
    char name[NAME];
    return read_stat(pid, name, start);
}

static uint64_t age_ns(uint64_t start)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    uint64_t born = start * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    uint64_t ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    return ns > born ? ns - born : 0;
}

/* Returns the place of a pid in the list, or the place where it belongs. */
static uint32_t place_of(const struct discover *d, pid_t pid)
{
    uint32_t low = 0, high = d->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (d->list[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct seen_process *entry_of(struct discover *d, pid_t pid)
{
    uint32_t i = place_of(d, pid);
    if (i < d->count && d->list[i].pid == pid)
        return &d->list[i];
    if (ARRAY_GROW(d->list, d->cap, d->count))
        return NULL;
    memmove(d->list + i + 1, d->list + i, (d->count - i) * sizeof *d->list);
    d->count++;
    d->list[i] = (struct seen_process){.pid = pid};
    return &d->list[i];
}

static int look_at(struct discover *d, pid_t pid, uint64_t now, discover_found *found, void *context)
{
    char name[NAME];
    uint64_t start;
    struct jvm jvm;
    if (read_stat(pid, name, &start))
        return 0;
    struct seen_process *seen = entry_of(d, pid);
    if (!seen)
        return -ENOMEM;
    seen->present = true;
    if (seen->start != start || strcmp(seen->name, name)) {
        seen->start = start;
        seen->look_at = 0;
        seen->looks = 0;
        memcpy(seen->name, name, NAME);
    }
    if (now < seen->look_at || age_ns(start) < d->min_age_ns)
        return 0;
    seen->look_at = ++seen->looks < YOUNG_LOOKS ? 0 : now + again_ns;
    seen->looks -= seen->looks == YOUNG_LOOKS;
    if (!jvm_read(pid, &jvm, NULL)) {
        seen->look_at = now + again_ns;
        found(context, &jvm, start);
    }
    return 0;
}

static void forget_gone(struct discover *d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->list[i].present) {
            d->list[kept] = d->list[i];
            d->list[kept++].present = false;
        }
    d->count = kept;
}

int discover_look(struct discover *d, uint64_t now, discover_found *found, void *context, struct error *e)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    int code = 0;
    if (!proc)
        return error_set(e, -EIO, "cannot read /proc: %s; mount it", strerror(errno));
    while (!code && (entry = readdir(proc)))
        if (isdigit((unsigned char)entry->d_name[0]))
            code = look_at(d, (pid_t)number_or_zero(entry->d_name), now, found, context);
    closedir(proc);
    forget_gone(d);
    return code ? error_set(e, code, "out of memory") : 0;
}
