#include "cli/top/source.h"

#include "cli/record/begin.h"
#include "cli/record/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a recording that already runs ---- */

/* Opens the file through the JVM's own descriptor. This works wherever the file is, and whichever process opened it. */
static int open_of_process(pid_t pid, const char *file)
{
    char folder[64], link[PATH_MAX];
    int fd = -1;
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && fd < 0 && (entry = readdir(d));) {
        ssize_t n = readlinkat(dirfd(d), entry->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = 0;
        if (!strcmp(link, file))
            fd = openat(dirfd(d), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (d)
        closedir(d);
    return fd;
}

static int open_file(const struct source *s, bool joined)
{
    int fd = joined ? open_of_process(s->session->process.pid, s->file) : -1;
    return fd < 0 ? open(s->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY) : fd;
}

static bool can_follow(const struct source *s)
{
    int fd = open_file(s, true);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int follow(struct source *s, bool joined)
{
    struct error e;
    int fd = open_file(s, joined);
    s->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return cli_fail("cannot read %s, the recording of %d: %s; run candor as root, or end it with 'candor stop %d'", s->file,
                        s->session->process.pid, strerror(errno), s->session->process.pid);
    return live_new(&s->live, fd, joined, &e) ? cli_fail("%s: %s", s->file, e.text) : CLI_OK;
}

static void take_answer(struct source *s, const struct control_answer *answer)
{
    const char *clock = control_text(answer, "clock"), *event = control_text(answer, "event"), *file = control_text(answer, "file");
    snprintf(s->clock, sizeof s->clock, "%.31s", clock ? clock : event ? event : "");
    if (file)
        snprintf(s->file, sizeof s->file, "%s", file);
    s->id = control_number(answer, "recording", 0);
}

/* Whether the user has chosen what to record. If so, top does not join a recording that happens to run. */
static bool has_wishes(const struct recording *r, const struct cli_args *args)
{
    bool has = cli_option(args, "output") != NULL;
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++)
        has |= r->given[i] != NULL;
    return has;
}

/* Looks for a recording that top can show: one of CPU time. *joins is set if there is one, and s->file is then its file. Returns a
 * status. */
static int find_running(struct source *s, bool *joins)
{
    struct control_answer answer;
    struct error e;
    *joins = false;
    int code = session_ask_simple(s->session, "status", &answer, &e);
    if (code == -ENOENT)
        return CLI_OK;
    if (code)
        return cli_fail("%s", e.text);
    const char *state = control_text(&answer, "state");
    bool runs = state && !strcmp(state, "running"), counts = control_text(&answer, "event_interval");
    *joins = runs && !counts && control_text(&answer, "clock");
    take_answer(s, &answer);
    control_answer_free(&answer);
    return CLI_OK;
}

/* ---- a recording of candor's own ---- */

static int begin(struct source *s, struct recording *r, const struct cli_args *args)
{
    struct control_request request;
    struct control_answer answer;
    struct error e;
    int status = session_load_agent(s->session);
    if (status)
        return status;
    s->keep = cli_option(args, "output") != NULL;
    status = s->keep ? recording_choose_file(r, args, s->session->name) : CLI_OK;
    if (!status)
        status = s->keep ? recording_file_open(&r->file) : recording_file_make(&r->file, "top", s->session->process.pid);
    if (status)
        return status;
    control_begin(&request, "start");
    recording_options(r, &request, 0);
    int code = session_ask(s->session, &request, &answer, &e);
    if (code) {
        recording_file_discard(&r->file);
        return cli_fail("cannot record %d: %s", s->session->process.pid, e.text);
    }
    recording_file_close(&r->file); /* candor's lock must not stay after the agent has closed the file */
    take_answer(s, &answer);
    control_answer_free(&answer);
    snprintf(s->file, sizeof s->file, "%s", r->file.path);
    s->own = true;
    r->id = s->id;
    guard_begin(&s->guard, s->session, s->file, s->id, !s->keep);
    return begin_place(s->session, r);
}

int source_open(struct source *s, const struct session *session, struct recording *r, const struct cli_args *args)
{
    bool joins;
    *s = (struct source){.session = session, .fd = -1};
    int status = find_running(s, &joins);
    joins = joins && !has_wishes(r, args) && can_follow(s);
    if (!status && !joins)
        status = begin(s, r, args);
    if (!status)
        status = follow(s, joins);
    if (status)
        source_close(s);
    return status;
}

/* ---- saving ---- */

/* Copies the file when the JVM has ended, and nothing more is written. */
static int copy_file(const struct source *s, int to, uint64_t *bytes)
{
    off_t at = 0;
    ssize_t n;
    while ((n = sendfile(to, s->fd, &at, 1 << 20)) > 0)
        ;
    *bytes = (uint64_t)at;
    return n < 0 ? -errno : 0;
}

static int ask_for_copy(const struct source *s, const char *path, int to, uint64_t *bytes, struct error *e)
{
    struct control_request request;
    struct control_answer answer;
    control_begin(&request, "dump");
    session_name_recording(&request, s->id);
    control_pass_file(&request, path, to);
    int code = session_ask(s->session, &request, &answer, e);
    if (!code)
        *bytes = control_number(&answer, "bytes", 0);
    control_answer_free(&answer);
    return code;
}

int source_save(const struct source *s, const char *path, uint64_t *bytes, struct error *e)
{
    char absolute[PATH_MAX], here[PATH_MAX] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return error_set(e, -errno, "cannot find the current directory: %s", strerror(errno));
    int n = snprintf(absolute, sizeof absolute, "%s%s%s", here, *here ? "/" : "", path);
    if (n >= (int)sizeof absolute)
        return error_set(e, -ENAMETOOLONG, "the path is too long");
    int fd = open(absolute, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_set(e, -errno, "cannot write %.200s: %s; choose another name", absolute, strerror(errno));
    int code = live_ended(s->live) ? -ENOENT : ask_for_copy(s, absolute, fd, bytes, e);
    if (code == -ENOENT || code == -ESRCH) {
        code = copy_file(s, fd, bytes);
        if (code)
            error_set(e, code, "cannot write %.200s: %s", absolute, strerror(-code));
    }
    if (code)
        unlink(absolute);
    close(fd);
    return code;
}

/* ---- the end ---- */

static int stop(const struct source *s)
{
    struct control_answer answer;
    struct error e;
    int code = session_ask_about(s->session, "stop", s->id, &answer, &e);
    if (code && session_wait_end(s->session, 0))
        return s->keep ? watch_say_ended(s->session, s->file) : CLI_OK;
    if (code == -ENOENT || code == -ESRCH)
        return CLI_OK; /* the recording is over */
    if (code == -EREMOTEIO && live_ended(s->live))
        return CLI_OK;
    if (code)
        return cli_fail("cannot end the recording in %d: %s; try 'candor stop %d'", s->session->process.pid, e.text,
                        s->session->process.pid);
    const char *error = control_text(&answer, "error"), *fault = control_text(&answer, "fault");
    int status = fault ? cli_fail("%s", fault) : CLI_OK;
    if (error && s->keep)
        status = cli_fail("the recording is incomplete: %s", error);
    control_answer_free(&answer);
    return status;
}

int source_close(struct source *s)
{
    int status = CLI_OK;
    if (s->own) {
        status = stop(s);
        if (!s->keep)
            unlink(s->file);
        guard_end(&s->guard);
    }
    live_free(s->live);
    s->live = NULL;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->own = false;
    return status;
}
