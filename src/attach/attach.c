/* HotSpot's attach protocol.
 *
 *   we                                             the JVM
 *   create /tmp/.attach_pid<pid>, send SIGQUIT
 *                                                  its signal thread finds the file and opens /tmp/.java_pid<pid>
 *   connect, "1\0load\0PATH\0true\0OPTIONS\0", or "2\0LENGTH\0load\0PATH\0true\0OPTIONS\0"
 *                                                  dlopen(PATH), Agent_OnAttach(OPTIONS)
 *   read "0
 * return code: 0"
 *
 * The first line does not prove success: newer JVMs report a failed load as status 0 and a text. Only "return code: 0" (a bare "0" before
 * JDK 9) is success. All JDKs so far support version 1 of the protocol. Version 2, since JDK 24, allows longer arguments. It is used for
 * such arguments, and for a JVM that no longer supports version 1.
 *
 * A diagnostic command is sent in the same way: "jcmd\0COMMAND\0\0\0". The answer is the status, followed by the text that jcmd prints. */
#include "attach/attach.h"
#include "attach/identity.h"
#include "attach/jvm.h"
#include "attach/socket.h"
#include "base/agreed/control_protocol.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REPLY_MAX = 64 << 10, ARGUMENT_MAX = 1024, LONG_ARGUMENT_MAX = 64 << 10, STEP_MS = 20, BAD_VERSION = 101 };

#define AT_START "start the JVM with -agentpath:.../libcandor.so"

/* A request to the JVM. It has as many arguments as version 1 of the protocol requires. */
struct operation {
    const char *words[4];
    bool is_load;
};

struct attach {
    struct jvm jvm;
    const struct operation *operation;
    pid_t pid;
    int handle; /* a pidfd: the process's id may be reused by another process, the pidfd is not */
    int tmp;    /* the /tmp that the process sees */
    int home;   /* the process's current folder, after it was needed */
    uint64_t deadline, timeout;
};

static int refused(pid_t pid, struct error *e)
{
    return error_set(e, -EOPNOTSUPP,
                     "cannot attach to %d: the JVM refuses to load agents at run time (-XX:-EnableDynamicAgentLoading); "
                     "start it with -XX:+EnableDynamicAgentLoading, or with -agentpath:.../libcandor.so",
                     pid);
}

static int attach_disabled(pid_t pid, struct error *e)
{
    return error_set(e, -EOPNOTSUPP,
                     "cannot attach to %d: attach is disabled (-XX:+DisableAttachMechanism); start the JVM without that "
                     "option, or with -agentpath:.../libcandor.so",
                     pid);
}

static int gone(pid_t pid, struct error *e)
{
    return error_set(e, -ESRCH, "cannot attach to %d: the process exited meanwhile", pid);
}

static int check_allowed(const struct attach *a, struct error *e)
{
    const struct process *p = &a->jvm.process;
    struct error why;
    if (p->uid != geteuid() && geteuid() != 0)
        return error_set(e, -EACCES, "cannot attach to %d: it runs as user '%s'; run candor as that user or as root", a->pid, a->jvm.user);
    if (a->jvm.closed)
        return error_set(e, -EACCES,
                         "cannot attach to %d: candor may not read its memory map (it has capabilities, or a security module forbids it); "
                         "run candor as root",
                         a->pid);
    if (process_check_stopped(p, &why))
        return error_set(e, -EAGAIN, "cannot attach to %d: %s", a->pid, why.text);
    if (a->jvm.attach_disabled)
        return attach_disabled(a->pid, e);
    if (a->operation->is_load && a->jvm.loading_refused)
        return refused(a->pid, e);
    return 0;
}

/* Waits this long, or until the process ends. Returns whether it has ended. */
static bool has_ended(const struct attach *a, int ms)
{
    struct pollfd p = {a->handle, POLLIN, 0};
    return poll(&p, 1, ms) > 0;
}

