/* The daemon's spool, and sending it: order, size limit, damage, positions, one user at a time, waits between attempts.
 * tier: quick
 * timeout: 60 */
#include "base/time_units.h"
#include "http/backoff.h"
#include "daemon/spool/live.h"
#include "daemon/spool/outbox.h"
#include "daemon/spool/ship.h"
#include "daemon/spool/spool_folder.h"

#include "../tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/candor-test-XXXXXX";
static struct spool_folder folder;
static struct outbox outbox;
static struct outbox_letter letter;
static char body[100000];

static int put(const char *id, uint64_t to, size_t size, char *name)
{
    struct error e;
    struct outbox_position at = {0, to, 5};
    int code = outbox_put(&outbox, id, &at, "service=shop&host=h", body, size, name, &e);
    if (!code)
        outbox_release(&outbox, name);
    return code;
}

static void reopen(uint64_t max)
{
    struct error e = {""};
    outbox_close(&outbox);
    tap_ok(!outbox_open(&outbox, folder.queue, max, &e), "opened again %s", e.text);
}

static unsigned files(void)
{
    unsigned n = 0;
    DIR *d = fdopendir(openat(folder.queue, ".", O_RDONLY | O_DIRECTORY));
    for (struct dirent *entry; (entry = readdir(d));)
        n += *entry->d_name != '.';
    closedir(d);
    return n;
}

static void test_folder(void)
{
    struct spool_folder second;
    struct error e;
    struct stat st;
    char inner[64];
    snprintf(inner, sizeof inner, "%s/a/spool", path);
    tap_ok(!spool_folder_open(&folder, inner, &e), "the spool is made");
    tap_ok(!stat(inner, &st) && (st.st_mode & 07777) == 0700, "for its user alone");
    tap_ok(spool_folder_open(&second, inner, &e) == -EBUSY && strstr(e.text, "another"), "one daemon at a time: %s", e.text);
    tap_ok(spool_folder_in_use(inner) && !spool_folder_in_use(path), "which can be seen");
    snprintf(inner, sizeof inner, "%s/open", path);
    mkdir(inner, 0700);
    chmod(inner, 0777);
    tap_ok(spool_folder_open(&second, inner, &e) == -EPERM, "a folder that others may write is refused");
    rmdir(inner);
}

static void test_order(void)
{
    char a[OUTBOX_NAME], b[OUTBOX_NAME], c[OUTBOX_NAME], key[OUTBOX_KEY];
    struct outbox_position at;
    struct error e;
    tap_ok(!outbox_open(&outbox, folder.queue, 1 << 20, &e), "an empty queue");
    tap_ok(outbox_next(&outbox, "", &letter) == -ENOENT, "nothing waits");
    tap_ok(!put("00000000000000aa", 100, 10, a) && !put("00000000000000bb", 7, 20, b) && !put("00000000000000aa", 200, 30, c), "three put");
    tap_ok(outbox_position(&outbox, "00000000000000aa", &at) && at.to == 200 && at.ns == 5 &&
               !outbox_position(&outbox, "00000000000000cc", &at),
           "how far each recording is");
    reopen(1 << 20);
    tap_ok(!outbox_next(&outbox, "", &letter) && !strcmp(letter.name, a) && letter.size == 10,
           "the oldest comes first, also after a restart");
    outbox_key(body, 10, key);
    tap_ok(!strcmp(key, letter.key) && !strcmp(letter.query, "service=shop&host=h"), "with its key and labels");
    outbox_put_back(&outbox, &letter);
    tap_ok(!outbox_next(&outbox, a, &letter) && !strcmp(letter.name, b), "behind one that failed comes the next");
    outbox_done(&outbox, &letter);
    tap_ok(!outbox_next(&outbox, c, &letter) && !strcmp(letter.name, a), "behind the last the first again");
    outbox_drop(&outbox, &letter, OUTBOX_REFUSED);
    tap_ok(outbox.dropped[OUTBOX_REFUSED].recordings == 1 && outbox.waiting.recordings == 1 && files() == 1, "one is left");
    outbox_key("abc", 3, key);
    tap_ok(!strcmp(key, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), "SHA-256 as FIPS 180 has it");
}

