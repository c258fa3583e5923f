/*
 * The explorer itself, on litmus tests: it must reach every outcome that RC11 allows and no other, visit each execution graph once, and
 * report every data race.
 *
 * tier: quick
 * timeout: 60
 * aarch64: yes
 */
#include "../tap.h"

#include "litmus.h"

#include <string.h>

static void check(const struct litmus *test)
{
    struct explore_result result;

    litmus_reset();
    explore(&test->program, NULL, &result);
    if (test->races) {
        tap_ok(result.failed && strstr(result.message, "races"), "%s: %s", test->program.name, result.message);
        return;
    }
    if (!tap_ok(!result.failed && strcmp(litmus_outcomes(), test->outcomes) == 0, "%s: %s", test->program.name, test->outcomes))
        tap_note("%s %s", litmus_outcomes(), result.message);
    if (test->executions > 0)
        tap_ok(result.executions == test->executions, "%s: %llu executions", test->program.name, (unsigned long long)result.executions);
}

int main(void)
{
    for (unsigned i = 0; i < litmus_count; i++)
        check(&litmus_tests[i]);
    return tap_done();
}
