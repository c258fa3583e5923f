/* A recording is followed while it is written, and examined after each of the writer's system calls, by a daemon that is killed all the
 * time: every event arrives exactly once, and the books add up.
 * tier: quick
 * timeout: 300 */
#include "base/time_units.h"
#include "daemon/spool/follow.h"
#include "jfr/read/reader.h"

#include "jfr_sample.h"
#include "jfr_watch.h"

#include "../tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { ROUNDS = 6, ROUNDS_PER_CHUNK = 3, BASE_CPU_NS = 250000000, BASE_FAILED = 3 };

static char path[] = "/tmp/candor-test-XXXXXX";
static int folder;
static struct outbox outbox;
static struct follow follow;
static struct live live;
static struct follow_gain gain;
static unsigned failures, moments;
static char state[1 << 16];
static ssize_t state_size;

/* ---- a daemon that is killed ---- */

/* A daemon that was killed before it wrote its state has freed no space in the file. */
int fallocate(int fd, int mode, off_t offset, off_t len)
{
    return 0;
}

static void read_state(void)
{
    char name[64];
    snprintf(name, sizeof name, "%s.state", live.id);
    int fd = openat(folder, name, O_RDONLY);
    state_size = read(fd, state, sizeof state);
    close(fd);
}

static void write_state(void)
{
    char name[64];
    snprintf(name, sizeof name, "%s.state", live.id);
    int fd = openat(folder, name, O_WRONLY | O_TRUNC);
    failures += write(fd, state, (size_t)state_size) != state_size;
    close(fd);
}

/* The next daemon: it knows only what is on the disk. */
static void start_anew(void)
{
    char id[LIVE_ID];
    struct error e;
    memcpy(id, live.id, sizeof id);
    live_close(&live);
    outbox_close(&outbox);
    failures += outbox_open(&outbox, folder, 1 << 30, &e) != 0;
    failures += live_open(&live, folder, id, &e) != 0;
    failures += follow_recover(&follow, &live, &e) != 0;
}

static void look(void)
{
    struct error e = {""};
    uint64_t before = gain.recordings;
    int code;
    read_state();
    code = follow_take(&follow, &live, false, &gain, &e);
    if (code && code != -EBADMSG) /* before the first header there is none */
        failures++;
    if (moments % 3 == 1 && gain.recordings - before <= 1)
        write_state(); /* it was killed after spooling, before it wrote the state */
    if (moments % 3)
        start_anew();
    moments++;
}

/* ---- what has arrived ---- */

struct sums {
    uint64_t recordings, samples, weight, executions, thread_cpu, bases, settings, logs, problems, unnamed;
    int64_t cpu_ns, residual_ns;
    uint64_t failed_count;
    uint8_t seen[ROUNDS][SAMPLE_CPU_SAMPLES];
};

static void take_sample(struct sums *s, struct jfr_event *event)
{
    uint64_t ticks = (uint64_t)jfr_value_int(jfr_event_value(event, jfr_type_field(event->type, "startTime")));
    uint64_t since = ticks - SAMPLE_START_TICKS;
    uint64_t round = since / SAMPLE_TICKS_PER_SECOND, i = since % SAMPLE_TICKS_PER_SECOND / 10000000;
    struct jfr_value stack = jfr_event_value(event, jfr_type_field(event->type, "stackTrace"));
    s->samples++;
    s->weight += (uint64_t)jfr_value_int(jfr_event_value(event, jfr_type_field(event->type, "weight")));
    s->unnamed += jfr_value_none(stack);
    if (round < ROUNDS && i < SAMPLE_CPU_SAMPLES)
        s->seen[round][i]++;
}

/* Of the lines in one recording the last one counts. */
struct books {
    int64_t cpu, residual, failed;
};

static void take_book(struct books *b, struct jfr_event *event)
{
    struct jfr_text account = jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "account")));
    int64_t ns = jfr_value_int(jfr_event_value(event, jfr_type_field(event->type, "time")));
    if (account.len == 3)
        b->cpu = ns;
    else if (account.len == 8)
        b->residual = ns;
    else
        b->failed = jfr_value_int(jfr_event_value(event, jfr_type_field(event->type, "count")));
}

