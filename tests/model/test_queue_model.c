/*
 * The queue under the exhaustive explorer: the real queue passes, and each planted fault is found. A plant weakens one memory order, or
 * splits one read-modify-write of the real code; so this also shows that each of them is needed.
 *
 * tier: quick
 * timeout: 120
 */
#include "../tap.h"

#include "queue_programs.h"

#include <stdatomic.h>

static const struct queue_program programs[] = {
    {"records within and across chunks", 6, 4, {"124"}, "aaaa", true},
    {"a shrink after each record", 4, 4, {"121"}, "aAaAaA", true},
    {"a pool that runs dry", 2, 4, {"271"}, "aAaAa", false},
    {"aborted records", 3, 4, {"1X2"}, "aAaA", true},
    {"an aborted record's chunk goes to another queue", 3, 5, {"1x", "3"}, "aA", true},
    {"a producer that stops in a record", 4, 4, {"1o"}, "aAa", true},
    {"a longer run", 4, 4, {"12111"}, "aAaaA", true},
    {"two queues on a pool of two chunks", 2, 4, {"X1", "2"}, "aAbBa", false},
    {"two producers, a pool with room", 4, 4, {"3", "31"}, "abA", true},
};
#define PROGRAMS (sizeof programs / sizeof *programs)

/* Both store to `tail`: an abort stores the value from before the record was begun, except for the flag. */
static bool is_abort(uint64_t before, uint64_t operand)
{
    return operand == before - 1;
}

static bool is_commit(uint64_t before, uint64_t operand)
{
    return !is_abort(before, operand);
}

static const struct {
    const char *text;
    struct explore_plant plant;
} plants[] = {
    {"a relaxed publish", {"tail", OP_STORE, PLANT_ORDER, memory_order_relaxed, is_commit}},
    {"a relaxed abort", {"tail", OP_STORE, PLANT_ORDER, memory_order_relaxed, is_abort}},
    {"a relaxed look for records", {"tail", OP_LOAD, PLANT_ORDER, memory_order_relaxed}},
    {"a relaxed begin", {"tail", OP_ADD, PLANT_ORDER, memory_order_relaxed}},
    {"a begin that is not one step", {"tail", OP_ADD, PLANT_TEAR, memory_order_acq_rel}},
    {"a shrink that does not release", {"tail", OP_CAS, PLANT_ORDER, memory_order_acquire}},
    {"a shrink that does not acquire", {"tail", OP_CAS, PLANT_ORDER, memory_order_release}},
    {"a shrink that is not one step", {"tail", OP_CAS, PLANT_TEAR, memory_order_acq_rel}},
    {"a shrink that does not compare", {"tail", OP_CAS, PLANT_FORCE, 0}},
    {"a relaxed take", {"taken", OP_CAS, PLANT_ORDER, memory_order_relaxed}},
    {"a take that is not one step", {"taken", OP_CAS, PLANT_TEAR, memory_order_acq_rel}},
    {"a relaxed give", {"taken", OP_AND, PLANT_ORDER, memory_order_relaxed}},
};
#define PLANTS (sizeof plants / sizeof *plants)

static void note_trace(char *trace)
{
    for (char *line = trace, *end; *line; line = end + 1) {
        for (end = line; *end != '\n'; end++) {
            if (!*end)
                return;
        }
        *end = 0;
        tap_note("    %s", line);
    }
}

static void pass(const struct queue_program *p)
{
    struct explore_result result;

    explore(queue_program(p), NULL, &result);
    if (!tap_ok(!result.failed, "%s: %llu executions, %llu states, at most %u operations for a record", p->name,
                (unsigned long long)result.executions, (unsigned long long)result.states, queue_program_steps())) {
        tap_note("%s", result.message);
        note_trace(result.trace);
    }
}

/* Runs the programs one after the other, until one shows the fault. */
static void find(const char *text, const struct explore_plant *plant)
{
    struct explore_result result;
    uint64_t executions = 0;
    size_t i = 0;

    do {
        explore(queue_program(&programs[i]), plant, &result);
        executions += result.executions;
    } while (!result.failed && ++i < PROGRAMS);
    tap_ok(result.failed, "%s is found after %llu executions: %s (%s)", text, (unsigned long long)executions, result.message,
           result.failed ? programs[i].name : "");
}

int main(void)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        pass(&programs[i]);
    for (size_t i = 0; i < PLANTS; i++)
        find(plants[i].text, &plants[i].plant);
    return tap_done();
}
