#include "cli/top/guard.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the recording, if it is still the one that candor began. */
static void end_recording(const struct session *s, const char *file, uint64_t id)
{
    struct control_answer answer;
    struct error e;
    if (session_ask_about(s, "status", id, &answer, &e))
        return;
    const char *now = control_text(&answer, "file");
    bool ours = now && !strcmp(now, file);
    control_answer_free(&answer);
    if (ours && !session_ask_about(s, "stop", id, &answer, &e))
        control_answer_free(&answer);
}

/* Detaches the guard from the terminal, and from programs that read candor's output. */
static void step_aside(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    for (int fd = 0; nowhere >= 0 && fd <= 2; fd++)
        dup2(nowhere, fd);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

static _Noreturn void watch(int fd, const struct session *s, const char *file, uint64_t id, bool remove)
{
    char done;
    ssize_t n;
    step_aside();
    while ((n = read(fd, &done, 1)) < 0)
        ;
    if (!n) {
        end_recording(s, file, id);
        if (remove)
            unlink(file);
    }
    _exit(0);
}

void guard_begin(struct guard *g, const struct session *s, const char *file, uint64_t id, bool remove)
{
    int ends[2];
    *g = (struct guard){0};
    if (pipe2(ends, O_CLOEXEC))
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        watch(ends[0], s, file, id, remove);
    }
    close(ends[0]);
    if (pid > 0)
        *g = (struct guard){pid, ends[1]};
    else
        close(ends[1]);
}

void guard_end(struct guard *g)
{
    if (!g->pid)
        return;
    ssize_t n = write(g->pipe, "", 1);
    close(g->pipe);
    if (n == 1)
        waitpid(g->pid, NULL, 0);
    g->pid = 0;
}
