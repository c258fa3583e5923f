/* A recording that is read while it is written: whatever the writer has just done to the file, the reader gets each event once and
 * whole, and reads nothing again except the tail.
 * tier: quick
 * timeout: 120 */
#include "jfr_sample.h"
#include "jfr_watch.h"

#include "../tap.h"
#include "jfr/read/follow.h"
#include "jfr/write/writer_tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNKS = 4, FLUSHES = 5 };

struct tally {
    uint64_t events, samples, weight, named, begun;
};

static struct tally live;
static struct jfr_follow *follow;
static unsigned looks, failures;
static char path[64];

static void add(struct tally *t, struct jfr_event *event)
{
    bool sample = !strcmp(event->type->name, "candor.CpuSample");
    t->events += strcmp(event->type->name, "candor.Padding") != 0;
    if (!sample)
        return;
    struct jfr_stack stack;
    struct jfr_frame_info frame;
    struct jfr_thread_info thread;
    struct jfr_value trace = jfr_event_value(event, jfr_type_field(event->type, "stackTrace"));
    struct jfr_value who = jfr_event_value(event, jfr_type_field(event->type, "eventThread"));
    t->samples++;
    t->weight += (uint64_t)jfr_value_int(jfr_event_value(event, jfr_type_field(event->type, "weight")));
    t->named += jfr_stack_of(trace, &stack) && jfr_stack_next(&stack, &frame) && jfr_thread_of(who, &thread) && thread.os_name.len &&
                jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "outcome"))).len;
}

/* Takes what there is. */
static void look(void)
{
    struct jfr_news news;
    struct jfr_event event;
    struct error e;
    int rc;
    while (follow && !(rc = jfr_follow_next(follow, &news, &e)) && news.chunk) {
        live.begun += news.begun;
        while (jfr_cursor_next(&news.cursor, &event))
            add(&live, &event);
    }
    failures += follow && rc;
    looks++;
}

static struct tally whole_file(void)
{
    struct tally t = {0};
    struct jfr_file *file;
    struct error e;
    if (jfr_file_open(&file, path, NULL, &e)) {
        tap_ok(false, "the file is a recording: %s", e.text);
        return t;
    }
    for (uint32_t i = 0; i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk = NULL;
        struct jfr_event event;
        if (jfr_chunk_open(&chunk, file, i, NULL, &e) || !chunk)
            continue;
        t.begun++;
        for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);)
            add(&t, &event);
        jfr_chunk_close(chunk);
    }
    jfr_file_close(file);
    return t;
}

static bool start(bool joined)
{
    struct error e;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return tap_ok(fd >= 0 && !jfr_follow_new(&follow, fd, joined, &e), "the file can be followed");
}

static void test_growing(bool page_by_page)
{
    struct error e;
    struct stat st;
    const char *how = page_by_page ? "pages that come one by one" : "whole writes";
    close(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    if (!start(false))
        return;
    live = (struct tally){0};
    looks = 0;
    jfr_watch = (struct jfr_watch){.look = look, .page_by_page = page_by_page};
    tap_ok(!sample_write(path, CHUNKS, FLUSHES, &e), "%s: written", how);
    jfr_watch = (struct jfr_watch){0};
    look();
    struct tally all = whole_file();
    tap_ok(all.samples == CHUNKS * FLUSHES * SAMPLE_CPU_SAMPLES && live.samples == all.samples && live.weight == all.weight,
           "%s: every sample, once (%llu of %llu, looked %u times)", how, (unsigned long long)live.samples, (unsigned long long)all.samples,
           looks);
    tap_ok(live.events == all.events && live.begun == all.begun, "%s: every event and chunk (%llu of %llu)", how,
           (unsigned long long)live.events, (unsigned long long)all.events);
    tap_ok(live.named == all.named && all.named == all.samples, "%s: each with its stack, thread and outcome", how);
    tap_ok(!failures && looks > CHUNKS * FLUSHES * 3, "%s: no look failed", how);
    tap_ok(jfr_follow_ended(follow), "%s: the end is seen", how);
    tap_ok(!stat(path, &st) && jfr_follow_bytes(follow) == (uint64_t)st.st_size, "%s: the whole file was taken", how);
    jfr_follow_free(follow);
    follow = NULL;
}

/* The chunks before the one that is being written are skipped. */
static void test_joined(void)
{
    struct error e;
    struct jfr_writer *w = sample_open(path, &e);
    unsigned round = 0;
    uint64_t second = SAMPLE_TICKS_PER_SECOND;
    for (; w && round < 4; round++) {
        sample_round(w, round);
        if (round % 2)
            jfr_writer_rotate(w, SAMPLE_START_TICKS + (round + 1) * second, SAMPLE_START_EPOCH_NS, &e);
    }
    sample_round(w, round++);
    jfr_writer_flush(w, SAMPLE_START_TICKS + round * second, &e);
    if (!start(true))
        return;
    live = (struct tally){0};
    look();
    tap_ok(live.samples == SAMPLE_CPU_SAMPLES && live.begun == 1, "joined: only the chunk that is written (%llu samples)",
           (unsigned long long)live.samples);
    sample_round(w, round++);
    jfr_writer_close(w, SAMPLE_START_TICKS + round * second, &e);
    look();
    tap_ok(live.samples == 2 * SAMPLE_CPU_SAMPLES && live.begun == 1 && jfr_follow_ended(follow), "and what comes, up to the end");
    jfr_follow_free(follow);
    follow = NULL;
}

/* The content may end anywhere in a page; padding then fills the page. */
static void test_ends(void)
{
    static char text[JFR_TAIL_PAGE];
    struct error e;
    unsigned endless = 0;
    for (size_t n = 1; n < sizeof text; n += 16) {
        struct jfr_writer *w = sample_open(path, &e);
        memset(text, 'x', n);
        jfr_write_log(w, SAMPLE_START_TICKS, "info", text);
        jfr_writer_close(w, SAMPLE_START_TICKS + 1, &e);
        if (jfr_follow_new(&follow, open(path, O_RDONLY | O_CLOEXEC), false, &e))
            break;
        look();
        look();
        endless += !jfr_follow_ended(follow);
        jfr_follow_free(follow);
        follow = NULL;
    }
    tap_ok(!endless, "the end of a file of any size is seen (%u have none)", endless);
}

static void test_no_recording(void)
{
    struct error e;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    tap_ok(write(fd, "hello, world", 12) == 12 && jfr_follow_new(&follow, fd, false, &e) && !follow, "what is no recording is refused");
    follow = NULL;
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/candor-follow-%d.jfr", getpid());
    test_growing(false);
    test_growing(true);
    test_joined();
    test_ends();
    test_no_recording();
    unlink(path);
    return tap_done();
}
