/* What the commands share that talk to one JVM. */
#include "cli/session.h"
#include "attach/attach.h"
#include "attach/jvm.h"
#include "attach/library.h"
#include "base/control_protocol.h"
#include "base/units.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char agent_library[] __attribute__((visibility("hidden")));     /* embed.c */
extern const char agent_library_end[] __attribute__((visibility("hidden")));

enum { STEP_MS = 20 };

static int open_process(struct session *s, pid_t pid, const struct cli_args *args)
{
    struct error e;
    struct jvm jvm;
    s->handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process_read(pid, &s->process, &e))
        return cli_fail("%s", e.text);
    if (s->process.uid != geteuid() && geteuid() != 0) {
        char user[64];
        return cli_fail("cannot reach process %d: it runs as user '%s'; run candor as that user or as root", pid,
                        process_user_name(s->process.uid, user, sizeof user));
    }
    snprintf(s->name, sizeof s->name, "%d", pid);
    if (!jvm_read(pid, &jvm, NULL)) {
        char name[sizeof s->name];
        if (*jvm_short_name(jvm.main, name, sizeof name))
            memcpy(s->name, name, sizeof name);
    }
    return CLI_OK;
}

int session_open(struct session *s, const struct cli_args *args)
{
    struct error e;
    pid_t pid;
    *s = (struct session){.handle = -1};
    int status = cli_duration(args, "timeout", 10000000000ull, &s->timeout_ns);
    if (status)
        return status;
    if (jvm_resolve(args->operands[0], &pid, &e))
        return cli_fail("%s", e.text);
    return open_process(s, pid, args);
}

int session_open_child(struct session *s, pid_t pid, const struct cli_args *args)
{
    *s = (struct session){.handle = -1};
    int status = cli_duration(args, "timeout", 10000000000ull, &s->timeout_ns);
    return status ? status : open_process(s, pid, args);
}

void session_close(struct session *s)
{
    if (s->handle >= 0)
        close(s->handle);
    s->handle = -1;
}

bool session_wait_end(const struct session *s, int ms)
{
    struct process now;
    struct pollfd p = {s->handle, POLLIN, 0}; /* poll passes over a descriptor of -1 and only sleeps */
    if (poll(&p, 1, ms) > 0)
        return true;
    return s->handle < 0 && process_read(s->process.pid, &now, NULL) != 0;
}

int session_ask(const struct session *s, struct control_request *r, struct control_answer *answer, struct error *e)
{
    return control_send(s->process.pid, r, s->timeout_ns, answer, e);
}

int session_ask_simple(const struct session *s, const char *command, struct control_answer *answer, struct error *e)
{
    struct control_request r;
    control_begin(&r, command);
    return session_ask(s, &r, answer, e);
}

int session_library(const struct process *target, char *path, size_t size)
{
    struct error e;
    size_t len = (size_t)(agent_library_end - agent_library);
    return library_place(agent_library, len, target, path, size, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* The agent opens its socket while it is being loaded, or shortly after. */
static int wait_for_agent(const struct session *s)
{
    struct control_answer answer;
    struct error e;
    uint64_t deadline = clock_monotonic_ns() + s->timeout_ns;
    for (;;) {
        int code = session_ask_simple(s, "status", &answer, &e);
        control_answer_free(&answer);
        if (!code)
            return CLI_OK;
        if (code != -ENOENT)
            return cli_fail("%s", e.text);
        if (clock_monotonic_ns() >= deadline)
            return cli_fail("cannot reach the agent in %d: it is loaded but has opened no socket; see the JVM's own output",
                            s->process.pid);
        if (session_wait_end(s, STEP_MS))
            return cli_fail("cannot reach the agent in %d: the process exited meanwhile", s->process.pid);
    }
}

/* An agent of another version is as good, as long as it speaks the same protocol. */
static int check_protocol(const struct session *s, const struct control_answer *answer)
{
    const char *version = control_text(answer, "version");
    if (control_number(answer, "protocol", 0) == CONTROL_PROTOCOL)
        return CLI_OK;
    return cli_fail("cannot start a recording in %d: its agent is of candor %.40s, which speaks another protocol than this "
                    "candor " CANDOR_VERSION "; use that version, or restart the JVM", s->process.pid, version ? version : "?");
}

int session_load_agent(const struct session *s)
{
    struct control_answer answer;
    struct error e;
    struct jvm jvm;
    char library[PATH_MAX];
    int code = session_ask_simple(s, "status", &answer, &e);
    if (!code) {
        int status = check_protocol(s, &answer);
        control_answer_free(&answer);
        return status;
    }
    if (code != -ENOENT)
        return cli_fail("%s", e.text);
    /* Before anything is unpacked for it: is it a JVM at all? */
    if (jvm_read(s->process.pid, &jvm, &e))
        return cli_fail("cannot attach to %d: %s", s->process.pid, e.text);
    int status = session_library(&s->process, library, sizeof library);
    if (status)
        return status;
    if (attach_load(s->process.pid, library, "", s->timeout_ns, &e))
        return cli_fail("%s", e.text);
    return wait_for_agent(s);
}
