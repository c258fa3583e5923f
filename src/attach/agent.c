/* Makes sure that our agent runs in a JVM: if it does not answer, loads it, and waits until it listens. */
#include "attach/agent.h"
#include "attach/attach.h"
#include "attach/control.h"
#include "attach/jvm.h"
#include "attach/library.h"
#include "base/agreed/control_protocol.h"
#include "base/text/units.h"

#include <errno.h>
#include <poll.h>

enum { STEP_MS = 20 };

static int ask_status(pid_t pid, uint64_t timeout_ns, struct control_answer *answer, struct error *e)
{
    struct control_request r;
    control_begin(&r, "status");
    return control_send(pid, &r, timeout_ns, answer, e);
}

static bool just_wait(const void *unused, int ms)
{
    (void)unused;
    poll(NULL, 0, ms);
    return false;
}

/* Waits for the agent, which opens its socket while it is being loaded, or shortly after. */
static int wait_for_agent(pid_t pid, uint64_t timeout_ns, bool (*wait_end)(const void *, int), const void *context, struct error *e)
{
    struct control_answer answer;
    uint64_t deadline = clock_monotonic_ns() + timeout_ns;
    for (;;) {
        int code = ask_status(pid, timeout_ns, &answer, e);
        control_answer_free(&answer);
        if (code != -ENOENT)
            return code;
        if (clock_monotonic_ns() >= deadline)
            return error_set(e, -ETIMEDOUT,
                             "cannot reach the agent in %d: it is loaded but has opened no socket; see the JVM's "
                             "own output",
                             pid);
        if (wait_end(context, STEP_MS))
            return error_set(e, -ESRCH, "cannot reach the agent in %d: the process exited meanwhile", pid);
    }
}

/* Checks that the agent uses our protocol. Its version may differ. */
static int check_protocol(pid_t pid, const struct control_answer *answer, struct error *e)
{
    const char *version = control_text(answer, "version");
    if (control_number(answer, "protocol", 0) == CONTROL_PROTOCOL)
        return 0;
    return error_set(
        e, -EPROTO,
        "cannot start a recording in %d: its agent is of candor %.40s, which uses a different protocol than this candor " CANDOR_VERSION
        "; use that version, or restart the JVM",
        pid, version ? version : "?");
}

int agent_load(const struct process *target, const struct agent_library *library, uint64_t timeout_ns,
               bool (*wait_end)(const void *context, int ms), const void *context, struct error *e)
{
    struct control_answer answer;
    struct error why;
    struct jvm jvm;
    char path[PATH_MAX];
    pid_t pid = target->pid;
    int code = ask_status(pid, timeout_ns, &answer, e);
    if (!code) {
        code = check_protocol(pid, &answer, e);
        control_answer_free(&answer);
        return code;
    }
    if (code != -ENOENT)
        return code;
    /* Checks that the process is a JVM before the library is unpacked. */
    code = jvm_read(pid, &jvm, &why);
    if (code)
        return error_set(e, code, "cannot attach to %d: %s", pid, why.text);
    code = library_place(library->bytes, library->len, target, path, sizeof path, e);
    if (!code)
        code = attach_load(pid, path, "", timeout_ns, e);
    return code ? code : wait_for_agent(pid, timeout_ns, wait_end ? wait_end : just_wait, context, e);
}