static int attach_open(struct attach *a, struct error *e)
{
    a->handle = (int)syscall(SYS_pidfd_open, a->pid, 0);
    if (a->handle < 0 && errno != ESRCH && errno != EINVAL) /* ESRCH, EINVAL: jvm_read below gives a better message */
        return error_set(e, -errno, "cannot attach to %d: pidfd_open: %s; Linux 5.3 or newer is needed", a->pid, strerror(errno));
    int code = jvm_read(a->pid, &a->jvm, e);
    code = code ? code : a->handle < 0 ? gone(a->pid, e) : check_allowed(a, e);
    if (code)
        return code;
    a->tmp = process_open_tmp(&a->jvm.process);
    if (a->tmp == -ENOENT || a->tmp == -ESRCH)
        return gone(a->pid, e);
    if (a->tmp < 0)
        return error_set(e, a->tmp, "cannot attach to %d: cannot open its /tmp: %s", a->pid, process_tmp_problem(a->tmp));
    /* The process is still alive, so everything that was read and opened by its id belongs to it. */
    return has_ended(a, 0) ? gone(a->pid, e) : 0;
}

/* Waits until the JVM has a handler. A JVM that is just starting has none yet, and SIGQUIT would kill it. */
static int wait_for_handler(struct attach *a, struct error *e)
{
    for (;;) {
        struct process now;
        if (process_read(a->pid, &now, e))
            return gone(a->pid, e);
        if (now.catches_quit)
            return 0;
        if (clock_monotonic_ns() >= a->deadline)
            return error_set(e, -ETIMEDOUT,
                             "cannot attach to %d: it has no handler for SIGQUIT and no open socket: it is still starting, or it runs with "
                             "-Xrs and its /tmp/.java_pid%d was removed; try again, or " AT_START,
                             a->pid, a->jvm.process.inner_pid);
        if (has_ended(a, STEP_MS))
            return gone(a->pid, e);
    }
}

static int make_trigger(const struct attach *a, int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0)
        return close(fd) ? -errno : 0;
    if (errno != EEXIST || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
        return -errno;
    return S_ISREG(st.st_mode) && st.st_uid == a->jvm.process.uid ? 0 : -EEXIST; /* a file that a client left when it died can be used */
}

static int remove_trigger(const struct attach *a, int folder, const char *name)
{
    return unlinkat(folder, name, 0) ? -errno : 0;
}

/* Makes or removes the trigger file, with the process's rights. The file makes SIGQUIT mean "open the socket" instead of "print a thread
 * dump". The JVM requires that it belongs to the JVM's user. */
static int with_its_rights(int (*act)(const struct attach *, int, const char *), const struct attach *a, int folder, const char *name)
{
    struct identity own;
    int code = identity_assume(&a->jvm.process, &own);
    if (code)
        return code == -EACCES ? -EPERM : code;
    code = act(a, folder, name);
    identity_restore(&own);
    return code;
}

static int explain_trigger(const struct attach *a, const char *name, int code, struct error *e)
{
    const char *user = a->jvm.user;
    switch (code) {
    case -EROFS:
        return error_set(e, code,
                         "cannot attach to %d: its /tmp is read-only, and attaching needs files there; give it a writable /tmp (in a "
                         "container a tmpfs), or " AT_START,
                         a->pid);
    case -EACCES:
        return error_set(e, code,
                         "cannot attach to %d: its user '%s' may not write to its /tmp; set the mode of /tmp to 1777, or " AT_START, a->pid,
                         user);
    case -ENOSPC:
    case -EDQUOT:
        return error_set(e, code, "cannot attach to %d: cannot create /tmp/%s: %s; make room in /tmp, or " AT_START, a->pid, name,
                         strerror(-code));
    case -EEXIST:
        return error_set(e, code,
                         "cannot attach to %d: the file /tmp/%s belongs to another user; have its owner or root remove it, or " AT_START,
                         a->pid, name);
    case -EPERM:
        return error_set(e, code,
                         "cannot attach to %d: it runs as user '%s', and root here lacks the right to act as that user (missing "
                         "capabilities?); run candor as that user",
                         a->pid, user);
    default:
        return error_set(e, code, "cannot attach to %d: cannot create /tmp/%s: %s", a->pid, name, strerror(-code));
    }
}

static int socket_taken(const struct attach *a, const char *name, struct error *e)
{
    struct stat st;
    char owner[64];
    bool known = !fstatat(a->tmp, name, &st, AT_SYMLINK_NOFOLLOW);
    if (known && st.st_uid == a->jvm.process.uid)
        return error_set(e, -EPERM, "cannot attach to %d: its socket would be /tmp/%s, where another file is; remove that file", a->pid,
                         name);
    return error_set(e, -EPERM,
                     "cannot attach to %d: its socket would be /tmp/%s, where there is a file of user '%s'; have that user or root remove "
                     "it, or " AT_START,
                     a->pid, name, known ? process_user_name(st.st_uid, owner, sizeof owner) : "?");
}

