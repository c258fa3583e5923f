/* A library that takes a signal before its loading is over: what the environment says, by signal(). */
#include <signal.h>
#include <stdlib.h>

__attribute__((constructor)) static void take(void)
{
    const char *number = getenv("CANDOR_TEST_TAKES");
    if (number)
        signal(atoi(number), SIG_DFL);
}