static void take_recording(struct sums *s, const void *bytes, size_t size)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct error e;
    struct books books = {0};
    struct jfr_event event;
    problems = (struct jfr_problems){0};
    uint64_t settings = 0;
    if (jfr_file_open_memory(&file, bytes, size, "a slice", &problems, &e) || jfr_chunk_open(&chunk, file, 0, &problems, &e) || !chunk) {
        s->problems++;
        return;
    }
    for (struct jfr_cursor at = jfr_cursor_init(chunk); jfr_cursor_next(&at, &event);) {
        const char *name = event.type->name;
        if (!strcmp(name, "candor.CpuSample"))
            take_sample(s, &event);
        else if (!strcmp(name, "candor.BookLine"))
            take_book(&books, &event);
        s->executions += !strcmp(name, "jdk.ExecutionSample");
        s->thread_cpu += !strcmp(name, "candor.ThreadCpu");
        s->bases += !strcmp(name, "candor.BookBase") || !strcmp(name, "candor.ThreadBase");
        s->logs += !strcmp(name, "candor.Log");
        settings += !strcmp(name, "candor.Setting");
    }
    s->settings += settings == 2;
    s->cpu_ns += books.cpu;
    s->residual_ns += books.residual;
    s->failed_count += (uint64_t)books.failed;
    s->problems += problems.count + (jfr_file_chunks(file) != 1) + !jfr_chunk_get_info(chunk)->whole;
    s->recordings++;
    jfr_chunk_close(chunk);
    jfr_file_close(file);
}

static void take_all(struct sums *s)
{
    static struct outbox_letter letter;
    static uint8_t packed[1 << 20], plain[1 << 22];
    while (!outbox_next(&outbox, "", &letter)) {
        ssize_t n = pread(letter.fd, packed, letter.size, (off_t)letter.offset);
        size_t size = ZSTD_decompress(plain, sizeof plain, packed, (size_t)n);
        if (n != (ssize_t)letter.size || ZSTD_isError(size))
            s->problems++;
        else
            take_recording(s, plain, size);
        outbox_done(&outbox, &letter);
    }
}

static bool each_once(const struct sums *s)
{
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < SAMPLE_CPU_SAMPLES; i++)
            if (s->seen[r][i] != 1)
                return false;
    return true;
}

/* ---- the test ---- */

static void begin(int *passed)
{
    struct error e;
    folder = open(path, O_RDONLY | O_DIRECTORY);
    live = (struct live){.fd = -1, .pid = getpid(), .start = 1, .name = "Main", .query = "service=shop&host=h"};
    follow = (struct follow){.outbox = &outbox, .live_folder = folder};
    gain = (struct follow_gain){0};
    failures = moments = 0;
    tap_ok(!outbox_open(&outbox, folder, 1 << 30, &e) && !live_create(&live, folder, passed, &e), "a recording and its state");
}

/* A recording that begins beside others. */
static void write_bases(struct jfr_writer *w)
{
    jfr_write_book_base(w, SAMPLE_START_TICKS, "cpu", "", BASE_CPU_NS, 0);
    jfr_write_book_base(w, SAMPLE_START_TICKS, "failed", "not_walkable", 1000000, BASE_FAILED);
    jfr_write_thread_base(w, SAMPLE_START_TICKS, 1, 1000000, 1);
}

static void write_recording(int passed, bool beside)
{
    struct error e;
    struct jfr_writer_options options = {
        .ticks_per_second = SAMPLE_TICKS_PER_SECOND, .start_ticks = SAMPLE_START_TICKS, .start_epoch_ns = SAMPLE_START_EPOCH_NS};
    struct jfr_pools pools = sample_pools();
    struct jfr_writer *w = NULL;
    jfr_writer_new(&w, passed, &options, &pools, &e);
    if (beside)
        write_bases(w);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t ticks = SAMPLE_START_TICKS + (i + 1) * (uint64_t)SAMPLE_TICKS_PER_SECOND;
        sample_round(w, i);
        if (i % ROUNDS_PER_CHUNK == ROUNDS_PER_CHUNK - 1)
            jfr_writer_rotate(w, ticks, SAMPLE_START_EPOCH_NS + ticks - SAMPLE_START_TICKS, &e);
        else
            jfr_writer_flush(w, ticks, &e);
    }
    jfr_writer_close(w, SAMPLE_START_TICKS + 9 * (uint64_t)SAMPLE_TICKS_PER_SECOND, &e);
}