static void test_hidden(void)
{
    char name[OUTBOX_NAME];
    struct outbox_position at = {1, 2, 3};
    struct error e;
    while (!outbox_next(&outbox, "", &letter))
        outbox_done(&outbox, &letter);
    tap_ok(!outbox_put(&outbox, "00000000000000dd", &at, "service=a", body, 9, name, &e) && outbox_next(&outbox, "", &letter) == -ENOENT,
           "what is not released is not sent");
    reopen(1 << 20);
    tap_ok(!outbox_next(&outbox, "", &letter) && letter.size == 9, "a restart releases it");
    outbox_done(&outbox, &letter);
}

static void test_bound(void)
{
    char name[OUTBOX_NAME], first[OUTBOX_NAME];
    struct outbox_position at = {1, 2, 3};
    struct error e;
    unsigned bad = 0;
    put("00000000000000aa", 1, 90000, first);
    tap_ok(!outbox_next(&outbox, "", &letter), "the first is being sent");
    for (unsigned i = 0; i < 30; i++)
        bad += put("00000000000000aa", i + 2, 90000, name) != 0 || outbox.waiting.bytes > 1 << 20;
    struct outbox_tally *dropped = &outbox.dropped[OUTBOX_FULL];
    tap_ok(!bad && dropped->recordings + outbox.waiting.recordings == 31 && dropped->bytes + outbox.waiting.bytes >= 31 * 90000,
           "the bound holds, and what was dropped is counted: %llu", (unsigned long long)dropped->recordings);
    tap_ok(outbox.waiting.recordings == files() && dropped->recordings > 15, "and gone");
    outbox_done(&outbox, &letter);
    tap_ok(dropped->recordings + outbox.waiting.recordings == 30, "what was being sent was not among it");
    outbox_begin_live(&outbox);
    outbox_add_live(&outbox, "00000000000000aa", 1 << 20);
    bad = outbox_put(&outbox, "00000000000000aa", &at, "service=a", body, 1000, name, &e) != 0;
    tap_ok(!bad && outbox.waiting.recordings == 1, "recordings in progress count against the bound");
    outbox_release(&outbox, name);
    while (!outbox_next(&outbox, "", &letter))
        outbox_done(&outbox, &letter);
}

static uint64_t waiting_of(const char *id)
{
    const struct charge *c = charges_find(&outbox.charges, id);
    return c ? c->waiting : 0;
}

/* The JVM that fills the spool loses its own recordings, those that wait as well as the current one. */
static void test_charges(void)
{
    static const char good[] = "aaaaaaaa00000001", other[] = "bbbbbbbb00000001";
    static const char hostile[] = "cccccccc00000001", later[] = "cccccccc00000002";
    char name[OUTBOX_NAME];
    unsigned bad = 0;
    outbox_begin_live(&outbox);
    reopen(1 << 20);
    for (unsigned i = 0; i < 4; i++)
        bad += put(good, i + 1, 50000, name) || put(other, i + 1, 50000, name);
    uint64_t before = waiting_of(good);
    for (unsigned i = 0; i < 30; i++)
        bad += put(i % 2 ? hostile : later, i + 1, 90000, name) != 0 || outbox.waiting.bytes > 1 << 20;
    tap_ok(!bad && waiting_of(good) == before && waiting_of(other) == before && before > 200000, "what others have waiting stays");
    struct outbox_tally lost = outbox_lost_of(&outbox, hostile), none = outbox_lost_of(&outbox, good);
    tap_ok(lost.recordings == outbox.dropped[OUTBOX_FULL].recordings && lost.recordings > 15 && !none.recordings,
           "all that was dropped is that JVM's, in whichever recording, and counted as its own: %llu", (unsigned long long)lost.recordings);
    uint64_t waiting = outbox.waiting.bytes;
    reopen(1 << 20);
    tap_ok(outbox.waiting.bytes == waiting && waiting_of(good) == before, "a restart knows whose they are");
    reopen(100 << 20);
    outbox_begin_live(&outbox);
    outbox_add_live(&outbox, good, 3 << 20);
    outbox_add_live(&outbox, "dddddddd00000001", 99 << 20);
    for (unsigned i = 0; i < 4; i++)
        bad += put(other, i + 9, 50000, name) != 0;
    tap_ok(!bad && !outbox.dropped[OUTBOX_FULL].recordings, "for what one records nothing of others is dropped");
    tap_ok(outbox_wants_live(&outbox, "dddddddd00000001") && !outbox_wants_live(&outbox, good) && !outbox_wants_live(&outbox, other),
           "he has to give it up");
    outbox_begin_live(&outbox);
    tap_ok(!outbox_wants_live(&outbox, "dddddddd00000001"), "and then no more");
    reopen(60000);
    bad = put(good, 99, 90000, name) != -EMSGSIZE;
    tap_ok(!bad && outbox_lost_of(&outbox, good).recordings == 1 && outbox.dropped[OUTBOX_FULL].recordings == 1,
           "what alone is larger than the bound is lost alone, and counted");
    while (!outbox_next(&outbox, "", &letter))
        outbox_done(&outbox, &letter);
}

