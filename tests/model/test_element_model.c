/*
 * The queues of elements under the exhaustive explorer: the real ones pass, and each planted fault is found, including a bubble that a
 * poll mistakes for an empty queue. A plant weakens one memory order, or splits one read-modify-write of the real code.
 *
 * tier: default
 * timeout: 300
 */
#include "../tap.h"

#include "element_programs.h"

#include "candor/queue/common.h"

static const struct element_program programs[] = {
    {"spsc array: element and index", SPSC_ARRAY, 4, 0, 0, 0, 0, {"ooo"}, {"eep"}, true},
    {"spsc array: round the ring", SPSC_ARRAY, 4, 0, 0, 2, 2, {"oooo"}, {"pppp"}, false},
    {"spsc chunked: a ring is full, JUMP", SPSC_CHUNKED, 0, 2, 4, 0, 0, {"ooo"}, {"ekp"}, true},
    {"spsc chunked: the ring is used again", SPSC_CHUNKED, 0, 2, 3, 1, 1, {"ooo"}, {"ppp"}, false},
    {"spsc chunked: the bound", SPSC_CHUNKED, 3, 2, 4, 0, 1, {"ooo"}, {"ppe"}, false},
    {"spsc chunked: looking ahead", SPSC_CHUNKED, 0, 8, 2, 3, 5, {"oooo"}, {"pp"}, false},
    {"spsc growable: from 2 to 4", SPSC_GROWABLE, 4, 2, 0, 0, 1, {"oooo"}, {"ppp"}, false},
    {"spsc growable: round the last ring", SPSC_GROWABLE, 4, 2, 0, 0, 3, {"ooo"}, {"ppp"}, false},
    {"spsc linked: nodes come back", SPSC_LINKED, 0, 0, 3, 0, 1, {"ooo"}, {"eppp"}, false},
    {"mpsc array: two producers", MPSC_ARRAY, 4, 0, 0, 0, 0, {"oo", "o"}, {"eep"}, true},
    {"mpsc array: round the ring", MPSC_ARRAY, 2, 0, 0, 1, 1, {"oo", "o"}, {"pp"}, false},
    {"mpsc chunked: a ring is full", MPSC_CHUNKED, 0, 2, 4, 0, 1, {"o", "o"}, {"kp"}, true},
    {"mpsc chunked: the ring is used again", MPSC_CHUNKED, 0, 2, 3, 0, 1, {"o", "r"}, {"pp"}, false},
    {"mpsc linked: two producers", MPSC_LINKED, 0, 0, 5, 0, 0, {"o", "o"}, {"eep"}, true},
    {"mpsc linked: nodes come back", MPSC_LINKED, 0, 0, 2, 0, 0, {"oo"}, {"pp"}, false},
    {"spmc array: two consumers", SPMC_ARRAY, 2, 0, 0, 0, 1, {"oo"}, {"p", "k"}, false},
    {"mpmc array: two and two", MPMC_ARRAY, 2, 0, 0, 0, 0, {"o", "o"}, {"p", "p"}, true},
    {"mpmc array: round the ring", MPMC_ARRAY, 2, 0, 0, 1, 1, {"oo"}, {"pk"}, false},
    {"spsc array: the consumer walks", SPSC_ARRAY, 4, 0, 0, 2, 1, {"oo"}, {"wpwp"}, true},
    {"spsc array: another thread walks", SPSC_ARRAY, 4, 0, 0, 1, 3, {"oo"}, {"pp", "w"}, false},
    {"spsc chunked: a walk over a JUMP", SPSC_CHUNKED, 0, 2, 4, 0, 1, {"ooo"}, {"wpw"}, true},
    {"spsc growable: a walk over a JUMP", SPSC_GROWABLE, 8, 2, 0, 0, 1, {"oooo"}, {"wpw"}, true},
    {"spsc linked: a walk", SPSC_LINKED, 0, 0, 5, 0, 1, {"oo"}, {"wpwp"}, true},
    {"mpsc array: the consumer walks", MPSC_ARRAY, 4, 0, 0, 0, 1, {"o", "o"}, {"wpw"}, true},
    {"mpsc array: another thread walks", MPSC_ARRAY, 2, 0, 0, 1, 2, {"oo"}, {"pp", "w"}, false},
    {"mpsc chunked: a walk over a JUMP", MPSC_CHUNKED, 0, 2, 4, 0, 1, {"o", "o"}, {"wpw"}, true},
    {"mpsc linked: a walk", MPSC_LINKED, 0, 0, 5, 0, 1, {"o", "o"}, {"wpw"}, true},
    {"spmc array: another thread walks", SPMC_ARRAY, 2, 0, 0, 1, 2, {"oo"}, {"pp", "w"}, false},
    {"mpmc array: another thread walks", MPMC_ARRAY, 2, 0, 0, 1, 2, {"oo"}, {"pp", "w"}, false},
};
#define PROGRAMS (sizeof programs / sizeof *programs)

static bool is_element(uint64_t before, uint64_t operand)
{
    (void)before;
    return operand != 0 && operand != (uint64_t)(uintptr_t)CANDOR_QUEUE_JUMP;
}

