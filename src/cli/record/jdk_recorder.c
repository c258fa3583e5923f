#include "cli/record/jdk_recorder.h"

#include "attach/jvm.h"
#include "attach/recorder_settings.h"
#include "base/procfs.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "jfr/read/append.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_MS = 50, END_MS = 5000, SETTINGS_MAX = 64 << 10, NOTHING_THERE = -1 };

#define PATIENCE_NS (60 * NS_PER_S) /* the JVM loads the recorder's classes, or writes a large file */
#define BYTES_MAX   (1ull << 30)    /* how many bytes of its recording the JVM keeps, unless an option says otherwise */
#define MARGIN_NS   NS_PER_S        /* include events that began a little before the agent's recording */

static uint64_t patience(const struct session *s)
{
    return s->timeout_ns > PATIENCE_NS ? s->timeout_ns : PATIENCE_NS;
}

static bool is_on(const char *mode)
{
    return mode && !strcmp(mode, "on");
}

/* Whether candor started the recording: its name has the form that make_folder gives it. The name comes from the JVM, and is used in
 * commands and paths. */
static bool is_ours(const struct recorder_recording *r, const struct session *s)
{
    char prefix[32];
    size_t n = (size_t)snprintf(prefix, sizeof prefix, "candor-%d-", s->process.pid);
    return !strncmp(r->name, prefix, n) && strspn(r->name + n, "0123456789abcdef") == 8 && !r->name[n + 8];
}

static void reset(struct jdk_recorder *j)
{
    *j = (struct jdk_recorder){.folder = {.tmp = -1, .directory = -1}};
}

/* ---- begin ---- */

static void say_recording(const struct recorder_recording *r, const struct session *s, const char *what)
{
    fflush(stdout);
    fprintf(stderr, "candor: the JDK's recording %lu ('", r->id);
    utf8_print(stderr, r->name);
    fprintf(stderr, "') of %d %s\n", s->process.pid, what);
}

static void say_without(const struct recording *r, const struct session *s, int code, const struct error *e)
{
    fflush(stdout);
    if (code == -ENOSYS)
        fprintf(stderr,
                "candor: --jfr %s: %d has no Flight Recorder (%s); without it, -e halt,lock records GC pauses and waits for locks\n",
                r->given[OPTION_JFR], s->process.pid, e->text);
    else
        fprintf(stderr, "candor: --jfr %s: %s; %d is recorded without the JDK's recorder\n", r->given[OPTION_JFR], e->text, s->process.pid);
}

/* Finds the recording that the JVM's owner started: the oldest that is running. NULL = there is none. */
static const struct recorder_recording *find_existing(const struct recorder_list *list, const struct session *s)
{
    const struct recorder_recording *found = NULL;
    for (unsigned i = 0; i < list->count; i++) {
        const struct recorder_recording *r = &list->list[i];
        if (r->running && !is_ours(r, s) && (!found || r->id < found->id))
            found = r;
    }
    return found;
}

static void begin_existing(struct jdk_recorder *j, const struct session *s, const struct recorder_list *list)
{
    const struct recorder_recording *r = find_existing(list, s);
    if (!r) {
        fflush(stdout);
        fprintf(stderr,
                "candor: --jfr existing: the JDK's recorder has no recording running in %d: there is nothing to add; --jfr on starts one\n",
                s->process.pid);
        return;
    }
    say_recording(r, s, "will be read when this one ends; it continues unchanged");
    snprintf(j->name, sizeof j->name, "%lu", r->id);
    j->mode = "existing";
}

static int make_folder(struct recorder_folder *f, const struct session *s, char *name, size_t size, struct error *e)
{
    char folder[sizeof f->name];
    unsigned random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return error_set(e, -errno, "no random number: %s", strerror(errno));
    snprintf(name, size, "candor-%d-%08x", s->process.pid, random);
    snprintf(folder, sizeof folder, ".%s", name);
    return recorder_folder_make(f, &s->process, folder, e);
}

