/*
 * The workloads of candor load: each distribution against its formula with YCSB's constants (chi-square), the names and values of records,
 * which inserted records can be read, property files, addresses of stores, damaged answers of CQL.
 * tier: quick
 * timeout: 120
 */
#include "../tap.h"
#include "load/drivers/cql_body.h"
#include "load/drivers/drivers.h"
#include "load/workload/workload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 200, DRAWS = 1000000 };

static struct error e;

/* ---- chi-square ---- */

/* The value that chi-square exceeds with a probability of 1e-6 (Wilson and Hilferty). */
static double limit(unsigned freedom)
{
    double v = 2.0 / (9.0 * freedom);
    return freedom * pow(1 - v + 4.753 * sqrt(v), 3);
}

/* Draws, and compares with the expected probabilities of the numbers 0 to NUMBERS - 1. Cells with less than ten draws are united. */
static bool fits(const struct keys *k, uint64_t newest, const double *expected)
{
    static uint64_t counts[NUMBERS];
    double chi = 0, cell = 0, cell_expected = 0;
    unsigned cells = 0, outside = 0;
    memset(counts, 0, sizeof counts);
    for (uint64_t n = 0; n < DRAWS; n++) {
        struct draw d = draw_begin(7, n);
        uint64_t number = keys_draw(k, &d, n, newest) - k->first;
        outside += number >= NUMBERS;
        counts[number < NUMBERS ? number : 0]++;
    }
    for (int i = 0; i < NUMBERS; i++) {
        cell += (double)counts[i];
        cell_expected += expected[i] * DRAWS;
        if (cell_expected >= 10 || i == NUMBERS - 1) {
            chi += cell_expected > 0 ? (cell - cell_expected) * (cell - cell_expected) / cell_expected : cell > 0 ? 1e9 : 0;
            cells++;
            cell = cell_expected = 0;
        }
    }
    if (outside || chi > limit(cells - 1))
        tap_note("chi-square %.1f of %u cells, at most %.1f; %u outside", chi, cells, limit(cells - 1), outside);
    return !outside && chi <= limit(cells - 1);
}

/* The probability that YCSB's zipfian generator of n items gives an item below i: its formula, solved for the random number. */
static double zipf_below(double i, double n, double zeta)
{
    double theta = 0.99, zeta2 = 1 + pow(0.5, theta), eta = (1 - pow(2 / n, 1 - theta)) / (1 - zeta2 / zeta);
    double u = (pow(i / n, 1 - theta) - 1 + eta) / eta;
    return i <= 0 ? 0 : i <= 1 ? 1 / zeta : i <= 2 ? zeta2 / zeta : fmin(1, fmax(u, zeta2 / zeta));
}

static double direct_zeta(unsigned n)
{
    long double sum = 0;
    for (unsigned i = 1; i <= n; i++)
        sum += 1 / powl(i, 0.99L);
    return (double)sum;
}

static void test_distributions(void)
{
    static double expected[NUMBERS];
    struct keys k;
    double zeta = direct_zeta(NUMBERS);
    for (int i = 0; i < NUMBERS; i++)
        expected[i] = 1.0 / NUMBERS;
    keys_init(&k, KEYS_UNIFORM, 5, NUMBERS, 0);
    tap_ok(fits(&k, 0, expected), "uniform");
    for (int i = 0; i < NUMBERS; i++)
        expected[i] = zipf_below(i + 1, NUMBERS, zeta) - zipf_below(i, NUMBERS, zeta);
    keys_init(&k, KEYS_ZIPFIAN, 5, NUMBERS, 0);
    tap_ok(fits(&k, 0, expected), "zipfian");
    for (int i = 0; i < NUMBERS / 2; i++) {
        double swapped = expected[i];
        expected[i] = expected[NUMBERS - 1 - i];
        expected[NUMBERS - 1 - i] = swapped;
    }
    keys_init(&k, KEYS_LATEST, 0, NUMBERS, 0);
    tap_ok(fits(&k, NUMBERS - 1, expected), "latest is zipfian from the newest");
    keys_init(&k, KEYS_LATEST, 0, NUMBERS / 4, 0);
    tap_ok(fits(&k, NUMBERS - 1, expected), "also when there are four times as many records as at the start");
    for (int i = 0; i < NUMBERS; i++)
        expected[i] = i < NUMBERS / 5 ? 0.8 / (NUMBERS / 5) : 0.2 / (NUMBERS - NUMBERS / 5);
    keys_init(&k, KEYS_HOTSPOT, 3, NUMBERS, 0);
    tap_ok(fits(&k, 0, expected), "hotspot: 80 %% of the draws go to 20 %% of the numbers");
    double gamma = -log(1 - 95 / 100.0) / (NUMBERS * 0.8571428571), all = 1 - exp(-gamma * NUMBERS);
    for (int i = 0; i < NUMBERS; i++)
        expected[NUMBERS - 1 - i] = (exp(-gamma * i) - exp(-gamma * (i + 1))) / all;
    keys_init(&k, KEYS_EXPONENTIAL, 0, NUMBERS, 0);
    tap_ok(fits(&k, NUMBERS - 1, expected), "exponential from the newest");
}

