#include "verify/program.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_MS = 20 };

/* Runs in the child after the fork and starts the program. If that fails, it writes the error to failure_fd. */
static _Noreturn void become(char *const argv[], const int ends[2], int errors, int failure_fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    dup2(ends[0], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execvp(argv[0], argv);
    int error = errno;
    ssize_t n = write(failure_fd, &error, sizeof error);
    _exit(n == sizeof error ? 127 : 126);
}

static void close_pair(const int fds[2])
{
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static int start(struct program *p, char *const argv[], int to_child[2], int from_child[2], int failure[2], int errors)
{
    int error = 0;
    if (pipe2(to_child, O_CLOEXEC) || pipe2(from_child, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
        return -errno;
    p->pid = fork();
    if (p->pid == 0)
        become(argv, (const int[]){to_child[0], from_child[1]}, errors, failure[1]);
    if (p->pid < 0)
        return -errno;
    close(failure[1]);
    failure[1] = -1;
    if (read(failure[0], &error, sizeof error) != sizeof error)
        return 0;
    waitpid(p->pid, NULL, 0);
    return -error;
}

int program_start(struct program *p, char *const argv[], const char *errors, struct error *e)
{
    int to_child[2] = {-1, -1}, from_child[2] = {-1, -1}, failure[2] = {-1, -1};
    int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    *p = (struct program){.in = -1, .out = -1};
    if (fd < 0)
        return error_set(e, -errno, "cannot write %s: %s", errors, strerror(errno));
    int rc = start(p, argv, to_child, from_child, failure, fd);
    close(fd);
    if (!rc) {
        p->in = to_child[1];
        p->out = from_child[0];
        to_child[1] = from_child[0] = -1;
    } else {
        p->pid = 0;
    }
    close_pair(to_child);
    close_pair(from_child);
    close_pair(failure);
    return rc ? error_set(e, rc, "cannot run '%.200s': %s", argv[0], strerror(-rc)) : 0;
}

/* Takes a line out of the buffer. Returns 1, or 0 if no line is complete. */
static int take_line(struct program *p, char *line)
{
    char *end = memchr(p->buffer, '\n', p->length);
    if (!end)
        return 0;
    size_t len = (size_t)(end - p->buffer);
    memcpy(line, p->buffer, len);
    line[len] = 0;
    p->length -= len + 1;
    memmove(p->buffer, end + 1, p->length);
    return 1;
}

static int fill(struct program *p, uint64_t deadline)
{
    struct pollfd ready = {p->out, POLLIN, 0};
    uint64_t now = clock_monotonic_ns();
    if (p->length == sizeof p->buffer)
        return -EMSGSIZE;
    if (now >= deadline)
        return -ETIMEDOUT;
    if (poll(&ready, 1, (int)((deadline - now) / NS_PER_MS + 1)) < 0)
        return -errno;
    if (!ready.revents)
        return 0;
    ssize_t n = read(p->out, p->buffer + p->length, sizeof p->buffer - p->length);
    if (n <= 0)
        return n ? -errno : -EPIPE;
    p->length += (size_t)n;
    return 0;
}

int program_read(struct program *p, char line[PROGRAM_LINE_MAX], uint64_t timeout_ns)
{
    uint64_t deadline = clock_monotonic_ns() + timeout_ns;
    while (!take_line(p, line)) {
        int rc = fill(p, deadline);
        if (rc)
            return rc;
    }
    return 0;
}

int program_say(struct program *p, const char *line)
{
    size_t len = strlen(line);
    ssize_t n = write(p->in, line, len);
    return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EPIPE;
}

static void close_ends(struct program *p)
{
    close_pair((const int[]){p->in, p->out});
    p->in = p->out = -1;
}

int program_end(struct program *p, uint64_t timeout_ns)
{
    uint64_t deadline = clock_monotonic_ns() + timeout_ns;
    int status = 0;
    pid_t got;
    if (p->in >= 0)
        close(p->in);
    p->in = -1;
    while ((got = waitpid(p->pid, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (clock_monotonic_ns() > deadline) {
            program_kill(p);
            return -ETIMEDOUT;
        }
        poll(NULL, 0, STEP_MS);
    }
    p->pid = 0;
    close_ends(p);
    if (got < 0)
        return -ECHILD;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void program_kill(struct program *p)
{
    if (p->pid) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close_ends(p);
    }
    p->pid = 0;
}