static int write_settings(const struct jdk_recorder *j, const struct session *s, const struct recording *r, struct error *e)
{
    struct buffer text;
    struct jvm jvm;
    unsigned feature = jvm_read(s->process.pid, &jvm, NULL) ? 0 : (unsigned)jvm_feature(jvm.version);
    buffer_init(&text, SETTINGS_MAX);
    recorder_settings(&text, feature, !event_list_has(r->given[OPTION_EVENT], "lock"));
    int code =
        text.failed ? error_set(e, -ENOMEM, "out of memory") : recorder_folder_write(&j->folder, RECORDER_SETTINGS, text.data, text.len, e);
    buffer_deinit(&text);
    return code;
}

/* Returns the bounds of the JDK's recording. Its duration is for the case that this client is killed. It must not end before the agent's
 * recording, which begins only after the JVM has answered; if garbage collections leave Java no time, that may take long. */
static struct recorder_bounds bounds_of(const struct recording *r, unsigned long long guard_ns)
{
    struct recorder_bounds b = {.duration_ns = r->duration_ns ? r->duration_ns + guard_ns + PATIENCE_NS : 0, .bytes = BYTES_MAX};
    if (r->given[OPTION_KEEP])
        units_parse_duration(r->given[OPTION_KEEP], &b.age_ns);
    if (r->given[OPTION_MAX_SIZE])
        units_parse_size(r->given[OPTION_MAX_SIZE], &b.bytes);
    return b;
}

static int start_own(struct jdk_recorder *j, const struct session *s, const struct recording *r, unsigned long long guard_ns,
                     struct error *e)
{
    char settings[192], flight[192];
    struct recorder_bounds bounds = bounds_of(r, guard_ns);
    int code = make_folder(&j->folder, s, j->name, sizeof j->name, e);
    if (!code)
        code = write_settings(j, s, r, e);
    recorder_folder_path(&j->folder, RECORDER_SETTINGS, settings, sizeof settings);
    recorder_folder_path(&j->folder, RECORDER_FLIGHT, flight, sizeof flight);
    if (!code)
        code = recorder_start(s->process.pid, patience(s), j->name, settings, flight, &bounds, e);
    if (code)
        recorder_folder_remove(&j->folder);
    return code;
}

static int begin_own(struct jdk_recorder *j, const struct session *s, const struct recording *r, unsigned long long guard_ns,
                     const struct recorder_list *list, struct error *e)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->list[i].running)
            say_recording(&list->list[i], s,
                          "also records the events that candor enables while both run, because the recorder has only one set of settings");
    int code = start_own(j, s, r, guard_ns, e);
    j->mode = code ? NULL : "on";
    return code;
}

/* Whether the JVM still lists the recording, in any state. True also if the JVM does not answer. */
static bool is_listed(const struct session *s, const char *name)
{
    struct recorder_list list;
    struct error e;
    if (recorder_check(s->process.pid, patience(s), &list, &e))
        return true;
    for (unsigned i = 0; i < list.count; i++)
        if (!strcmp(list.list[i].name, name))
            return true;
    return false;
}

/* Stops the JDK's recording. When this returns 0, its file is complete, even if the JVM's own timer was faster. */
static int stop_own(const struct session *s, const char *name, struct error *e)
{
    uint64_t deadline = clock_monotonic_ns() + patience(s);
    int code = recorder_stop(s->process.pid, patience(s), name, e);
    if (code != -EALREADY)
        return code;
    while (is_listed(s, name)) {
        if (session_wait_end(s, STEP_MS))
            return error_set(e, -ESRCH, "the JVM has exited");
        if (clock_monotonic_ns() >= deadline)
            return error_set(e, -ETIMEDOUT,
                             "it has stopped, but after a minute the JVM has still not finished writing its file; check that the disk of "
                             "the JVM's /tmp is not full");
    }
    return 0;
}

/* Ends recordings that killed clients left behind. This is the case if the agent is not recording, and no process has the recording's
 * folder open. */
static void end_left_over(const struct session *s, struct recorder_list *list)
{
    struct recorder_folder f;
    struct error e;
    char folder[sizeof f.name];
    for (unsigned i = 0; i < list->count; i++) {
        struct recorder_recording *r = &list->list[i];
        if (!r->running || !is_ours(r, s))
            continue;
        snprintf(folder, sizeof folder, ".%s", r->name);
        int code = recorder_folder_open(&f, &s->process, folder, &e);
        if (code && code != -ENOENT)
            continue;
        r->running = stop_own(s, r->name, &e) != 0;
        if (!r->running)
            say_recording(r, s, "was left by a candor that was killed; it is ended now");
        recorder_folder_remove(&f);
    }
}

