#include "litmus.h"

#include <stdatomic.h>
#include <stdio.h>

#define RLX                         memory_order_relaxed
#define ACQ                         memory_order_acquire
#define REL                         memory_order_release
#define LOAD(object, order)         atomic_load_explicit(&s.object, order)
#define STORE(object, value, order) atomic_store_explicit(&s.object, value, order)
#define ADD(object, value, order)   atomic_fetch_add_explicit(&s.object, value, order)

static struct {
    _Atomic(uint64_t) x, y;
    uint64_t plain;
} s;

static uint64_t r[4]; /* the values that the threads have read, a digit each */
static bool seen[10000];

static void setup(void)
{
    r[0] = r[1] = r[2] = r[3] = 0;
}

static void note(void)
{
    seen[r[0] * 1000 + r[1] * 100 + r[2] * 10 + r[3]] = true;
}

static void note_memory(void) /* the final values too */
{
    r[2] = LOAD(x, RLX);
    r[3] = LOAD(y, RLX);
    note();
}

void litmus_reset(void)
{
    for (int i = 0; i < 10000; i++)
        seen[i] = false;
}

const char *litmus_outcomes(void)
{
    static char text[400];
    size_t used = 0;

    text[0] = 0;
    for (unsigned i = 0; i < 10000 && used < sizeof text; i++) {
        if (seen[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%04u", used ? " " : "", i);
    }
    return text;
}

static const char *place(const void *address)
{
    return address == &s.x ? "x" : "y";
}

/* clang-format off */
static void sb_1(void) { STORE(x, 1, REL); r[0] = LOAD(y, ACQ); }
static void sb_2(void) { STORE(y, 1, REL); r[1] = LOAD(x, ACQ); }

static void mp_1(void) { STORE(x, 1, RLX); STORE(y, 1, RLX); }
static void mp_2(void) { r[0] = LOAD(y, RLX); r[1] = LOAD(x, RLX); }
static void mp_1_rel(void) { STORE(x, 1, RLX); STORE(y, 1, REL); }
static void mp_2_acq(void) { r[0] = LOAD(y, ACQ); r[1] = LOAD(x, RLX); }

static void lb_1(void) { r[0] = LOAD(x, RLX); STORE(y, 1, RLX); }
static void lb_2(void) { r[1] = LOAD(y, RLX); STORE(x, 1, RLX); }

static void co_1(void) { STORE(x, 1, RLX); STORE(x, 2, RLX); }
static void co_2(void) { r[0] = LOAD(x, RLX); r[1] = LOAD(x, RLX); }

static void ww_1(void) { STORE(x, 1, RLX); STORE(y, 2, RLX); }
static void ww_2(void) { STORE(y, 1, RLX); STORE(x, 2, RLX); }

static void iriw_1(void) { STORE(x, 1, REL); }
static void iriw_2(void) { STORE(y, 1, REL); }
static void iriw_3(void) { r[0] = LOAD(x, ACQ); r[1] = LOAD(y, ACQ); }
static void iriw_4(void) { r[2] = LOAD(y, ACQ); r[3] = LOAD(x, ACQ); }

static void wrc_2(void) { r[0] = LOAD(x, ACQ); STORE(y, 1, REL); }
static void wrc_3(void) { r[1] = LOAD(y, ACQ); r[2] = LOAD(x, RLX); }

static void add_1(void) { r[0] = ADD(x, 1, RLX); }
static void add_2(void) { r[1] = ADD(x, 1, RLX); }
static void add_3(void) { r[2] = ADD(x, 1, RLX); }
static void store_5(void) { STORE(x, 5, RLX); }

static void cas_1(void) { uint64_t e = 0; r[0] = atomic_compare_exchange_strong_explicit(&s.x, &e, 1, RLX, RLX); }
static void cas_2(void) { uint64_t e = 0; r[1] = atomic_compare_exchange_strong_explicit(&s.x, &e, 2, RLX, RLX); }

static void plain_write(void) { s.plain = 1; STORE(x, 1, REL); }
static void plain_write_rlx(void) { s.plain = 1; STORE(x, 1, RLX); }
static void plain_read(void) { if (LOAD(x, ACQ) == 1) r[0] = s.plain; }
static void plain_read_rlx(void) { if (LOAD(x, RLX) == 1) r[0] = s.plain; }
static void plain_read_2(void) { if (LOAD(x, ACQ) == 2) r[0] = s.plain; }
static void plain_write_late(void) { if (LOAD(x, ACQ) == 1) s.plain = 2; }
static void plain_twice(void) { s.plain = 1; STORE(x, 1, REL); s.plain = 3; }
static void store_2(void) { if (LOAD(x, RLX) == 1) STORE(x, 2, RLX); }
/* clang-format on */

#define PROGRAM(text, end, ...)                                                                                                            \
    {                                                                                                                                      \
        text, &s, sizeof s, setup, {__VA_ARGS__}, end, place                                                                               \
    }

const struct litmus litmus_tests[] = {
    {PROGRAM("store buffering", note, sb_1, sb_2), "0000 0100 1000 1100", false, 4},
    {PROGRAM("message passing, relaxed", note, mp_1, mp_2), "0000 0100 1000 1100", false, 4},
    {PROGRAM("message passing, only released", note, mp_1_rel, mp_2), "0000 0100 1000 1100", false, 4},
    {PROGRAM("message passing, only acquired", note, mp_1, mp_2_acq), "0000 0100 1000 1100", false, 4},
    {PROGRAM("message passing, released and acquired", note, mp_1_rel, mp_2_acq), "0000 0100 1100", false, 3},
    {PROGRAM("load buffering", note, lb_1, lb_2), "0000 0100 1000", false, 3},
    {PROGRAM("coherence of reads", note, co_1, co_2), "0000 0100 0200 1100 1200 2200", false, 6},
    {PROGRAM("two writers of two objects", note_memory, ww_1, ww_2), "0011 0012 0021 0022", false, 4},
    {PROGRAM("independent reads of independent writes", note, iriw_1, iriw_2, iriw_3, iriw_4),
     "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111", false, 16},
    {PROGRAM("write to read causality", note, iriw_1, wrc_2, wrc_3), "0000 0010 0100 0110 1000 1010 1110", false, 7},
    {PROGRAM("three additions", note, add_1, add_2, add_3), "0120 0210 1020 1200 2010 2100", false, 6},
    {PROGRAM("an addition and a store", note_memory, add_1, store_5), "0050 5060", false, 2},
    {PROGRAM("two compare and swaps", note_memory, cas_1, cas_2), "0120 1010", false, 2},
    {PROGRAM("plain data, released and acquired", note, plain_write, plain_read), "0000 1000", false, 2},
    {PROGRAM("plain data, only acquired", note, plain_write_rlx, plain_read), "", true, 0},
    {PROGRAM("plain data, only released", note, plain_write, plain_read_rlx), "", true, 0},
    {PROGRAM("plain data behind a relaxed addition", note, plain_write, add_2, plain_read_2), "0000 0100 1100", false, 0},
    {PROGRAM("plain data behind a relaxed store", note, plain_write, store_2, plain_read_2), "", true, 0},
    {PROGRAM("plain data written after its release", note, plain_twice, plain_write_late), "", true, 0},
    {PROGRAM("plain data written and never released", note, plain_write, plain_twice), "", true, 0},
};
const unsigned litmus_count = sizeof litmus_tests / sizeof *litmus_tests;
