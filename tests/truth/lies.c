/* libcandor-sabotage.so: the agent with the errors of bad profilers (src/agent/hot/inject.h), one at a time, chosen by the environment:
 *
 *   CANDOR_LIE=records   one sample in a hundred is lost without being counted (the default)
 *              stubs     samples in stubs are lost
 *              caller    the innermost Java frame is left out
 *              period, first, once     see enum inject_lie */
#include "agent/hot/inject.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"

#include <stdlib.h>
#include <string.h>

/* What is known about the present sample of a thread. */
static struct {
    bool has_frame, is_in_stub, has_java;
} states[THREADS_MAX];

static enum { RECORDS, STUBS, CALLER, PERIOD, FIRST, ONCE, LIES } told;

__attribute__((constructor)) static void choose(void)
{
    static const char *const names[LIES] = {"records", "stubs", "caller", "period", "first", "once"};
    const char *name = getenv("CANDOR_LIE");
    for (int i = 0; name && i < LIES; i++)
        if (!strcmp(name, names[i]))
            told = i;
}

bool inject_lies(enum inject_lie lie)
{
    static const int lies[] = {[INJECT_FIXED_PERIOD] = PERIOD, [INJECT_LATE_FIRST] = FIRST, [INJECT_COUNTS_ONCE] = ONCE};
    return (int)told == lies[lie];
}

bool inject_hides_frame(struct sampled_thread *t, uint64_t frame)
{
    size_t i = (size_t)(t - sampled_threads);
    bool first_java = frame_is_java(frame) && !states[i].has_java;
    if (!states[i].has_frame)
        states[i].is_in_stub = frame >> 60 == JFR_FRAME_STUB;
    states[i].has_frame = true;
    states[i].has_java |= first_java;
    return told == CALLER && first_java;
}

bool inject_hides_sample(struct sampled_thread *t)
{
    size_t i = (size_t)(t - sampled_threads);
    bool in_stub = states[i].is_in_stub;
    memset(&states[i], 0, sizeof states[i]);
    return told == STUBS ? in_stub : told == RECORDS && (counter_get(&t->counts.expiries) + counter_get(&t->counts.answers)) % 100 == 99;
}