static void begin(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns)
{
    struct recorder_list list;
    struct error e;
    j->begin_ns = (int64_t)clock_realtime_ns();
    int code = recorder_check(s->process.pid, patience(s), &list, &e);
    end_left_over(s, &list);
    if (!code && is_on(r->given[OPTION_JFR]))
        code = begin_own(j, s, r, guard_ns, &list, &e);
    else if (!code)
        begin_existing(j, s, &list);
    if (code)
        say_without(r, s, code, &e);
    if (!j->mode)
        r->given[OPTION_JFR] = NULL;
}

/* Whether the agent is recording. The agent begins when the JVM is ready; before that, no other part of the JVM can answer. */
static bool agent_records(const struct session *s)
{
    struct control_answer answer;
    struct error e;
    const char *state = session_ask_simple(s, "status", &answer, &e) ? NULL : control_text(&answer, "state");
    bool running = state && !strcmp(state, "running");
    control_answer_free(&answer);
    return running;
}

void jdk_recorder_begin(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns)
{
    reset(j);
    if (r->given[OPTION_JFR] && !r->look &&
        !agent_records(s)) /* the agent would refuse a second recording, so the JDK's recorder is not touched */
        begin(j, s, r, guard_ns);
}

void jdk_recorder_join(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns)
{
    reset(j);
    r->given[OPTION_JFR] = "on";
    begin(j, s, r, guard_ns);
}

/* The recorder has a thread of its own, whose name the kernel cuts. */
bool jdk_recorder_is_loaded(const struct session *s)
{
    char path[64], name[32];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", s->process.pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && !found && (task = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/%d/task/%.12s/comm", s->process.pid, task->d_name);
        found = procfs_read(path, name, sizeof name) > 0 && !strncmp(name, "JFR ", 4);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

void jdk_recorder_begin_child(struct jdk_recorder *j, const struct session *s, struct recording *r, unsigned long long guard_ns)
{
    reset(j);
    while (r->given[OPTION_JFR] && !agent_records(s))
        if (interrupt_signal() || session_wait_end(s, STEP_MS))
            return;
    if (r->given[OPTION_JFR])
        begin(j, s, r, guard_ns);
}

/* ---- the recorded data ---- */

/* The recording to which data is appended: its path for messages, and its descriptor, or the negative errno of opening it. */
struct joined {
    const char *path;
    int fd;
};

static int open_recording(const char *path)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static void close_recording(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* Whether another process still has the file open for writing, which a lock shows. While the JVM starts a child process, the child has
 * its open files for a moment, so this waits for some time. On file systems without locks, such as some network disks, the result is
 * always false. */
static bool is_written_to(int fd)
{
    for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; ms += STEP_MS) {
        if (ms >= END_MS)
            return true;
        poll(NULL, 0, STEP_MS);
    }
    return false;
}

static int append(const struct joined *to, int from, int64_t begin_ns)
{
    struct jfr_appended done;
    struct error e;
    const char *path = to->path;
    if (to->fd < 0)
        return cli_fail("cannot append the JDK's recording to %s: %s", path,
                        to->fd == -EPERM ? "it is not a file that the JVM writes to" : strerror(-to->fd));
    int code = is_written_to(to->fd) ? error_set(&e, -EBUSY, "the JVM is still writing to it")
                                     : jfr_append(to->fd, from, begin_ns, (int64_t)clock_realtime_ns(), &done, &e);
    return code ? cli_fail("cannot append the JDK's recording to %s: %s", path, e.text) : CLI_OK;
}