static int poll_for_socket(struct attach *a, const char *name, struct error *e)
{
    for (;;) {
        int fd = socket_connect(a->tmp, name, &a->jvm.process, a->deadline);
        if (fd >= 0)
            return fd;
        if (fd == -EPERM)
            return socket_taken(a, name, e);
        if (fd != -ENOENT && fd != -ECONNREFUSED)
            return error_set(e, fd, "cannot attach to %d: its socket /tmp/%s: %s", a->pid, name, strerror(-fd));
        if (clock_monotonic_ns() >= a->deadline)
            return error_set(e, -ETIMEDOUT,
                             "cannot attach to %d: the JVM opened no socket within %u s: it hangs, or runs "
                             "with -XX:+DisableAttachMechanism; start it with -agentpath:.../libcandor.so",
                             a->pid, (unsigned)(a->timeout / NS_PER_S));
        if (has_ended(a, STEP_MS))
            return gone(a->pid, e);
    }
}

/* Makes the trigger file. The JVM looks for it in its current folder first, so that folder is used if the name is taken in /tmp. */
static int place_trigger(struct attach *a, const char *name, int *folder)
{
    char path[64];
    *folder = a->tmp;
    int code = with_its_rights(make_trigger, a, *folder, name);
    if (code != -EEXIST)
        return code;
    snprintf(path, sizeof path, "/proc/%d/cwd", a->pid);
    *folder = a->home = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return a->home >= 0 && !with_its_rights(make_trigger, a, a->home, name) ? 0 : code;
}

static int wake(struct attach *a, const char *name, struct error *e)
{
    char trigger[48];
    int folder, code = wait_for_handler(a, e);
    if (code)
        return code;
    snprintf(trigger, sizeof trigger, ".attach_pid%d", a->jvm.process.inner_pid);
    code = place_trigger(a, trigger, &folder);
    if (code)
        return explain_trigger(a, trigger, code, e);
    if (syscall(SYS_pidfd_send_signal, a->handle, SIGQUIT, NULL, 0))
        code = errno == ESRCH
                   ? gone(a->pid, e)
                   : error_set(e, -errno, "cannot attach to %d: cannot signal it: %s; run candor as root", a->pid, strerror(errno));
    if (!code)
        code = poll_for_socket(a, name, e);
    with_its_rights(remove_trigger, a, folder, trigger);
    return code;
}

static char *socket_name(const struct process *p, char *out, size_t size)
{
    snprintf(out, size, ".java_pid%d", p->inner_pid);
    return out;
}

bool attach_is_open(const struct process *p, uint64_t timeout_ns)
{
    char name[48];
    int tmp = process_open_tmp(p);
    int fd = tmp < 0 ? tmp : socket_connect(tmp, socket_name(p, name, sizeof name), p, clock_monotonic_ns() + timeout_ns);
    if (fd >= 0)
        close(fd);
    if (tmp >= 0)
        close(tmp);
    return fd >= 0;
}

bool attach_is_taken(const struct process *p, uid_t *owner)
{
    struct stat st;
    char name[48];
    int tmp = process_open_tmp(p);
    bool found = tmp >= 0 && !fstatat(tmp, socket_name(p, name, sizeof name), &st, AT_SYMLINK_NOFOLLOW);
    if (tmp >= 0)
        close(tmp);
    *owner = found ? st.st_uid : p->uid;
    return found && (!S_ISSOCK(st.st_mode) || st.st_uid != p->uid);
}

static int connect_jvm(struct attach *a, struct error *e)
{
    char name[48];
    socket_name(&a->jvm.process, name, sizeof name);
    int fd = socket_connect(a->tmp, name, &a->jvm.process, a->deadline);
    if (fd != -ENOENT && fd != -ECONNREFUSED)
        return fd >= 0 ? fd : poll_for_socket(a, name, e);
    return wake(a, name, e);
}

static void make_request(struct buffer *request, int version, const struct operation *o)
{
    size_t len = 0;
    for (size_t i = 0; i < sizeof o->words / sizeof *o->words; i++)
        len += strlen(o->words[i]) + 1;
    buffer_printf(request, "%d", version);
    buffer_u8(request, 0);
    if (version > 1) {
        buffer_printf(request, "%zu", len);
        buffer_u8(request, 0);
    }
    for (size_t i = 0; i < sizeof o->words / sizeof *o->words; i++)
        buffer_put(request, o->words[i], strlen(o->words[i]) + 1);
}

