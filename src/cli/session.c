/* Functions for the commands that communicate with one JVM: they find the process, load the agent, and send requests to it. */
#include "attach/agent.h"
#include "attach/jvm.h"
#include "attach/library.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/paths_option.h"
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char agent_library[] __attribute__((visibility("hidden"))); /* embed.c */
extern const char agent_library_end[] __attribute__((visibility("hidden")));

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
        if (*jvm_brief_name(&jvm, name, sizeof name))
            memcpy(s->name, name, sizeof name);
    }
    return CLI_OK;
}

/* Reads --timeout. With --paths, the JVM may need the time of that option in addition, and longer for a walk that is broken off, so
 * twice that time is added. */
static int read_timeout(struct session *s, const struct cli_args *args)
{
    unsigned long long paths_ns = 0;
    int status = cli_duration(args, "timeout", 10 * NS_PER_S, &s->timeout_ns);
    if (!status && !s->timeout_ns)
        return cli_usage(args->command, "--timeout 0 leaves no time for an answer; use a duration such as 10s");
    if (!status && cli_option(args, "paths"))
        status = paths_option_read(args, &paths_ns);
    s->timeout_ns += 2 * paths_ns;
    return status;
}

int session_open(struct session *s, const struct cli_args *args)
{
    struct error e;
    pid_t pid;
    *s = (struct session){.handle = -1};
    int status = read_timeout(s, args);
    if (status)
        return status;
    if (jvm_resolve(args->operands[0], &pid, &e))
        return cli_fail("%s", e.text);
    return open_process(s, pid, args);
}

int session_open_child(struct session *s, pid_t pid, const struct cli_args *args)
{
    *s = (struct session){.handle = -1};
    int status = read_timeout(s, args);
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
    struct pollfd p = {s->handle, POLLIN, 0}; /* poll ignores a descriptor of -1 and only sleeps */
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

void session_name_recording(struct control_request *r, uint64_t recording)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, recording);
    if (recording)
        control_option(r, "recording", text);
}

int session_ask_about(const struct session *s, const char *command, uint64_t recording, struct control_answer *answer, struct error *e)
{
    struct control_request r;
    control_begin(&r, command);
    session_name_recording(&r, recording);
    return session_ask(s, &r, answer, e);
}

void session_embedded_library(struct agent_library *library)
{
    *library = (struct agent_library){agent_library, (size_t)(agent_library_end - agent_library)};
}

int session_library(const struct process *target, char *path, size_t size)
{
    struct error e;
    size_t len = (size_t)(agent_library_end - agent_library);
    return library_place(agent_library, len, target, path, size, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static bool wait_end(const void *session, int ms)
{
    return session_wait_end(session, ms);
}

int session_load_agent(const struct session *s)
{
    struct agent_library library;
    struct error e;
    session_embedded_library(&library);
    return agent_load(&s->process, &library, s->timeout_ns, wait_end, s, &e) ? cli_fail("%s", e.text) : CLI_OK;
}