/* Appends the JDK's file to the recording. Returns a status, or NOTHING_THERE if the file does not exist or is empty. */
static int take_file(const struct recorder_folder *f, const char *file, const struct joined *to, int64_t begin_ns)
{
    struct stat st;
    int fd = recorder_folder_read(f, file);
    if (fd == -ENOENT)
        return NOTHING_THERE;
    if (fd < 0)
        return cli_fail("cannot read the JDK's recording /tmp/%s/%s: %s", f->name, file,
                        fd == -EPERM ? "it is not an ordinary file of the JVM's user" : strerror(-fd));
    int status = !fstat(fd, &st) && !st.st_size ? NOTHING_THERE : append(to, fd, begin_ns);
    close(fd);
    return status;
}

static void say_lost(const char *path, const char *why)
{
    fflush(stdout);
    fputs("candor: no data of the JDK's recorder are in ", stderr);
    utf8_print(stderr, path);
    fprintf(stderr, ": %s\n", why);
}

/* Whether the JVM has ended, after a request to it failed. A JVM that is about to end answers no requests, but writes what it has
 * recorded, so this waits for it. */
static bool has_ended(const struct session *s, int code)
{
    return code && session_wait_end(s, code == -ENOENT ? 0 : END_MS);
}

static int end_own(struct jdk_recorder *j, const struct session *s, const struct joined *to)
{
    struct error e;
    int code = session_wait_end(s, 0) ? -ESRCH : stop_own(s, j->name, &e);
    bool exited = has_ended(s, code);
    if (code && code != -ENOENT && !exited) { /* the JVM may still be writing the file */
        recorder_folder_close(&j->folder);
        return cli_fail("cannot end the JDK's recording %s: %s; end it with 'jcmd %d JFR.stop name=%s'", j->name, e.text, s->process.pid,
                        j->name);
    }
    int status = take_file(&j->folder, RECORDER_FLIGHT, to, j->begin_ns);
    if (status == CLI_FAILED) { /* for instance a full disk, or another user's file: the data is kept */
        fprintf(stderr, "candor: its data are in /tmp/%s/" RECORDER_FLIGHT ", as the JVM sees it\n", j->folder.name);
        recorder_folder_close(&j->folder);
        return status;
    }
    if (status == NOTHING_THERE)
        say_lost(to->path, exited ? "the JVM ended before it was written, and it is lost"
                           : code ? "its recording was stopped by another client"
                                  : "the JVM could not write it; its log says why, for example that the disk of its /tmp is full");
    recorder_folder_remove(&j->folder);
    return status == NOTHING_THERE ? CLI_OK : status;
}

/* Copies the JDK's recording to a file in a new folder, and appends it. */
static int dump(const struct session *s, const char *name, const struct joined *to, int64_t begin_ns)
{
    struct recorder_folder folder;
    struct error e;
    char own[RECORDER_NAME_BYTES], file[192];
    int status;
    int code = make_folder(&folder, s, own, sizeof own, &e);
    if (code)
        return cli_fail("cannot read the JDK's recording %s: %s", name, e.text);
    code = recorder_dump(s->process.pid, patience(s), name, recorder_folder_path(&folder, RECORDER_DUMP, file, sizeof file), begin_ns, &e);
    if (has_ended(s, code)) {
        say_lost(to->path, "the JVM ended before it could be read");
        status = CLI_OK;
    } else if (code) {
        status = cli_fail("cannot read the JDK's recording %s of %d: %s", name, s->process.pid, e.text);
    } else {
        status = take_file(&folder, RECORDER_DUMP, to, begin_ns);
        if (status == NOTHING_THERE)
            status = cli_fail("the JDK's recording %s was dumped, but its file is missing: %s", name, file);
    }
    recorder_folder_remove(&folder);
    return status;
}

static int end(struct jdk_recorder *j, const struct session *s, const struct joined *to)
{
    int status = CLI_OK;
    if (is_on(j->mode))
        status = end_own(j, s, to);
    else if (session_wait_end(s, 0))
        say_lost(to->path, "the JVM ended before its recording could be read");
    else
        status = dump(s, j->name, to, j->begin_ns);
    j->mode = NULL;
    return status;
}

int jdk_recorder_end(struct jdk_recorder *j, const struct session *s, const char *path)
{
    if (!j->mode)
        return CLI_OK;
    struct joined to = {path, open_recording(path)};
    int status = end(j, s, &to);
    close_recording(to.fd);
    return status;
}