static bool hung_up(int code)
{
    return code == -EPIPE || code == -ECONNRESET;
}

static int exchange(const struct attach *a, int fd, const struct buffer *request, struct buffer *reply)
{
    int code = request->failed ? -ENOMEM : socket_send(fd, request->data, request->len, a->deadline);
    /* A JVM that does not accept such a request may have answered and closed the connection before the request was complete. */
    if (!code || hung_up(code))
        code = socket_receive(fd, reply, a->deadline);
    buffer_u8(reply, 0);
    return code ? code : reply->failed ? -ENOMEM : 0;
}

/* Whether there is an answer. The JVM's status is in its first line. */
static int judge(const struct attach *a, int code, const struct buffer *reply, struct error *e)
{
    if (code == -ETIMEDOUT)
        return error_set(e, code, "cannot attach to %d: the JVM did not answer within %u s; it may be in a long pause: try again", a->pid,
                         (unsigned)(a->timeout / NS_PER_S));
    if ((!code || hung_up(code)) && (!reply->data || !*reply->data))
        return has_ended(a, STEP_MS) ? gone(a->pid, e)
                                     : error_set(e, -EREMOTEIO, "cannot attach to %d: the JVM closed the connection; try again", a->pid);
    if (code && !hung_up(code))
        return error_set(e, code, "cannot attach to %d: reading its answer: %s", a->pid, strerror(-code));
    return 0;
}

static bool is_bad_version(const char *reply)
{
    return number_or_zero(reply) == BAD_VERSION;
}

static int bad_version(pid_t pid, struct error *e)
{
    return error_set(e, -EPROTONOSUPPORT,
                     "cannot attach to %d: the JVM's version of the attach protocol is unknown to candor; use a newer candor", pid);
}

static int ask(struct attach *a, int version, struct buffer *reply, struct error *e)
{
    struct buffer request;
    int fd = connect_jvm(a, e);
    if (fd < 0)
        return fd;
    buffer_init(&request, LONG_ARGUMENT_MAX);
    buffer_reset(reply);
    make_request(&request, version, a->operation);
    int code = judge(a, exchange(a, fd, &request, reply), reply, e);
    buffer_deinit(&request);
    close(fd);
    if (!code && is_bad_version((const char *)reply->data))
        return bad_version(a->pid, e);
    return code;
}

static int too_long(pid_t pid, struct error *e)
{
    return error_set(e, -ENAMETOOLONG,
                     "cannot attach to %d: the library's path is longer than the JVM accepts; set XDG_CACHE_HOME to a shorter path", pid);
}

static int ask_by_any_version(struct attach *a, struct buffer *reply, struct error *e)
{
    bool is_long = false;
    for (size_t i = 0; i < sizeof a->operation->words / sizeof *a->operation->words; i++)
        is_long |= strlen(a->operation->words[i]) >= ARGUMENT_MAX;
    int code = is_long ? -EPROTONOSUPPORT : ask(a, 1, reply, e);
    if (code == -EPROTONOSUPPORT)
        code = ask(a, 2, reply, e);
    return code == -EPROTONOSUPPORT && is_long ? too_long(a->pid, e) : code;
}

/* Performs the operation. If this returns 0, the zero-terminated answer is in the reply. */
static int perform(pid_t pid, const struct operation *operation, uint64_t timeout_ns, struct buffer *reply, struct error *e)
{
    struct attach a = {.operation = operation,
                       .pid = pid,
                       .handle = -1,
                       .tmp = -1,
                       .home = -1,
                       .timeout = timeout_ns,
                       .deadline = clock_monotonic_ns() + timeout_ns};
    int code = attach_open(&a, e);
    if (!code)
        code = ask_by_any_version(&a, reply, e);
    if (a.tmp >= 0)
        close(a.tmp);
    if (a.home >= 0)
        close(a.home);
    if (a.handle >= 0)
        close(a.handle);
    return code;
}

/* Reports a JVM that is still starting. Its attach listener answers before it accepts agents. A JVM since JDK 21 reports this itself; with
 * an older one our agent does. */
static int still_starting(pid_t pid, struct error *e)
{
    return error_set(e, -EBUSY, "cannot attach to %d: the JVM is still starting; try again", pid);
}