/* The first million of the 10^10 items is added up; the others are even, because the hash spreads them. */
static void test_scrambled(void)
{
    enum { ITEMS = 1000000 };
    static double expected[NUMBERS];
    struct keys k;
    double n = 1e10, zeta = 26.46902820178302, rest = 1 - zipf_below(ITEMS, n, zeta);
    for (int i = 0; i < NUMBERS; i++)
        expected[i] = rest / NUMBERS;
    for (uint64_t i = 0; i < ITEMS; i++)
        expected[keys_hash(i) % NUMBERS] += zipf_below((double)i + 1, n, zeta) - zipf_below((double)i, n, zeta);
    keys_init(&k, KEYS_SCRAMBLED, 0, NUMBERS, 0);
    tap_ok(fits(&k, 0, expected), "scrambled: YCSB's default");
    /* From a run of YCSB: the names of its first records. */
    tap_ok(keys_hash(0) == UINT64_C(6284781860667377211) && keys_hash(1) == UINT64_C(8517097267634966620) &&
               keys_hash(2) == UINT64_C(1820151046732198393),
           "the hash is YCSB's: user6284781860667377211 is its first record");
}

/* ---- records ---- */

static void test_records(void)
{
    struct recipe r;
    struct workload w;
    struct operation o;
    unsigned counts[WORKLOAD_ACTIONS] = {0}, wrong = 0;
    tap_ok(!recipe_read(&r, "workloada", &e) && !recipe_check(&r, &e) && !workload_init(&w, &r, 1, true), "workload a");
    w.actions[0] = WORKLOAD_INSERT;
    operation_init(&o, &w);
    workload_begin(&w, &o, 0, 0);
    tap_ok(!strcmp(o.key, "user6284781860667377211") && o.request.action == CANDOR_LOAD_INSERT && o.request.values[9].len == 100,
           "the first insert has YCSB's first key, and ten fields of 100 bytes");
    struct candor_load_bytes value = o.request.values[3];
    workload_check(&w, &o, 3, value.at, value.len);
    tap_ok(w.checked == 1 && !w.wrong && !o.wrong, "a value that is read as it was written is right");
    workload_check(&w, &o, 4, value.at, value.len);
    workload_check(&w, &o, 3, value.at, value.len - 1);
    tap_ok(w.checked == 3 && w.wrong == 2 && o.wrong, "the value of another field, or a shorter one, is wrong");
    workload_end(&w, &o);
    tap_ok(inserted_newest(&w.inserted) == 0, "the record can be read when its insert has ended");
    workload_deinit(&w);
    workload_init(&w, &r, 1, false);
    w.actions[0] = WORKLOAD_MODIFY;
    for (uint64_t n = 0; n < 1000; n++) {
        workload_begin(&w, &o, n, 0);
        counts[WORKLOAD_READ] += o.request.action == CANDOR_LOAD_READ;
        counts[WORKLOAD_UPDATE] += operation_modify(&o) && o.request.action == CANDOR_LOAD_UPDATE && o.request.field >= 0;
        wrong += operation_modify(&o) || o.record >= 1000;
        workload_end(&w, &o);
    }
    tap_ok(counts[WORKLOAD_READ] == 1000 && counts[WORKLOAD_UPDATE] == 1000 && !wrong, "a read-modify-write is a read, and one write");
    operation_deinit(&o);
    workload_deinit(&w);
}

/* Two generators: the first does 4 of 7 inserts. */
static void test_shares(void)
{
    struct recipe r;
    struct operation o;
    unsigned inserted[7] = {0}, foreign = 0;
    recipe_read(&r, "workloadd", &e);
    for (uint32_t share = 0; share < 2; share++) {
        struct workload w;
        workload_init(&w, &r, 1, false);
        operation_init(&o, &w);
        w.share = share, w.shares = 2;
        w.actions[0] = WORKLOAD_INSERT, w.actions[1] = WORKLOAD_READ;
        for (uint64_t n = 0; n < 4 - share; n++) {
            workload_begin(&w, &o, n, 0);
            inserted[(o.record - 1000) % 7]++;
            workload_end(&w, &o);
        }
        for (uint64_t n = 0; n < 1000; n++) {
            workload_begin(&w, &o, n, 1);
            foreign += o.record >= 1007 || (o.record >= 1000 && o.record % 2 != share);
            workload_end(&w, &o);
        }
        operation_deinit(&o);
        workload_deinit(&w);
    }
    unsigned once = 0;
    for (int i = 0; i < 7; i++)
        once += inserted[i] == 1;
    tap_ok(once == 7, "two generators insert each record once");
    tap_ok(!foreign, "and read only what they have inserted, and what was there");
}

static void test_inserted(void)
{
    struct inserted i;
    inserted_init(&i, 100);
    for (int n = 0; n < 4; n++)
        inserted_begin(&i);
    inserted_end(&i, 101);
    inserted_end(&i, 103);
    tap_ok(inserted_newest(&i) == 99, "while the first insert is in progress, none is readable");
    inserted_end(&i, 100);
    tap_ok(inserted_newest(&i) == 101, "up to the next one in progress");
    inserted_end(&i, 102);
    tap_ok(inserted_newest(&i) == 103, "all");
    inserted_deinit(&i);
}

