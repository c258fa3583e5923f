/* record -- COMMAND: starts a child process that has the agent from its first moment. */
#include "base/buffer.h"
#include "base/text/utf8.h"
#include "cli/interrupt.h"
#include "cli/record/jdk_recorder.h"
#include "cli/record/launch.h"
#include "cli/record/watch.h"
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_MS = 200 };

struct child {
    pid_t pid;
    bool is_java; /* the child itself is the JVM, so candor can communicate with its agent */
    bool forwarded;
    bool ended;
    int status; /* from waitpid, if ended */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Makes "-agentpath:LIBRARY=OPTIONS". OPTIONS is a control request without its command word. */
static int agent_argument(const struct recording *r, bool is_java, const struct process *self, struct buffer *out)
{
    char library[PATH_MAX];
    struct control_request request;
    int status = session_library(self, library, sizeof library);
    if (status)
        return status;
    control_begin(&request, "");
    recording_options(r, &request, is_java ? WATCH_GUARD_NS : 0);
    buffer_u8(&request.line, 0);
    buffer_printf(out, "-agentpath:%s=%s", library, request.line.failed ? "" : (const char *)request.line.data + 1);
    bool failed = request.line.failed || out->failed;
    buffer_deinit(&request.line);
    return failed ? cli_fail("cannot record: the options of the agent are too long; use a shorter path") : CLI_OK;
}

/* Becomes the command, in the child after fork. On failure, writes the reason to the pipe. On success the pipe is closed. */
static _Noreturn void become(char **command, const char *agent, bool is_java, int count, int failure_fd)
{
    char **argv = calloc((size_t)count + 2, sizeof *argv);
    int error = ENOMEM;
    if (argv) {
        argv[0] = command[0];
        argv[1] = (char *)agent;
        memcpy(argv + (is_java ? 2 : 1), command + 1, (size_t)(count - 1) * sizeof *argv);
        argv[count + is_java] = NULL;
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execvp(argv[0], argv);
        error = errno;
    }
    ssize_t n = write(failure_fd, &error, sizeof error);
    _exit(n == sizeof error ? 127 : 126);
}

static int set_tool_options(const char *agent, const char *program)
{
    const char *old = getenv("JAVA_TOOL_OPTIONS");
    char *text;
    if (asprintf(&text, "%s%s%s", old ? old : "", old && *old ? " " : "", agent) < 0)
        return cli_fail("out of memory");
    int code = setenv("JAVA_TOOL_OPTIONS", text, 1);
    free(text);
    if (code)
        return cli_fail("cannot set JAVA_TOOL_OPTIONS: %s", strerror(errno));
    fflush(stdout);
    fputs("candor: '", stderr);
    utf8_print(stderr, program);
    fputs("' is not java itself: the agent is passed in JAVA_TOOL_OPTIONS, and the JVM will print a line about it\n", stderr);
    return CLI_OK;
}

static int spawn(const struct cli_args *args, const char *agent, struct child *child)
{
    int pipe_fds[2], error = 0;
    if (!child->is_java) {
        int status = set_tool_options(agent, args->operands[0]);
        if (status)
            return status;
    }
    if (pipe2(pipe_fds, O_CLOEXEC))
        return cli_fail("cannot run '%.200s': %s", args->operands[0], strerror(errno));
    child->pid = fork();
    if (child->pid == 0)
        become(args->operands, agent, child->is_java, args->operand_count, pipe_fds[1]);
    error = child->pid < 0 ? errno : 0;
    close(pipe_fds[1]);
    if (!error && read(pipe_fds[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(pipe_fds[0]);
    if (!error)
        return CLI_OK;
    if (child->pid > 0)
        waitpid(child->pid, NULL, 0);
    return cli_fail("cannot run '%.200s': %s; give the program's path", args->operands[0], strerror(error));
}

/* Forwards the signal that candor received to the child, once. Ctrl-C on a terminal has already reached the child, and a second one
 * would be another request. */
static void forward(struct child *child)
{
    if (interrupt_signal() && !child->forwarded && !child->ended) {
        child->forwarded = true;
        if (!interrupt_by_terminal())
            kill(child->pid, interrupt_signal());
    }
}

static void wait_child(struct child *child)
{
    while (!child->ended) {
        forward(child);
        pid_t got = waitpid(child->pid, &child->status, WNOHANG);
        child->ended = got == child->pid || (got < 0 && errno != EINTR);
        if (!child->ended)
            poll(NULL, 0, STEP_MS / 10);
    }
}

/* Watches a child that is java. Its agent answers requests, and can be told to stop while the child continues. */
static int watch_java(const struct cli_args *args, struct recording *r, struct child *child)
{
    struct jdk_recorder jdk;
    struct session s;
    int status = session_open_child(&s, child->pid, args);
    if (status) /* it has exited already */
        return CLI_OK;
    jdk_recorder_begin_child(&jdk, &s, r, WATCH_GUARD_NS);
    enum watch_end end = watch_recording(&s, r, false);
    forward(child);
    if (end == WATCH_TIME || end == WATCH_STOPPED || end == WATCH_FAILED)
        status = watch_finish(&s, r, end);
    else
        wait_child(child); /* the recording ends with the child */
    int joined = jdk_recorder_end(&jdk, &s, r->file.path);
    session_close(&s);
    return status ? status : joined;
}

static int exit_status(const struct child *child, int own)
{
    if (WIFSIGNALED(child->status))
        cli_fail("the command was killed by signal %d (%s)", WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
    int theirs = WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : WEXITSTATUS(child->status);
    return theirs ? theirs : own;
}

bool launch_is_java(const struct cli_args *args)
{
    return !strcmp(base_name(args->operands[0]), "java");
}

int launch_record(const struct cli_args *args, struct recording *r, const struct sending *to)
{
    struct process self;
    struct error e;
    struct buffer agent;
    struct child child = {.is_java = launch_is_java(args)};
    if (r->given[OPTION_JFR] && !child.is_java)
        return cli_usage(args->command, "--jfr %s: the command must be java itself, so that candor can talk to the JVM",
                         r->given[OPTION_JFR]);
    if (process_read(getpid(), &self, &e))
        return cli_fail("%s", e.text);
    int status = recording_choose_file(r, args, base_name(args->operands[0]));
    if (status)
        return status;
    buffer_init(&agent, 16 << 10);
    status = agent_argument(r, child.is_java, &self, &agent);
    interrupt_catch();
    if (!status)
        status = spawn(args, (const char *)agent.data, &child);
    buffer_deinit(&agent);
    if (status)
        return status;
    if (child.is_java)
        status = watch_java(args, r, &child);
    else
        wait_child(&child);
    int shown = watch_show(r, args);
    if (!status && !shown)
        shown = sending_send(to, args, r->file.path);
    wait_child(&child);
    return exit_status(&child, status ? status : shown);
}
