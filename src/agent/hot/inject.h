/* Faults on purpose. In the product each of these is nothing; the variant libcandor-faulty.so, which only tests load,
 * brings tests/fault/inject.c for them. */
#ifndef CANDOR_AGENT_HOT_INJECT_H
#define CANDOR_AGENT_HOT_INJECT_H

#include <stdint.h>

struct registers;
struct sampled_thread;

/* Places in the agent that can be made to fault. */
enum inject_place { INJECT_IN_HANDLER, INJECT_IN_COLLECTOR, INJECT_UNDER_LOCK };

#ifdef CANDOR_INJECT
/* The address of a guarded load, or in its place one that faults. */
uintptr_t inject_address(uintptr_t at);
/* In the handler, behind a sample of t taken at these registers: walks from registers that no thread ever had. */
void inject_walks(struct sampled_thread *t, const struct registers *at);
/* A mistake of the agent's, where and when the test wants one. */
void inject_crash(enum inject_place place);
/* Around what a handler does: how much of the stack it takes, from where the signal came. */
void inject_stack_paint(void);
void inject_stack_measure(const void *context);
#else
static inline uintptr_t inject_address(uintptr_t at)
{
    return at;
}
static inline void inject_walks(struct sampled_thread *t, const struct registers *at)
{
}
static inline void inject_crash(enum inject_place place)
{
}
static inline void inject_stack_paint(void)
{
}
static inline void inject_stack_measure(const void *context)
{
}
#endif

#endif