static void test_damage(void)
{
    char a[OUTBOX_NAME], b[OUTBOX_NAME];
    put("00000000000000aa", 1, 5000, a);
    put("00000000000000aa", 2, 5000, b);
    int fd = openat(folder.queue, a, O_RDWR);
    tap_ok(pwrite(fd, "x", 1, 3000) == 1, "a byte of the oldest changes on the disk");
    close(fd);
    fd = openat(folder.queue, "new", O_CREAT | O_WRONLY, 0600);
    close(fd);
    symlinkat("/etc/passwd", folder.queue, "0000000000000001-00000000000000aa-0-1-0");
    reopen(1 << 20);
    tap_ok(outbox.waiting.recordings == 2, "half-written files and links are no recordings");
    tap_ok(!outbox_next(&outbox, "", &letter) && !strcmp(letter.name, b) && outbox.dropped[OUTBOX_DAMAGED].recordings == 1,
           "damage is found, dropped and counted");
    outbox_done(&outbox, &letter);
    tap_ok(!faccessat(folder.queue, "0000000000000001-00000000000000aa-0-1-0", F_OK, AT_SYMLINK_NOFOLLOW), "what is not ours stays");
    unlinkat(folder.queue, "0000000000000001-00000000000000aa-0-1-0", 0);
    outbox_close(&outbox);
}

static void test_state(void)
{
    struct live l = {.pid = 4711, .start = 99, .name = "a.b.Main", .query = "service=a%20b&host=h"}, again;
    struct error e = {""};
    int passed;
    tap_ok(!live_create(&l, folder.live, &passed, &e), "a recording in progress %s", e.text);
    tap_ok(!live_open(&again, folder.live, l.id, &e) && !again.recording, "without the number of an agent that says none %s", e.text);
    live_close(&again);
    l.recording = 7;
    l.chunk_at = 4096;
    l.to = 1234;
    l.to_ns = 77;
    l.books.count = 3;
    l.books.lines[0] = (struct jfr_book){"failed", "not_walkable", -5, 9};
    l.books.lines[1] = (struct jfr_book){"cpu", "", 1000, 0};
    l.books.lines[2] = (struct jfr_book){"x\npid 1", "evil", 1, 1};
    tap_ok(!live_save(&l, folder.live, &e) && !live_open(&again, folder.live, l.id, &e), "its state is read back %s", e.text);
    tap_ok(again.pid == 4711 && again.start == 99 && again.chunk_at == 4096 && again.to == 1234 && again.to_ns == 77 &&
               !strcmp(again.query, l.query) && !strcmp(again.name, l.name),
           "as it was written");
    tap_ok(again.recording == 7, "with the number that the agent gave it");
    tap_ok(again.books.count == 2 && !memcmp(again.books.lines, l.books.lines, 2 * sizeof *l.books.lines),
           "with its books; no text of a JVM's becomes a line");
    tap_ok(!live_is_locked(&again), "nobody records to it");
    flock(passed, LOCK_EX);
    tap_ok(live_is_locked(&again), "who does holds the lock");
    close(passed);
    live_close(&again);
    char name[32];
    snprintf(name, sizeof name, "%s.state", l.id);
    int fd = openat(folder.live, name, O_WRONLY | O_TRUNC);
    tap_ok(write(fd, "candor-live 1\npid 1\nquery x\n", 28) == 28 && live_open(&again, folder.live, l.id, &e) == -EBADMSG,
           "half a state is none");
    close(fd);
    live_remove(&l, folder.live);
}

