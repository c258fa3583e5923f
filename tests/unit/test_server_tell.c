/* The server's log: a flood of lines is cut, and what is left out is counted and reported.
 * tier: default
 * timeout: 60 */
#include "../tap.h"

#include "server/logs/tell.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 5000 };

static unsigned count(const char *text, const char *of)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, of)); at++)
        n++;
    return n;
}

/* Reads all that was written to the standard error's file. */
static void read_all(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = 0;
}

int main(void)
{
    static char text[1 << 20];
    FILE *file = tmpfile();
    int shown = dup(STDERR_FILENO), fd = file ? fileno(file) : -1;
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        return 1;
    for (int i = 0; i < MANY; i++)
        tell_line("something happens all the time");
    read_all(fd, text, sizeof text);
    unsigned windows = count(text, "were left out") + 1; /* the machine may have been slow */
    unsigned lines = count(text, "something happens");
    tap_ok(lines >= TELL_LINES && lines <= windows * TELL_LINES, "of %d lines, %u are written", MANY, lines);
    tap_ok(tell_left_out() + lines == MANY, "the others are counted: %llu", (unsigned long long)tell_left_out());
    for (int i = 0; i < 10 * (TELL_WINDOW_S + 10) && count(text, "were left out") < windows; i++) {
        usleep(100000);
        tell_rest();
        read_all(fd, text, sizeof text);
    }
    tap_ok(count(text, "were left out") == windows, "and reported when their window is over, although nothing else happens");
    tell_line("another event");
    read_all(fd, text, sizeof text);
    tap_ok(count(text, "another event") == 1, "then there is room again");
    dup2(shown, STDERR_FILENO);
    fclose(file);
    return tap_done();
}