int attach_load(pid_t pid, const char *library, const char *options, uint64_t timeout_ns, struct error *e)
{
    const struct operation load = {.words = {"load", library, "true", options}, .is_load = true};
    struct buffer reply;
    if (strlen(library) + strlen(options) + 64 > LONG_ARGUMENT_MAX)
        return too_long(pid, e);
    uint64_t now = clock_monotonic_ns(), deadline = now + timeout_ns;
    bool was_starting = false;
    int code;
    buffer_init(&reply, REPLY_MAX);
    do {
        code = perform(pid, &load, deadline - now, &reply, e);
        if (!code)
            code = attach_parse_reply(pid, (const char *)reply.data, e);
        was_starting |= code == -EBUSY;
        now = clock_monotonic_ns();
    } while (code == -EBUSY && now < deadline && !poll(NULL, 0, STEP_MS));
    buffer_deinit(&reply);
    /* The last try may have had too little time for an answer. */
    return code == -ETIMEDOUT && was_starting ? still_starting(pid, e) : code;
}

int attach_command(pid_t pid, const char *command, uint64_t timeout_ns, struct buffer *answer, struct error *e)
{
    const struct operation jcmd = {.words = {"jcmd", command, "", ""}};
    buffer_reset(answer);
    if (strlen(command) >= ARGUMENT_MAX)
        return error_set(e, -ENAMETOOLONG, "cannot send %d a request of more than %d bytes: '%.60s...'", pid, ARGUMENT_MAX - 1, command);
    int code = perform(pid, &jcmd, timeout_ns, answer, e);
    return code ? code : attach_parse_answer(pid, (const char *)answer->data, e);
}

/* Copies the JVM's text after its status line, with its lines joined to one. */
static void join_lines(const char *text, char *out, size_t size)
{
    size_t o = 0;
    for (text += strspn(text, " \r\n"); *text && o + 2 < size; text++) {
        if (*text != '\n' && *text != '\r')
            out[o++] = *text;
        else if (text[1] && text[1] != '\n')
            out[o++] = ' ';
    }
    out[o] = 0;
}

int attach_parse_reply(pid_t pid, const char *reply, struct error *e)
{
    static const char marker[] = "return code: ";
    const char *rest = reply;
    char line[300];
    int64_t status, code;
    if (number_take_signed(&rest, INT64_MIN, INT64_MAX, &status))
        return error_set(e, -EREMOTEIO, "cannot attach to %d: its answer does not follow the attach protocol", pid);
    if (status == BAD_VERSION)
        return bad_version(pid, e);
    join_lines(rest, line, sizeof line);
    if (strstr(rest, "Dynamic agent loading is not enabled"))
        return refused(pid, e);
    if (strstr(rest, "only permitted in the live phase"))
        return still_starting(pid, e);
    const char *number = strstr(rest, marker);
    number = number ? number + sizeof marker - 1 : line;
    bool answered = status == 0 && !number_take_signed(&number, INT64_MIN, INT64_MAX, &code);
    if (answered && code == 0)
        return 0;
    if (answered && code == AGENT_TOO_EARLY)
        return still_starting(pid, e);
    if (answered)
        return error_set(e, -EREMOTEIO, "cannot attach to %d: the agent refused with code %" PRId64 "; the output of the JVM may show why",
                         pid, code);
    if (!*line)
        snprintf(line, sizeof line, "status %" PRId64 ", without a reason; check that its user can read the agent's library", status);
    return error_set(e, -EREMOTEIO, "cannot attach to %d: the JVM says: %s", pid, line);
}

int attach_parse_answer(pid_t pid, const char *answer, struct error *e)
{
    const char *rest = answer;
    char line[300];
    int64_t status;
    if (number_take_signed(&rest, INT64_MIN, INT64_MAX, &status))
        return error_set(e, -EREMOTEIO, "cannot attach to %d: its answer does not follow the attach protocol", pid);
    if (status == BAD_VERSION)
        return bad_version(pid, e);
    if (status == 0)
        return 0;
    join_lines(rest, line, sizeof line);
    return error_set(e, -EREMOTEIO, "the JVM says: %s", *line ? line : "it refused without a reason");
}

const char *attach_answer_text(const char *answer)
{
    const char *end = strchr(answer, '\n');
    return end ? end + 1 : "";
}