static void test_waits(void)
{
    unsigned bad = 0;
    for (unsigned n = 1; n < 200; n++) {
        uint64_t bound = n < 8 ? BACKOFF_FIRST_NS << (n - 1) : BACKOFF_MAX_NS;
        bound = bound < BACKOFF_MAX_NS ? bound : BACKOFF_MAX_NS;
        bad += backoff_wait_ns(n, 0, 0) != 0 || backoff_wait_ns(n, 0, 0.5) != bound / 2 || backoff_wait_ns(n, 0, 0.999) >= bound;
    }
    tap_ok(!bad, "a wait is drawn from a bound that doubles up to two minutes");
    uint64_t ask = 60 * NS_PER_S;
    tap_ok(backoff_wait_ns(1, ask, 0) == ask && backoff_wait_ns(9, ask, 0.5) == ask + ask / 20,
           "what the server asks for is kept, with jitter");
    tap_ok(backoff_wait_ns(1, NS_PER_S, 0.5) == 1500000000, "of a second at least");
    tap_ok(backoff_wait_ns(1, 86400 * NS_PER_S, 0) == BACKOFF_ASKED_MAX_NS, "but for an hour at most");
    double low = 1, high = 0;
    for (int i = 0; i < 1000; i++) {
        double r = backoff_random();
        low = r < low ? r : low;
        high = r > high ? r : high;
    }
    tap_ok(low >= 0 && high < 1 && low < 0.1 && high > 0.9, "random numbers"); /* false alarm: 2 * 0.9^1000 < 1e-45 */
    static const struct {
        long status;
        enum ship_verdict verdict;
    } contract[] = {{200, SHIP_DONE},  {400, SHIP_NEVER}, {413, SHIP_NEVER}, {415, SHIP_NEVER}, {401, SHIP_AGAIN}, {403, SHIP_AGAIN},
                    {408, SHIP_AGAIN}, {429, SHIP_AGAIN}, {503, SHIP_AGAIN}, {500, SHIP_AGAIN}, {302, SHIP_AGAIN}, {404, SHIP_AGAIN}};
    for (size_t i = 0; i < sizeof contract / sizeof *contract; i++)
        tap_ok(ship_judge(contract[i].status) == contract[i].verdict, "an answer %ld", contract[i].status);
}

/* A recording that is too large to be converted for another back end is dropped and counted, and does not hold up others. */
static void test_too_large(void)
{
    static const struct emit_target target = {EMIT_OTLP, "http://127.0.0.1:1"};
    size_t size = ((size_t)64 << 20) + 1;
    char *large = calloc(1, size), name[OUTBOX_NAME];
    struct outbox_position at = {1, 2, 3};
    struct outbox_counts counts = {0};
    struct ship ship;
    struct error e = {""};
    tap_ok(!outbox_open(&outbox, folder.queue, 1 << 30, &e), "a spool that is empty %s", e.text);
    tap_ok(!outbox_put(&outbox, "00000000000000ee", &at, "service=a", large, size, name, &e), "a recording of 64 MiB and a byte: %s",
           e.text);
    outbox_release(&outbox, name);
    put("00000000000000ff", 1, 1000, name); /* no recording */
    tap_ok(!ship_start(&ship, &outbox, &target, &(struct ship_files){"", "", "", ""}, &e), "is to be sent to another back end: %s", e.text);
    for (int i = 0; i < 200 && (i == 0 || counts.waiting.recordings); i++) {
        usleep(100000);
        outbox_counts(&outbox, &counts);
    }
    ship_stop(&ship, 1000000000);
    tap_ok(!counts.waiting.recordings && counts.dropped[OUTBOX_TOO_LARGE].recordings == 1 && counts.dropped[OUTBOX_DAMAGED].recordings == 1,
           "both are dropped, and counted: %llu and %llu", (unsigned long long)counts.dropped[OUTBOX_TOO_LARGE].recordings,
           (unsigned long long)counts.dropped[OUTBOX_DAMAGED].recordings);
    outbox_close(&outbox);
    free(large);
}

int main(void)
{
    char command[64];
    if (!mkdtemp(path))
        return 1;
    test_folder();
    test_order();
    test_hidden();
    test_bound();
    test_charges();
    test_damage();
    test_state();
    test_waits();
    test_too_large();
    spool_folder_close(&folder);
    snprintf(command, sizeof command, "rm -r %s", path);
    return system(command) ? 1 : tap_done();
}