static bool is_jump(uint64_t before, uint64_t operand)
{
    (void)before;
    return operand == (uint64_t)(uintptr_t)CANDOR_QUEUE_JUMP;
}

static bool is_empty(uint64_t before, uint64_t operand)
{
    (void)before;
    return operand == 0;
}

static const struct {
    const char *text;
    enum element_queue queue; /* its programs are tried one after the other */
    struct explore_plant plant;
} plants[] = {
    {"spsc array: a relaxed publish", SPSC_ARRAY, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_element}},
    {"spsc array: a relaxed poll", SPSC_ARRAY, {"slot", OP_LOAD, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"spsc array: a slot emptied relaxed", SPSC_ARRAY, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_empty}},
    {"spsc array: a relaxed index", SPSC_ARRAY, {"producer", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"spsc chunked: a relaxed publish", SPSC_CHUNKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_element}},
    {"spsc chunked: a relaxed JUMP", SPSC_CHUNKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_jump}},
    {"spsc chunked: a slot emptied relaxed", SPSC_CHUNKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_empty}},
    {"spsc growable: a relaxed polled index", SPSC_GROWABLE, {"consumer", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"spsc linked: a relaxed link", SPSC_LINKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_element}},
    {"mpsc array: a relaxed publish", MPSC_ARRAY, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_element}},
    {"mpsc array: a relaxed polled index", MPSC_ARRAY, {"consumer", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"mpsc array: a claim that is not one step", MPSC_ARRAY, {"producer", OP_CAS, PLANT_TEAR, __ATOMIC_ACQ_REL}},
    {"mpsc chunked: a relaxed publish", MPSC_CHUNKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_element}},
    {"mpsc chunked: a relaxed JUMP", MPSC_CHUNKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_jump}},
    {"mpsc chunked: a claim that is not one step", MPSC_CHUNKED, {"producer", OP_CAS, PLANT_TEAR, __ATOMIC_ACQ_REL}},
    {"mpsc chunked: a relaxed claim", MPSC_CHUNKED, {"producer", OP_CAS, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"mpsc chunked: a relaxed polled index", MPSC_CHUNKED, {"consumer", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"mpsc linked: a relaxed link", MPSC_LINKED, {"slot", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED, is_element}},
    {"mpsc linked: a relaxed exchange", MPSC_LINKED, {"producer", OP_EXCHANGE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"spmc array: a claim that is not one step", SPMC_ARRAY, {"consumer", OP_CAS, PLANT_TEAR, __ATOMIC_ACQ_REL}},
    {"spmc array: a relaxed index", SPMC_ARRAY, {"producer", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"mpmc array: a relaxed sequence", MPMC_ARRAY, {"sequence", OP_STORE, PLANT_ORDER, __ATOMIC_RELAXED}},
    {"mpmc array: a claim that is not one step", MPMC_ARRAY, {"producer", OP_CAS, PLANT_TEAR, __ATOMIC_ACQ_REL}},
};
#define PLANTS (sizeof plants / sizeof *plants)

/* A poll that mistakes a bubble for an empty queue: relaxed_poll may do this, poll must not. */
static const struct element_program bubbles[] = {
    {"mpsc array", MPSC_ARRAY, 4, 0, 0, 0, 0, {"o", "o"}, {"b"}, true},
    {"mpsc chunked", MPSC_CHUNKED, 0, 4, 2, 0, 0, {"o", "o"}, {"b"}, true},
    {"mpsc linked", MPSC_LINKED, 0, 0, 3, 0, 0, {"o", "o"}, {"b"}, true},
    {"mpmc array", MPMC_ARRAY, 4, 0, 0, 0, 0, {"o", "o"}, {"b"}, true},
};

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

static void pass(const struct element_program *p)
{
    struct explore_result result;

    explore(element_program(p), NULL, &result);
    if (!tap_ok(!result.failed && result.executions > 0, "%s: %llu executions, %llu states", p->name, (unsigned long long)result.executions,
                (unsigned long long)result.states)) {
        tap_note("%s", result.message);
        note_trace(result.trace);
    }
}

static void find(const char *text, enum element_queue queue, const struct explore_plant *plant)
{
    struct explore_result result = {0};
    uint64_t executions = 0;
    size_t i = 0;

    for (; i < PROGRAMS && !result.failed; i++) {
        if (programs[i].queue != queue)
            continue;
        explore(element_program(&programs[i]), plant, &result);
        executions += result.executions;
    }
    tap_ok(result.failed, "%s is found after %llu executions: %s", text, (unsigned long long)executions, result.message);
}

int main(void)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        pass(&programs[i]);
    for (size_t i = 0; i < PLANTS; i++)
        find(plants[i].text, plants[i].queue, &plants[i].plant);
    for (size_t i = 0; i < sizeof bubbles / sizeof *bubbles; i++) {
        struct explore_result result;

        explore(element_program(&bubbles[i]), NULL, &result);
        tap_ok(result.failed, "%s: a bubble taken for emptiness is found: %s", bubbles[i].name, result.message);
    }
    return tap_done();
}
