/* The client of the agent's control socket. */
#include "attach/control.h"
#include "attach/identity.h"
#include "attach/process.h"
#include "attach/socket.h"
#include "base/agreed/control_protocol.h"
#include "base/text/number.h"
#include "base/text/percent.h"
#include "base/text/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAVE_MS = 2000, LEAVE_STEP_MS = 20 };

void control_begin(struct control_request *r, const char *command)
{
    buffer_init(&r->line, CONTROL_REQUEST_MAX);
    buffer_text(&r->line, command);
    r->options = 0;
    r->passed = -1;
}

void control_option(struct control_request *r, const char *key, const char *value)
{
    if (!value)
        return;
    buffer_printf(&r->line, "%c%s=", r->options++ ? ',' : ' ', key);
    percent_encode(&r->line, value);
}

void control_pass_file(struct control_request *r, const char *name, int fd)
{
    control_option(r, "file", name);
    control_option(r, "descriptor", "passed");
    r->passed = fd;
}

const char *control_text(const struct control_answer *answer, const char *key)
{
    for (int i = 0; i < answer->count; i++)
        if (!strcmp(answer->pairs[i].key, key))
            return answer->pairs[i].value;
    return NULL;
}

uint64_t control_number(const struct control_answer *answer, const char *key, uint64_t otherwise)
{
    const char *text = control_text(answer, key);
    uint64_t number;
    return number_parse(text, 0, UINT64_MAX, &number) ? otherwise : number;
}

void control_answer_free(struct control_answer *answer)
{
    free(answer->text);
    *answer = (struct control_answer){0};
}

static char *next_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');
    if (!end)
        return NULL; /* every line ends with a newline: otherwise the answer was cut */
    *end = 0;
    *rest = end + 1;
    return line;
}

int control_parse(char *text, struct control_answer *answer, struct error *e)
{
    char *rest = text, *line = next_line(&rest);
    *answer = (struct control_answer){0};
    if (line && !strncmp(line, "error ", 6))
        return error_set(e, -EREMOTEIO, "%s", line + 6);
    if (!line || strcmp(line, "ok"))
        return error_set(e, -EPROTO, "cannot read the agent's answer; the agent may be of another version of candor: restart the JVM");
    while ((line = next_line(&rest))) {
        char *value = strchr(line, '=');
        if (!value || answer->count == CONTROL_PAIRS_MAX || percent_decode(value + 1))
            return error_set(e, -EPROTO,
                             "the agent's answer has an invalid line; the agent may be of another version of candor: restart the JVM");
        *value = 0;
        answer->pairs[answer->count].key = line;
        answer->pairs[answer->count++].value = value + 1;
    }
    if (*rest)
        return error_set(e, -EPROTO, "the agent's answer is incomplete");
    return 0;
}

static int explain_connect(const struct process *p, int code, struct error *e)
{
    char user[64];
    switch (code) {
    case -ENOENT:
        return error_set(e, code, "no agent of candor is active in process %d", p->pid);
    case -ENOTCONN:
        return error_set(e, code,
                         "cannot talk to the agent in %d: it could not create its control socket in /tmp or /dev/shm; its recording "
                         "continues until the JVM ends. Start the JVM with one of these folders writable",
                         p->pid);
    case -EACCES:
        return error_set(e, code,
                         "cannot talk to the agent in %d: it runs as user '%s'; run candor as that user or as "
                         "root",
                         p->pid, process_user_name(p->uid, user, sizeof user));
    case -ETIMEDOUT:
        return error_set(e, code, "cannot talk to the agent in %d: it accepts no connection; the machine may be overloaded: try again",
                         p->pid);
    default:
        return error_set(e, code, "cannot talk to the agent in %d: %s", p->pid, process_tmp_problem(code));
    }
}

/* Whether there is no such socket, only a dead one, or another user's file in its place. None of these shows whether there is an agent. */
static bool is_none(int code)
{
    return code == -ENOENT || code == -ECONNREFUSED || code == -EPERM;
}

static bool has_suffix(const char *name, const char *plain)
{
    size_t n = strlen(plain);
    return !strncmp(name, plain, n) && name[n] == '.' && strspn(name + n + 1, "0123456789abcdef") == 8 && !name[n + 9];
}

/* Opens a folder's listing with the process's rights, like everything that is read in the process's folders. */
static DIR *open_listing(int folder, const struct process *p)
{
    struct identity own;
    if (identity_assume(p, &own))
        return NULL;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    identity_restore(&own);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (!listing && fd >= 0)
        close(fd);
    return listing;
}

/* Connects to a socket with a suffix. The agent uses one if the plain name was taken when it was loaded. */
static int connect_suffixed(int folder, const char *plain, const struct process *p, uint64_t deadline)
{
    DIR *listing = open_listing(folder, p);
    int fd = -ENOENT;
    if (!listing)
        return fd;
    for (const struct dirent *d; is_none(fd) && (d = readdir(listing));)
        if (has_suffix(d->d_name, plain))
            fd = socket_connect(folder, d->d_name, p, deadline);
    closedir(listing);
    return fd;
}