/* ---- recipes ---- */

static void test_recipes(void)
{
    struct recipe r;
    recipe_read(&r, "e", &e);
    tap_ok(r.proportions[WORKLOAD_SCAN] == 0.95 && r.proportions[WORKLOAD_INSERT] == 0.05 && r.scan_most == 100 &&
               r.distribution == KEYS_SCRAMBLED,
           "workload e");
    recipe_read(&r, "d", &e);
    tap_ok(r.distribution == KEYS_LATEST && r.proportions[WORKLOAD_READ] == 0.95, "workload d");
    tap_ok(!recipe_read(&r, "ops(insert=1,read=9)", &e) && r.proportions[WORKLOAD_INSERT] == 1 && r.proportions[WORKLOAD_READ] == 9 &&
               r.proportions[WORKLOAD_UPDATE] == 0,
           "cassandra-stress's ops()");
    static const char *const bad[] = {"ops(insert=1", "ops(fly=1)", "ops(read)", "ops()", "/no/such/file"};
    unsigned refused = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused += recipe_read(&r, bad[i], &e) != 0 && *e.text;
    tap_ok(refused == sizeof bad / sizeof *bad, "what is none is refused");
    recipe_read(&r, "a", &e);
    tap_ok(!recipe_set(&r, "recordcount", "77", &e) && r.records == 77 && !recipe_set(&r, "insertorder", "ordered", &e) && r.ordered &&
               !recipe_set(&r, "requestdistribution", "hotspot", &e) && r.distribution == KEYS_HOTSPOT &&
               !recipe_set(&r, "hdrhistogram.percentiles", "95", &e),
           "properties");
    tap_ok(recipe_set(&r, "recordcount", "0", &e) && recipe_set(&r, "recordcunt", "5", &e) && recipe_set(&r, "readallfields", "1", &e) &&
               recipe_set(&r, "requestdistribution", "normal", &e) && recipe_set(&r, "table", "x;drop", &e),
           "wrong properties");
    recipe_set(&r, "insertstart", "80", &e);
    tap_ok(recipe_check(&r, &e) == -EINVAL, "insertstart beyond the records");
}

static void test_endpoints(void)
{
    struct endpoint p;
    tap_ok(!endpoint_parse(&p, "redis://us%40er:p%3Aw@[::1]:7000/3", &e) && !strcmp(p.user, "us@er") && !strcmp(p.password, "p:w") &&
               !strcmp(p.host, "::1") && !strcmp(p.port, "7000") && !strcmp(p.path, "/3") && !strcmp(p.scheme, "redis"),
           "an address with everything");
    tap_ok(!endpoint_parse(&p, "memcached://h", &e) && !*p.user && !*p.port && !*p.path && !strcmp(p.host, "h"), "with a host only");
    static const char *const bad[] = {"redis",      "redis://",       "redis://h:0", "redis://h:66000",
                                      "redis://:@", "redis://a%00@h", "redis://h h", "redis://[::1"};
    unsigned refused = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused += endpoint_parse(&p, bad[i], &e) == -EINVAL;
    tap_ok(refused == sizeof bad / sizeof *bad, "what is none is refused");
    tap_ok(drivers_have("redis://h") && drivers_have("cqls://h") && !drivers_have("http://h") && !drivers_have("redis:h") &&
               !drivers_find("gopher://h", &e),
           "schemes");
}

/* ---- CQL ---- */

static void test_cql(void)
{
    static const uint8_t rows[] = {0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 'k', 0xff, 0xff, 0xff, 0xff};
    struct cql_rows found;
    unsigned wrong = 0;
    struct cql_body b = {rows, rows + sizeof rows, false};
    tap_ok(cql_rows(&b, &found) && found.columns == 2 && found.rows == 1, "rows without metadata");
    struct candor_load_bytes key = cql_bytes(&b), null = cql_bytes(&b);
    tap_ok(key.len == 1 && !null.at && !b.bad && b.at == b.end, "a value and a null");
    for (size_t n = 0; n < sizeof rows; n++) { /* each in memory of its own, so that a sanitizer sees a read beyond it */
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, rows, n);
        struct cql_body c = {cut, cut + n, false};
        bool begins = cql_rows(&c, &found);
        cql_bytes(&c);
        cql_bytes(&c);
        wrong += !c.bad || (n < 12 && begins);
        free(cut);
    }
    tap_ok(!wrong, "cut anywhere, they are bad");
    static const uint8_t warned[] = {0, 1, 0, 2, 'a', 'b', 0, 0, 0, 9};
    b = (struct cql_body){warned, warned + sizeof warned, false};
    cql_skip_extras(&b, 8);
    tap_ok(cql_int(&b) == 9 && !b.bad, "warnings are skipped");
}

int main(void)
{
    test_distributions();
    test_scrambled();
    test_records();
    test_shares();
    test_inserted();
    test_recipes();
    test_endpoints();
    test_cql();
    return tap_done();
}
