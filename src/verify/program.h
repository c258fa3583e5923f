/* Runs a child process with a line protocol over its standard input and output. Its standard error goes to a file. There is one owner. */
#ifndef CANDOR_VERIFY_PROGRAM_H
#define CANDOR_VERIFY_PROGRAM_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROGRAM_LINE_MAX = 1024 };

struct program {
    pid_t pid; /* 0 = no program runs */
    int in, out;
    char buffer[PROGRAM_LINE_MAX];
    size_t length;
};

/* Starts argv[0], which is searched in PATH. The program is killed when this process ends. Returns 0 or a negative errno with e. */
int program_start(struct program *p, char *const argv[], const char *errors, struct error *e);
/* Reads the next line, without its end. Returns 0, -ETIMEDOUT, -EPIPE if the program has ended, -EINTR if a signal asks this process to
 * end, or -EMSGSIZE. */
int program_read(struct program *p, char line[PROGRAM_LINE_MAX], uint64_t timeout_ns);
int program_say(struct program *p, const char *line); /* sends a line; returns 0 or a negative errno */
/* Closes the program's input and waits for its end. Returns its exit status, 128 + signal, or -ETIMEDOUT after the program was killed. */
int program_end(struct program *p, uint64_t timeout_ns);
void program_kill(struct program *p);

#endif
