/*
 * Half of the work of a heavy test, if tests/run requests half of it (CANDOR_HALF, a number that grows with each commit): the other half
 * runs at the next commit. If it does not, every item runs.
 */
#ifndef TESTS_HALF_H
#define TESTS_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* -1: everything runs. */
static inline int half_turn(void)
{
    const char *turn = getenv("CANDOR_HALF");
    return turn ? atoi(turn) % 2 : -1;
}

/* Whether item i of a list, counted from 0, runs this time. */
static inline bool half_has(size_t i)
{
    int turn = half_turn();
    return turn < 0 || i % 2 == (size_t)turn;
}

#endif
