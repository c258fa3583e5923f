#include "base/agreed/counted_event.h"

#include "base/text/number.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SELDOM = 1, NOW_AND_THEN = 100, OFTEN = 10000, ALWAYS = 1000000, RAW_DIGITS_MAX = 16 };
/* The lowest interval of a tracepoint. A tracepoint may count system calls, and taking a sample makes some of them. */
enum { IN_A_SAMPLE = 10 };

#define CACHE(which, op, result)                                                                                                           \
    (PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct known {
    const char *name;
    uint32_t type;
    uint64_t config;
    uint64_t interval;
    bool in_kernel;
} known[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ALWAYS, false},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ALWAYS, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, ALWAYS, false},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ALWAYS, false},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, OFTEN, false},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, OFTEN, false},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, OFTEN, false},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, OFTEN, false},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, ALWAYS, false},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, ALWAYS, false},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, ALWAYS, false},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), ALWAYS, false},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), OFTEN, false},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS), OFTEN, false},
    {"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), OFTEN, false},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), OFTEN, false},
    {"dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS), ALWAYS, false},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS), OFTEN, false},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), OFTEN, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NOW_AND_THEN, false},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, NOW_AND_THEN, false},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, SELDOM, false},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, NOW_AND_THEN, false},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, NOW_AND_THEN, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NOW_AND_THEN, true},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, SELDOM, true},
};

static bool is_raw(const char *name)
{
    size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
    return digits && digits <= RAW_DIGITS_MAX && !name[1 + digits];
}

/* Whether the name has the form of a tracepoint: "sched:sched_switch". Its characters are limited, so that it cannot be a path to
 * another folder. */
static bool is_tracepoint(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t system = strspn(name, letters);
    return system && name[system] == ':' && name[system + 1] && !name[system + 1 + strspn(name + system + 1, letters)];
}

static void fill(struct counted_event *out, const struct known *k)
{
    *out = (struct counted_event){k->type, k->config, k->interval, k->interval < OFTEN ? 1 : k->interval / 10, k->in_kernel};
}

bool counted_event_find(struct counted_event *out, const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) {
            fill(out, &known[i]);
            return true;
        }
    if (is_raw(name))
        *out = (struct counted_event){PERF_TYPE_RAW, number_based_or_zero(name + 1, 16), ALWAYS, OFTEN / 10, false};
    else if (is_tracepoint(name))
        *out = (struct counted_event){PERF_TYPE_TRACEPOINT, 0, NOW_AND_THEN, IN_A_SAMPLE, true};
    else
        return false;
    return true;
}
