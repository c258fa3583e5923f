/* Hooks for tests in the handler. In the product each of them is empty. Variants that only tests load: libcandor-walk-cost.so has more
 * walks (CANDOR_MORE_WALKS; bench/walk), libcandor-capture.so also captures walks (CANDOR_INJECT; tests/replay), libcandor-faulty.so has
 * all of these (and CANDOR_PLANT; tests/fault). libcandor-sabotage.so samples wrongly on purpose (CANDOR_SABOTAGE; tests/truth). */
#ifndef CANDOR_AGENT_HOT_INJECT_H
#define CANDOR_AGENT_HOT_INJECT_H

#ifdef CANDOR_SAME_IN_VARIANTS
#error "this file sees inject.h: add it to agent_varied in src/agent/meson.build"
#endif

#include <stdbool.h>
#include <stdint.h>

struct registers;
struct sampled_thread;

/* Places in the agent that can be made to fault. */
enum inject_place { INJECT_IN_HANDLER, INJECT_IN_COLLECTOR, INJECT_UNDER_LOCK, INJECT_IN_CALLBACK, INJECT_AT_LOAD };

/* Bugs that a test can switch on, to check that it finds them. */
enum inject_bug { INJECT_NESTS, INJECT_TAKES_PLACE_FOR_METHOD };

/* The kinds of facts that walks remember. */
enum inject_memory { INJECT_NAMES, INJECT_RULES, INJECT_CALL_SITES };

/* The ways in which a sabotaged clock is wrong. */
enum inject_lie {
    INJECT_FIXED_PERIOD, /* a period is drawn once and never again */
    INJECT_LATE_FIRST,   /* the first sample of a thread comes only after a whole interval */
    INJECT_COUNTS_ONCE   /* an expiry weighs one interval, whatever it stands for */
};

#ifdef CANDOR_SABOTAGE
bool inject_lies(enum inject_lie lie);
/* Whether to leave this frame out of the thread's sample. */
bool inject_hides_frame(struct sampled_thread *t, uint64_t frame);
/* Whether to drop the sample without counting it as lost. Called at the end of each sample. */
bool inject_hides_sample(struct sampled_thread *t);
#else
static inline bool inject_lies(enum inject_lie lie)
{
    return false;
}
static inline bool inject_hides_frame(struct sampled_thread *t, uint64_t frame)
{
    return false;
}
static inline bool inject_hides_sample(struct sampled_thread *t)
{
    return false;
}
#endif

#ifdef CANDOR_MORE_WALKS
/* Called in the handler, after it has taken a sample of t at these registers. */
void inject_walks(struct sampled_thread *t, const struct registers *at);
#else
static inline void inject_walks(struct sampled_thread *t, const struct registers *at)
{
}
#endif

#ifdef CANDOR_INJECT
/* Returns the address of a guarded load, or an address that faults in its place. */
uintptr_t inject_address(uintptr_t at);
/* Whether a walk must ignore what earlier walks have remembered in this kind of memory. */
bool inject_forgets(enum inject_memory memory);
#else
static inline uintptr_t inject_address(uintptr_t at)
{
    return at;
}
static inline bool inject_forgets(enum inject_memory memory)
{
    return false;
}
#endif

#ifdef CANDOR_PLANT
/* Makes the agent fault at this place if the test requests it. */
void inject_crash(enum inject_place place);
/* Whether this bug is planted. */
bool inject_plants(enum inject_bug bug);
/* Called in the handler while its record is open: handles another expiry of the thread, as if a second trap had interrupted the
 * handler. */
void inject_nested(struct sampled_thread *t, const void *context);
/* Measure how much of the stack a handler uses. They are called before and after its work, and measure from the place where the signal
 * came. */
void inject_stack_paint(void);
void inject_stack_measure(const void *context);
/* Notes that a trap interrupted the handler. */
void inject_stack_nested(void);
#else
static inline void inject_crash(enum inject_place place)
{
}
static inline bool inject_plants(enum inject_bug bug)
{
    return false;
}
static inline void inject_nested(struct sampled_thread *t, const void *context)
{
}
static inline void inject_stack_paint(void)
{
}
static inline void inject_stack_measure(const void *context)
{
}
static inline void inject_stack_nested(void)
{
}
#endif

#endif
