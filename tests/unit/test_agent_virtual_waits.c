/* The waits of virtual threads without a carrier: each is found once, by whichever thread looks for it, with what was noted; a few waits
 * use little memory, however many have come and gone; a full table refuses, and forgets nothing. tier: quick timeout: 120 */
#include "../tap.h"

#include "agent/hot/calls/virtual_waits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { THREADS = 4, ROUNDS = 50000, AT_ONCE = 64, CHURN = 1000000, FEW = 100, LEVEL = 4096 };

static struct virtual_waits table;

static struct virtual_wait wait_of(uint64_t key)
{
    return (struct virtual_wait){.since = key * 3, .kind = 1, .beginning = 7, .target = {.address = key + 1, .owner = {5, 6, 8}}};
}

static bool is_of(const struct virtual_wait *w, uint64_t key)
{
    struct virtual_wait expected = wait_of(key);
    return w->since == expected.since && w->kind == 1 && w->beginning == 7 && w->target.address == key + 1 && w->target.owner.java_id == 8;
}

static bool add(uint64_t key)
{
    struct virtual_wait w = wait_of(key);
    return virtual_waits_add(&table, key, &w);
}

static void test_one(void)
{
    struct virtual_wait w;
    tap_ok(!add(5) && !virtual_waits_take(&table, 5, &w), "without a table nothing is noted");
    tap_ok(!virtual_waits_init(&table) && !virtual_waits_init(&table), "the table can be made, twice");
    tap_ok(!virtual_waits_take(&table, 5, &w), "nobody waits yet");
    tap_ok(add(5) && virtual_waits_take(&table, 5, &w) && is_of(&w, 5), "a wait is found, with what was noted");
    tap_ok(!virtual_waits_take(&table, 5, &w) && !virtual_waits_peek(&table, 5, &w), "only once");
    tap_ok(add(5) && virtual_waits_peek(&table, 5, &w) && is_of(&w, 5) && virtual_waits_take(&table, 5, &w), "a look at it leaves it");
    struct virtual_wait again = {.since = 99};
    tap_ok(add(5) && virtual_waits_add(&table, 5, &again) && virtual_waits_take(&table, 5, &w) && w.since == 99 &&
               !virtual_waits_take(&table, 5, &w),
           "a new wait takes the place of one that was never taken");
    tap_ok(!add(0) && !add(UINT64_MAX), "two numbers are no keys");
}

/* Returns how many pages of the process's memory are in use. */
static long pages(void)
{
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident;
}

/* FEW threads at a time, each with an id of its own. The first level has 4,096 places of 64 bytes: 64 pages. */
static void test_churn(void)
{
    struct virtual_wait w;
    bool good = true;
    long before = pages();
    for (uint64_t key = 1; key <= CHURN; key++) {
        good &= add(key);
        if (key > FEW)
            good &= virtual_waits_take(&table, key - FEW, &w) && is_of(&w, key - FEW);
    }
    long grown = pages() - before;
    tap_ok(good, "a million waits come and go");
    tap_ok(grown < 2 * LEVEL * 64 / 4096 + 32, "%ld pages more are in use", grown);
    uint32_t place = 0, claimed = 0;
    uint64_t key;
    while (virtual_waits_claim(&table, &place, &key, &w))
        claimed += is_of(&w, key) && key > CHURN - FEW;
    tap_ok(claimed == FEW && !virtual_waits_take(&table, CHURN, &w), "the last %u still wait, and are claimed", claimed);
}

static void test_full(void)
{
    struct virtual_wait w;
    uint64_t added = 0, taken = 0;
    for (uint64_t key = 1; key <= VIRTUAL_WAITS_MAX + 1; key++)
        added += add(key);
    tap_ok(added > VIRTUAL_WAITS_MAX * 0.9 && added <= VIRTUAL_WAITS_MAX, "%lu of %d waits fit", (unsigned long)added, VIRTUAL_WAITS_MAX);
    for (uint64_t key = 1; key <= VIRTUAL_WAITS_MAX + 1; key++)
        taken += virtual_waits_take(&table, key, &w) && is_of(&w, key);
    tap_ok(taken == added, "none of them is lost");
    long before = pages();
    virtual_waits_deinit(&table);
    tap_ok(before - pages() > VIRTUAL_WAITS_MAX * 50L / 4096, "the memory is given back");
}

static _Atomic uint64_t lost, claims;
static _Atomic bool is_over;

static void *work(void *argument)
{
    uint64_t first = (uint64_t)(uintptr_t)argument * AT_ONCE + 1;
    struct virtual_wait w;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint64_t key = first; key < first + AT_ONCE; key += 1 + (uint64_t)round % 3)
            add(key);
        for (uint64_t key = first; key < first + AT_ONCE; key += 1 + (uint64_t)round % 3)
            if (!virtual_waits_take(&table, key, &w))
                lost++;
            else if (!is_of(&w, key))
                abort();
    }
    return NULL;
}

static void *claim(void *unused)
{
    struct virtual_wait w;
    uint64_t key;
    while (!atomic_load(&is_over)) {
        uint32_t place = 0;
        while (virtual_waits_claim(&table, &place, &key, &w)) {
            claims++;
            if (!is_of(&w, key))
                abort();
        }
    }
    return unused;
}

static void test_together(void)
{
    pthread_t threads[THREADS], claimer;
    pthread_create(&claimer, NULL, claim, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&is_over, true);
    pthread_join(claimer, NULL);
    tap_ok(lost == claims, "%d threads: each wait is taken once, %lu of them by the collector", THREADS, (unsigned long)claims);
}

int main(void)
{
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a single touch makes a huge page resident, and pages are counted here */
    test_one();
    test_churn();
    test_full();
    test_together();
    return tap_done();
}