void jdk_recorder_leave(struct jdk_recorder *j)
{
    recorder_folder_close(&j->folder);
    j->mode = NULL;
}

void jdk_recorder_abandon(struct jdk_recorder *j, const struct session *s)
{
    struct error e;
    if (is_on(j->mode) && stop_own(s, j->name, &e))
        cli_fail("cannot end the JDK's recording %s: %s; end it with 'jcmd %d JFR.stop name=%s'", j->name, e.text, s->process.pid, j->name);
    recorder_folder_remove(&j->folder);
    j->mode = NULL;
}

/* ---- recordings that another process began ---- */

/* Returns how the recording uses the JDK's recorder. NULL = not at all, or only that process knows: a diagnosis decides as it records. */
static const char *mode_of(const struct control_answer *answer)
{
    const char *mode = control_text(answer, "jfr");
    return mode && !strcmp(mode, "auto") ? NULL : mode;
}

static int find(struct jdk_recorder *j, const struct session *s, const struct control_answer *answer, struct error *e)
{
    struct recorder_list list;
    const char *mode = control_text(answer, "jfr");
    const struct recorder_recording *found = NULL;
    int code = recorder_check(s->process.pid, patience(s), &list, e);
    if (code)
        return code;
    for (unsigned i = 0; is_on(mode) && i < list.count; i++) /* the youngest; older ones are left over from clients that were killed */
        if (is_ours(&list.list[i], s) && (!found || list.list[i].id > found->id))
            found = &list.list[i];
    if (!is_on(mode))
        found = find_existing(&list, s);
    if (!found)
        return error_set(e, -ENOENT, "the JVM no longer has that recording");
    if (is_on(mode))
        snprintf(j->name, sizeof j->name, "%s", found->name);
    else
        snprintf(j->name, sizeof j->name, "%lu", found->id);
    j->mode = is_on(mode) ? "on" : "existing";
    j->begin_ns = (int64_t)(clock_realtime_ns() - control_number(answer, "elapsed_ns", 0)) - MARGIN_NS;
    return 0;
}

int jdk_recorder_open_file(const struct session *s, const struct control_answer *status)
{
    struct stat st;
    const char *path = control_text(status, "file");
    int fd = mode_of(status) && path ? open_recording(path) : -ENOENT;
    if (fd < 0)
        return fd;
    int code = fstat(fd, &st) ? -errno : process_writes(s->process.pid, &st);
    if (!code)
        return fd;
    close(fd);
    return code;
}

static int stop(struct jdk_recorder *j, const struct session *s, const struct control_answer *answer, const struct joined *to)
{
    struct error e;
    char folder[sizeof j->folder.name];
    int code = find(j, s, answer, &e);
    if (code == -ENOENT) {
        say_lost(to->path, e.text);
        return CLI_OK;
    }
    snprintf(folder, sizeof folder, ".%s", j->name);
    if (!code && is_on(j->mode))
        code = recorder_folder_open(&j->folder, &s->process, folder, &e);
    return code ? cli_fail("cannot stop the JDK's recording of %d: %s", s->process.pid, e.text) : end(j, s, to);
}

int jdk_recorder_stop(const struct session *s, const struct control_answer *answer, int file)
{
    struct jdk_recorder j;
    struct joined to = {control_text(answer, "file"), file};
    int status = CLI_OK;
    reset(&j);
    if (mode_of(answer) && to.path) {
        interrupt_catch(); /* a signal must not leave this half done */
        status = stop(&j, s, answer, &to);
    }
    close_recording(file);
    return status;
}

int jdk_recorder_dump(const struct session *s, const struct control_answer *answer, const char *path)
{
    struct jdk_recorder j;
    struct error e;
    reset(&j);
    if (!mode_of(answer))
        return CLI_OK;
    interrupt_catch();
    int code = find(&j, s, answer, &e);
    if (code == -ENOENT) {
        say_lost(path, e.text);
        return CLI_OK;
    }
    if (code)
        return cli_fail("cannot read the JDK's recording of %d: %s", s->process.pid, e.text);
    struct joined to = {path, open_recording(path)};
    int status = dump(s, j.name, &to, j.begin_ns);
    close_recording(to.fd);
    return status;
}
