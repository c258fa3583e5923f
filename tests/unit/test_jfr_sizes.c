/* What the writer saves bytes by: events' sizes of one byte where that is enough, and times that are no finer than asked for.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "jfr_sample.h"

#include "../tap.h"
#include "jfr/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 300, GRAIN = 1000 };
#define STEP_NS 1234567u

static const uint64_t start = 5000000999, start_epoch_ns = 1700000000123456789;

static int open_writer(struct jfr_writer **w, const char *path, uint64_t per_second, uint32_t grain, struct error *e)
{
    struct jfr_pools pools = sample_pools();
    struct jfr_writer_options options = {
        .ticks_per_second = per_second, .grain = grain, .start_ticks = start, .start_epoch_ns = start_epoch_ns};
    return jfr_writer_new(w, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &options, &pools, e);
}

/* A setting for each length of its value. */
static void write_all(const char *path, uint32_t grain, struct error *e)
{
    struct jfr_writer *w;
    char value[LONGEST + 1];
    uint64_t now = start;
    if (open_writer(&w, path, 1000000000, grain, e))
        return;
    memset(value, 'v', sizeof value);
    for (size_t n = 0; n <= LONGEST; n++, now += STEP_NS) {
        value[n] = 0;
        jfr_write_setting(w, now, "name", value);
        value[n] = 'v';
    }
    jfr_writer_close(w, now - STEP_NS, e);
}

struct found {
    unsigned events, lengths, times, outside, long_sizes;
};

/* The times of events are those that were given, to the grain, and within their chunk. */
static void check_event(struct jfr_event *event, const struct jfr_chunk_info *info, const uint8_t *bytes, uint32_t grain,
                        struct found *f)
{
    struct jfr_text value = jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "value")));
    uint64_t ticks = start + f->events * (uint64_t)STEP_NS;
    int64_t expected = (int64_t)(start_epoch_ns + (ticks / grain - start / grain) * grain), time = jfr_event_epoch_ns(event);
    f->lengths += value.len == f->events;
    f->times += time == expected;
    f->outside += time < info->start_ns || time > info->start_ns + info->duration_ns;
    f->long_sizes += bytes[event->offset] >= 0x80 ? event->size <= 127 : event->size > 127;
    f->events++;
}

static void test_grain(const char *path, uint32_t grain)
{
    struct error e = {""};
    struct jfr_problems problems = {0};
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct jfr_event event;
    struct found f = {0};
    write_all(path, grain, &e);
    if (!tap_ok(!jfr_file_open(&file, path, &problems, &e) && !jfr_chunk_open(&chunk, file, 0, &problems, &e) && chunk,
                "grain %u: reads back %s", grain, e.text))
        return;
    const struct jfr_chunk_info *info = jfr_chunk_get_info(chunk);
    tap_ok(info->ticks_per_second == 1000000000 / grain && (uint64_t)info->start_ticks == start / grain &&
               (uint64_t)info->start_ns == start_epoch_ns,
           "the header's clock");
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);)
        if (!strcmp(event.type->name, "candor.Setting"))
            check_event(&event, info, jfr_file_bytes(file), grain, &f);
    tap_ok(f.events == LONGEST + 1 && f.lengths == f.events, "settings of every length up to %d: %u", LONGEST, f.lengths);
    tap_ok(f.times == f.events && !f.outside, "at their times: %u, %u of them outside of the chunk", f.times, f.outside);
    tap_ok(!f.long_sizes && !problems.count, "with sizes as short as can be");
    jfr_chunk_close(chunk);
    jfr_file_close(file);
}

int main(void)
{
    char path[] = "/tmp/candor-sizes-XXXXXX";
    struct jfr_writer *w;
    struct error e;
    close(mkstemp(path));
    test_grain(path, 1);
    test_grain(path, GRAIN);
    tap_ok(open_writer(&w, path, 1000, 300, &e) == -EINVAL, "a clock of 3.3 ticks per second: %s", e.text);
    unlink(path);
    return tap_done();
}