static int connect_in(const char *path, const struct process *p, uint64_t deadline)
{
    char name[48];
    int folder = process_open_folder(p, path);
    if (folder < 0)
        return folder;
    snprintf(name, sizeof name, CONTROL_SOCKET, p->inner_pid);
    int fd = socket_connect(folder, name, p, deadline);
    if (is_none(fd))
        fd = connect_suffixed(folder, name, p, deadline);
    close(folder);
    return fd;
}

/* Connects to the socket in the first folder that has it. Returns -ENOENT, or the reason why the first folder could not be searched. */
static int connect_anywhere(const struct process *p, uint64_t deadline)
{
    static const char *const folders[] = CONTROL_FOLDERS;
    int first = -ENOENT;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int fd = connect_in(folders[i], p, deadline);
        if (fd >= 0 || fd == -EACCES || fd == -ETIMEDOUT)
            return fd;
        first = i || is_none(fd) ? first : fd;
    }
    return first;
}

/* Whether the agent's thread exists without a socket. It also exists briefly while the agent leaves, so the check waits and repeats. */
static bool is_deaf(const struct process *p)
{
    for (int waited = 0; waited < LEAVE_MS; waited += LEAVE_STEP_MS) {
        if (!process_has_thread(p->pid, CONTROL_THREAD))
            return false;
        poll(NULL, 0, LEAVE_STEP_MS);
    }
    return process_has_thread(p->pid, CONTROL_THREAD);
}

static int open_socket(const struct process *p, uint64_t deadline, struct error *e)
{
    int fd = connect_anywhere(p, deadline);
    if (fd == -ESRCH || (fd == -ENOENT && kill(p->pid, 0) && errno == ESRCH))
        return error_set(e, -ESRCH, "process %d has exited", p->pid);
    if (fd == -ENOENT && is_deaf(p)) {
        fd = connect_anywhere(p, deadline); /* the agent may have opened its socket just now */
        fd = fd == -ENOENT ? -ENOTCONN : fd;
    }
    return fd < 0 ? explain_connect(p, fd, e) : fd;
}

static int exchange(int fd, struct control_request *r, uint64_t deadline, struct buffer *answer)
{
    size_t sent = r->passed >= 0; /* a descriptor is sent with the first byte */
    int code = sent ? socket_send_descriptor(fd, r->line.data, r->passed, deadline) : 0;
    if (!code)
        code = socket_send(fd, r->line.data + sent, r->line.len - sent, deadline);
    if (!code)
        code = socket_receive(fd, answer, deadline);
    buffer_u8(answer, 0);
    return code ? code : answer->failed ? -EMSGSIZE : 0;
}

/* The agent closed the connection without an answer. An agent that leaves removes its socket before it does so, and has not carried out the
 * request: then the result is the same as if the client had come a moment later. */
static int explain_close(const struct process *p, uint64_t deadline, struct error *e)
{
    struct process now;
    int fd = connect_anywhere(p, deadline);
    if (fd >= 0)
        close(fd);
    if (fd == -ENOENT && !process_read(p->pid, &now, NULL))
        return explain_connect(p, fd, e);
    return error_set(e, -EPROTO, "the agent in %d closed the connection without an answer; the process may have exited", p->pid);
}

static int converse(const struct process *p, int fd, struct control_request *r, uint64_t deadline, struct control_answer *answer,
                    struct error *e)
{
    struct buffer text;
    buffer_init(&text, CONTROL_ANSWER_MAX);
    int code = exchange(fd, r, deadline, &text);
    if (code == -ETIMEDOUT)
        error_set(e, code, "the agent in %d does not answer; the machine may be overloaded: try again", p->pid);
    else if (code == -ECONNRESET || code == -EPIPE || (!code && text.len == 1))
        code = explain_close(p, deadline, e);
    else if (code)
        error_set(e, code, "cannot talk to the agent in %d: %s", p->pid, strerror(-code));
    else
        code = control_parse((char *)text.data, answer, e);
    if (code) {
        buffer_deinit(&text);
        return code;
    }
    answer->text = (char *)text.data;
    return 0;
}

int control_send(pid_t pid, struct control_request *r, uint64_t timeout_ns, struct control_answer *answer, struct error *e)
{
    struct process p = {0};
    uint64_t deadline = clock_monotonic_ns() + timeout_ns;
    *answer = (struct control_answer){0};
    buffer_u8(&r->line, '\n');
    int code = r->line.failed ? error_set(e, -EMSGSIZE, "the request is longer than the agent accepts; use a shorter path")
                              : process_read(pid, &p, e);
    code = code ? code : process_check_stopped(&p, e);
    if (!code) {
        int fd = open_socket(&p, deadline, e);
        code = fd < 0 ? fd : converse(&p, fd, r, deadline, answer, e);
        if (fd >= 0)
            close(fd);
    }
    buffer_deinit(&r->line);
    return code;
}
