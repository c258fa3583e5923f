/*
 * Half of a heavy test's work, where tests/run asks for half of it (CANDOR_HALF, a number that grows with each commit): the other half
 * comes at the next commit. Where it does not ask, every item has its turn.
 */
#ifndef TESTS_HALF_H
#define TESTS_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* -1: everything has its turn. */
static inline int half_turn(void)
{
    const char *turn = getenv("CANDOR_HALF");
    return turn ? atoi(turn) % 2 : -1;
}

/* Whether item i of a list, counted from 0, has its turn. */
static inline bool half_has(size_t i)
{
    int turn = half_turn();
    return turn < 0 || i % 2 == (size_t)turn;
}

#endif