static void test_following(bool page_by_page, bool beside)
{
    static struct sums sums;
    struct error e = {""};
    int passed;
    begin(&passed);
    jfr_watch = (struct jfr_watch){.look = look, .page_by_page = page_by_page};
    write_recording(passed, beside);
    jfr_watch = (struct jfr_watch){0};
    tap_ok(!failures && moments > 50, "looked at after each of %u writes", moments);
    tap_ok(!follow_take(&follow, &live, true, &gain, &e), "the rest, when nobody writes any more (%s)", e.text);
    uint64_t recordings = gain.recordings;
    tap_ok(!follow_take(&follow, &live, true, &gain, &e) && gain.recordings == recordings, "of which there is no more");
    sums = (struct sums){0};
    take_all(&sums);
    tap_ok(sums.recordings > ROUNDS_PER_CHUNK && !sums.problems, "%llu recordings, each whole", (unsigned long long)sums.recordings);
    tap_ok(each_once(&sums) && sums.samples == ROUNDS * SAMPLE_CPU_SAMPLES, "every sample is in exactly one (%llu)",
           (unsigned long long)sums.samples);
    tap_ok(sums.executions == ROUNDS * SAMPLE_EXECUTION_SAMPLES && sums.logs == 1, "so are other events");
    tap_ok(sums.weight == (uint64_t)ROUNDS * (SAMPLE_CPU_SAMPLES * 10000000ull + SAMPLE_CPU_SAMPLES * (SAMPLE_CPU_SAMPLES - 1) / 2),
           "the weights add up");
    tap_ok(!sums.unnamed && !sums.thread_cpu, "with their stacks, and without what is of a whole life");
    tap_ok(sums.cpu_ns == ROUNDS * 600000000ll - beside * BASE_CPU_NS && sums.residual_ns == -1234567 &&
               sums.failed_count == ROUNDS * 10 - (uint64_t)beside * BASE_FAILED && !sums.bases,
           "the books add up to the recording's");
    tap_ok(sums.settings > 0, "how it was made stands in recordings");
    live_remove(&live, folder);
    outbox_close(&outbox);
    close(folder);
}

/* Data that a hostile JVM may write. */
static void test_rubbish(void)
{
    static uint8_t bytes[1 << 16];
    struct error e = {""};
    int passed;
    uint64_t seed = 42;
    begin(&passed);
    for (size_t i = 0; i < sizeof bytes; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(seed >> 56);
    }
    tap_ok(write(passed, bytes, sizeof bytes) == sizeof bytes && follow_take(&follow, &live, true, &gain, &e) == -EBADMSG && *e.text,
           "rubbish is no recording: %s", e.text);
    static const uint8_t huge[68] = {'F', 'L', 'R', 0, 0, 2, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, [63] = 1, [67] = 1};
    tap_ok(pwrite(passed, huge, sizeof huge, 0) == sizeof huge && !ftruncate(passed, (off_t)1 << 31) &&
               follow_take(&follow, &live, true, &gain, &e) == -EFBIG,
           "nor is a chunk of a gigabyte: %s", e.text);
    tap_ok(!gain.recordings && !outbox.count, "nothing of it was spooled");
    close(passed);
    live_remove(&live, folder);
    outbox_close(&outbox);
    close(folder);
}

/* Any bytes of a chunk are changed. Whatever the result is, it is read to its end and not beyond. */
static void test_damage(void)
{
    static struct sums sums;
    struct error e;
    char name[64];
    uint64_t seed = 1, made = 0, events = 0;
    snprintf(name, sizeof name, "%s/sample.jfr", path);
    tap_ok(!sample_write(name, 1, 2, &e), "a recording to damage");
    int fd = open(name, O_RDONLY);
    size_t size = (size_t)lseek(fd, 0, SEEK_END), end;
    uint8_t *whole = malloc(size), *bytes = malloc(size);
    tap_ok(pread(fd, whole, size, 0) == (ssize_t)size, "of %zu bytes", size);
    for (int i = 0; i < 3000; i++) {
        struct jfr_window window = {(uint64_t)i * 7 % size, 0, NS_PER_S};
        struct jfr_books books = {0};
        struct jfr_slice slice = {0};
        struct jfr_chunk_header head;
        memcpy(bytes, whole, size);
        for (int n = 0; n <= i % 8; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[(seed >> 33) % size] = (uint8_t)(seed >> 20);
        }
        if (!jfr_slice_header(bytes, &head) || jfr_slice_extent(bytes, size, i % 2, &end) ||
            jfr_slice_make(bytes, end, &window, &books, &slice, &e))
            continue;
        made += slice.bytes != NULL;
        events += slice.events;
        if (slice.bytes)
            take_recording(&sums, slice.bytes, slice.size);
        free(slice.bytes);
    }
    tap_ok(made > 500 && events, "of 3000 damaged chunks %llu gave a slice", (unsigned long long)made);
    free(whole);
    free(bytes);
    close(fd);
    unlink(name);
}

int main(void)
{
    if (!mkdtemp(path))
        return 1;
    test_damage();
    test_following(false, false);
    test_following(true, false);
    test_following(false, true);
    test_rubbish();
    tap_ok(!rmdir(path), "nothing stays behind");
    return tap_done();
}
