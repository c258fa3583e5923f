/*
 * The store. Recordings can be queried by labels, times and types. A recording that is sent twice is a duplicate. A damaged byte in any
 * file does no harm as long as another copy exists. After kill -9 at any moment, every acknowledged recording is there exactly once.
 * tier: default
 * timeout: 300
 */
#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/files/dictionary.h"
#include "store/files/segment.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/candor-store-XXXXXX";
static char path[256];
static int64_t today; /* a time of this day, at most some hours ago */

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    return rc ? rc : formats_load_from(p, &in, "test", "collapsed", v->note.format[0] ? "ns" : "samples", NULL, e);
}

static char last_told[1024];

static void tell(const char *text)
{
    snprintf(last_told, sizeof last_told, "%s", text);
}

static struct store *open_store(uint64_t max_disk)
{
    struct store_options o = {.path = path, .limits.retain_s = 7 * 86400, .limits.max_disk = max_disk, .load = load, .tell = tell};
    struct store *s;
    struct error e;
    store_place(&o);
    if (store_open(&s, &o, &e)) {
        tap_note("%s", e.text);
        return NULL;
    }
    return s;
}

static void fresh(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

/* One recording; the number makes it different from all others. */
static int add(struct store *s, const char *service, const char *host, int64_t second, const char *body, uint32_t number, bool ns,
               uint64_t *id, bool *duplicate)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = second * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {0};
    struct error e;
    memcpy(identity, &number, sizeof number);
    struct store_added added = {0};
    identity[31] = 1;
    if (ns)
        strcpy(note.format, "collapsed");
    int rc = labels_set(&note.labels, "service", 7, service, strlen(service), &e);
    rc = rc ? rc : labels_set(&note.labels, "host", 4, host, strlen(host), &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, body, strlen(body), &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    *id = added.id;
    *duplicate = added.duplicate;
    if (rc)
        tap_note("%s", e.text);
    labels_deinit(&note.labels);
    return rc;
}

static uint64_t sum_of(struct store *s, const char *selector, const char *type, struct store_result *r)
{
    struct selector chosen;
    struct profile p;
    struct error e;
    struct store_query q = {.selector = &chosen, .from = today - 8 * 86400, .to = today + 86400, .type = type};
    profile_init(&p);
    selector_parse(&chosen, selector, &e);
    int rc = store_profile(s, &q, &p, r, &e);
    if (rc)
        tap_note("%s", e.text);
    uint64_t weight = rc ? UINT64_MAX : p.weight;
    if (!rc && weight != r->weight)
        weight = UINT64_MAX;
    selector_deinit(&chosen);
    profile_deinit(&p);
    return weight;
}

static uint64_t sum(struct store *s, const char *selector)
{
    struct store_result r;
    uint64_t weight = sum_of(s, selector, NULL, &r);
    store_result_deinit(&r);
    return weight;
}

static void test_round_trip(void)
{
    uint64_t id, other;
    bool duplicate;
    fresh("round");
    struct store *s = open_store(0);
    tap_ok(s && !add(s, "shop", "a", today, "x.A.main;x.A.hot 7\nx.A.main 3\n", 1, false, &id, &duplicate) && !duplicate, "taken");
    tap_ok(!add(s, "shop", "a", today, "x.A.main;x.A.hot 7\nx.A.main 3\n", 1, false, &other, &duplicate) && duplicate && other == id,
           "a second time it is a duplicate");
    tap_ok(!add(s, "shop", "b", today - 86400, "x.A.main;x.B.cold 5\n", 2, false, &id, &duplicate), "another, of yesterday");
    tap_ok(!add(s, "'; DROP TABLE recording; --", "../../x", today, "x.A.main 11\n", 3, false, &id, &duplicate), "a hostile name");
    tap_ok(!add(s, "shop", "a", today, "x.A.main 1000\n", 4, true, &id, &duplicate), "one of another unit");
    tap_ok(sum(s, "") == 26, "the sum of all, of the type of most");
    tap_ok(sum(s, "service=\"shop\"") == 15 && sum(s, "{service=\"shop\",host!=\"a\"}") == 5 && sum(s, "host=~\"a|b\"") == 15, "by labels");
    tap_ok(sum(s, "service=\"'; DROP TABLE recording; --\"") == 11 && sum(s, "host=\"../../x\"") == 11, "by hostile ones");
    tap_ok(add(s, "shop", "a", today - 30 * 86400, "x.A.main 1\n", 5, false, &id, &duplicate) == -ERANGE, "too old is refused");
    tap_ok(add(s, "shop", "a", today + 3 * 86400, "x.A.main 1\n", 6, false, &id, &duplicate) == -ERANGE, "so is the future");
    store_close(s);
    s = open_store(0);
    tap_ok(s && sum(s, "") == 26, "the same when opened again");
    store_close(s);
}

static void test_types(void)
{
    uint64_t id;
    bool duplicate;
    struct store_result r;
    fresh("types");
    struct store *s = open_store(0);
    add(s, "shop", "a", today, "x.A.main 1\nx.A.main 2\n", 1, false, &id, &duplicate);
    add(s, "shop", "a", today, "x.A.main 4\n", 2, false, &id, &duplicate);
    add(s, "shop", "a", today, "x.A.main 1000\n", 3, true, &id, &duplicate);
    uint64_t most = sum_of(s, "", NULL, &r);
    char type[CATALOGUE_TYPE_MAX];
    snprintf(type, sizeof type, "%s", r.type);
    tap_ok(most == 7 && strstr(type, ":samples") && r.recordings == 2, "the type of most is %s", type);
    store_result_deinit(&r);
    uint64_t ns = sum_of(s, "", "cpu:ns", &r);
    tap_ok(ns == 1000 && r.recordings == 1, "the other is cpu:ns");
    store_result_deinit(&r);
    store_close(s);
}

static void test_selectors(void)
{
    static const char *const bad[] = {"service=shop", "service=\"shop",  "=\"x\"",  "service=~\"(\"",
                                      "{a=\"b\"",     "a=\"b\" c=\"d\"", "a~\"b\"", "a=~\"((((a{1,255}){1,255}){1,255}){1,255})\"",
                                      "a=~\"(?=b)\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct selector s;
        struct error e;
        tap_ok(selector_parse(&s, bad[i], &e) == -EINVAL && *e.text, "refused: %s", bad[i]);
        selector_deinit(&s);
    }
}

/* ---- damage ---- */

static void flip(const char *file, uint64_t at)
{
    uint8_t byte;
    int fd = open(file, O_RDWR);
    if (pread(fd, &byte, 1, (off_t)at) == 1) {
        byte ^= 0x10;
        if (pwrite(fd, &byte, 1, (off_t)at) != 1)
            tap_note("%s cannot be written", file);
    }
    close(fd);
}

/* The first regular file below, whose name ends so. */
static bool find(const char *below, const char *end, char *out, size_t size)
{
    DIR *dir = opendir(below);
    bool found = false;
    for (struct dirent *entry; !found && dir && (entry = readdir(dir));) {
        char one[4096];
        struct stat st;
        size_t n = strlen(entry->d_name), m = strlen(end);
        snprintf(one, sizeof one, "%s/%s", below, entry->d_name);
        if (entry->d_name[0] == '.' || stat(one, &st))
            continue;
        if (S_ISDIR(st.st_mode))
            found = find(one, end, out, size);
        else if (n >= m && !strcmp(entry->d_name + n - m, end)) {
            snprintf(out, size, "%s", one);
            found = true;
        }
    }
    if (dir)
        closedir(dir);
    return found;
}

static uint64_t fill(uint32_t n)
{
    uint64_t id, total = 0;
    bool duplicate;
    struct store *s = open_store(0);
    for (uint32_t i = 0; i < n; i++) {
        char body[256];
        snprintf(body, sizeof body, "x.A.main;x.A.m%u;x.B.leaf%u %u\nx.A.main %u\n", i, i * 7, i + 1, 100 + i);
        add(s, "shop", "a", today - (i % 2) * 86400, body, i + 1, false, &id, &duplicate);
        total += i + 1 + 100 + i;
    }
    store_close(s);
    return total;
}

static void test_damage(const char *end, const char *below)
{
    for (int part = 0; part < 6; part++) {
        char name[64], where[300], file[4096];
        snprintf(name, sizeof name, "damage-%s-%d", end + (*end == '.'), part);
        fresh(name);
        uint64_t total = fill(6);
        snprintf(where, sizeof where, "%s/%s", path, below);
        if (!tap_ok(find(where, end, file, sizeof file), "there is a file %s", end))
            return;
        struct stat st;
        stat(file, &st);
        uint64_t at = (uint64_t)st.st_size * (uint64_t)part / 6 + (part == 5 ? (uint64_t)st.st_size / 6 - 1 : 0);
        flip(file, at);
        struct store *s = open_store(0);
        uint64_t first = s ? sum(s, "") : 0;
        if (s)
            store_maintain(s);
        uint64_t second = s ? sum(s, "") : 0;
        tap_ok(s && first <= total && second == total, "%s, byte %llu: %llu of %llu, and all of it when mended", end,
               (unsigned long long)at, (unsigned long long)first, (unsigned long long)total);
        store_close(s);
    }
}

static void test_catalogue_gone(void)
{
    char file[300];
    fresh("catalogue");
    uint64_t total = fill(6);
    snprintf(file, sizeof file, "%s/catalogue.db", path);
    flip(file, 0); /* SQLite has no checksums; it can only detect damage in its structure */
    struct store *s = open_store(0);
    tap_ok(s && sum(s, "") == total, "a damaged catalogue is made anew from the recordings");
    store_close(s);
    unlink(file);
    s = open_store(0);
    tap_ok(s && sum(s, "") == total, "so is one that is gone");
    store_close(s);
}

static void test_retention(void)
{
    fresh("retention");
    uint64_t total = fill(8);
    struct store_options o = {.path = path, .limits.retain_s = 3600, .load = load, .tell = tell};
    struct store *s;
    struct error e;
    uint64_t today_only = 0;
    for (uint32_t i = 0; i < 8; i += 2)
        today_only += i + 1 + 100 + i;
    store_place(&o);
    if (!store_open(&s, &o, &e)) {
        store_maintain(s);
        uint64_t left = sum(s, "");
        bool early = (int64_t)(clock_realtime_ns() / NS_PER_S) % 86400 < 3700; /* yesterday is not an hour ago */
        tap_ok(left == today_only || (early && left == total), "what is too old goes: %llu of %llu", (unsigned long long)left,
               (unsigned long long)total);
        store_close(s);
    }
    s = open_store(1);
    store_maintain(s);
    char file[4096], where[300];
    snprintf(where, sizeof where, "%s/recordings", path);
    tap_ok(sum(s, "") == today_only && !find(where, "", file, sizeof file), "beyond --max-disk today's samples stay, not its recordings");
    store_close(s);
}

/* ---- kill -9 ---- */

/* Adds recordings without end, and writes each acknowledged number to the pipe. */
static void child(int out, uint32_t number)
{
    struct store *s = open_store(0);
    uint64_t id;
    bool duplicate;
    for (; s; number++) {
        char body[128];
        snprintf(body, sizeof body, "x.A.main;x.A.m%u 1\n", number);
        if (add(s, "shop", "a", today, body, number, false, &id, &duplicate) || write(out, &number, sizeof number) != sizeof number)
            break;
    }
    _exit(1);
}

/* Opens the store, and sums up all. A slow machine, or a slow ClickHouse, may keep the store from answering, or from sealing all at once:
 * it says so, and is asked again, for at most some minutes. Returns UINT64_MAX if it never has all. */
static uint64_t sum_at_last(void)
{
    enum { TRIES = 600, PAUSE_US = 200000 };
    struct store *s = NULL;
    struct store_result r;
    uint64_t kept = UINT64_MAX;
    bool whole = false;
    for (int i = 0; i < TRIES && !whole; i++) {
        s = s ? s : open_store(0);
        if (s) {
            kept = sum_of(s, "", NULL, &r);
            whole = kept != UINT64_MAX && !missing_parts(&r.missing) && !r.unreadable.len;
            store_result_deinit(&r);
        }
        if (!whole)
            usleep(PAUSE_US);
        if (s && !whole)
            store_maintain(s);
    }
    store_close(s);
    return whole ? kept : UINT64_MAX;
}

/* Every second time the first acknowledgement is awaited, so that some come on any machine; otherwise it may be killed while it opens. */
static void test_kill(int times)
{
    uint32_t next = 1, acknowledged = 0, wrong = 0;
    unsigned seed = 20261122;
    fresh("kill");
    for (int i = 0; i < times; i++) {
        int pipes[2];
        if (pipe(pipes))
            return;
        pid_t pid = fork();
        if (!pid)
            child(pipes[1], next);
        close(pipes[1]);
        if (i % 2 && read(pipes[0], &next, sizeof next) == sizeof next)
            acknowledged = next;
        usleep(2000 + (useconds_t)(rand_r(&seed) % (store_place_is_away() ? 900000 : 120000)));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        for (uint32_t number; read(pipes[0], &number, sizeof number) == sizeof number;)
            acknowledged = number;
        close(pipes[0]);
        next = acknowledged + 1; /* the recording that was being sent is sent again, as a client would do */
        uint64_t kept = sum_at_last();
        /* Each weighs 1: the sum is the number of acknowledged recordings, and perhaps the one that was being sent. */
        bool good = kept >= acknowledged && kept <= acknowledged + 1;
        if (!good)
            tap_note("killed %d times: %" PRIu64 " of %u", i + 1, kept, acknowledged);
        wrong += !good;
    }
    tap_ok(!wrong && acknowledged, "%d times killed: %u acknowledged, none lost, none doubled (%u times wrong)", times, acknowledged,
           wrong);
}

static void text_of(struct profile *p, const char *text, uint32_t *id)
{
    profile_string(p, text, strlen(text), id);
}

/* Dictionaries from before names were made stable: the ids in their segments must keep their meaning. */
static void test_full_names(void)
{
    struct profile p;
    struct dictionary d;
    struct dictionary_places at = {0};
    struct error e;
    uint32_t words[3], method, frame;
    static const char *const classes[] = {"Hot$$Lambda.0x000070a1c8003400", "Hot$$Lambda.0x000070a1c8003800"};
    fresh("full.dict");
    profile_init(&p);
    p.full_names = true;
    for (size_t i = 0; i < 2; i++) {
        struct profile_sample s = {.weight = 1};
        text_of(&p, classes[i], &words[0]);
        text_of(&p, "run", &words[1]);
        text_of(&p, "()V", &words[2]);
        profile_method(&p, words[0], words[1], words[2], &method);
        profile_frame(&p, method, 1, 0, JFR_FRAME_C2, &frame);
        profile_stack(&p, 0, frame, &s.stack);
        profile_add_sample(&p, &s);
    }
    tap_ok(!dictionary_open(&d, path, &e) && !dictionary_adopt(&d, &p, NULL, &at, &e), "a dictionary with full names is written");
    dictionary_places_deinit(&at);
    dictionary_close(&d);
    tap_ok(!dictionary_open(&d, path, &e) && !d.damaged && d.names.method_count == 2, "and read as it is");
    dictionary_close(&d);
    profile_deinit(&p);
}

int main(void)
{
    const char *tier = getenv("CANDOR_TIER");
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S);
    test_round_trip();
    test_full_names();
    test_types();
    test_selectors();
    if (store_place_has_files("damaged segments"))
        test_damage(".seg", "segments");
    test_damage("dictionary", "segments");
    test_damage("", "recordings");
    test_catalogue_gone();
    test_retention();
    test_kill(tier && !strcmp(tier, "all") ? 500 : 25);
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        tap_note("%s is left", folder);
    return tap_done();
}
