/* A library that takes a signal while it is being loaded, with signal(); the environment says which signal. */
#include <signal.h>
#include <stdlib.h>

__attribute__((constructor)) static void take(void)
{
    const char *number = getenv("CANDOR_TEST_TAKES");
    if (number)
        signal(atoi(number), SIG_DFL);
}
