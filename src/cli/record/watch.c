/* Watches a recording until it ends, and shows the result. */
#include "attach/process_end.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/read/problems.h"
#include "cli/record/watch.h"
#include "jfr/read/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_MS = 200, STEPS_PER_LOOK = 5 };

struct view {
    unsigned long long began_ns; /* time by the monotonic clock when the recording began, 0 = it has not begun yet */
    bool stopped, failed;
};

/* Asks the agent how long it has been recording, by the agent's own clock. A JVM that is just starting does not answer yet. */
static void look(const struct session *s, const struct recording *r, bool show_progress, struct view *v)
{
    struct control_answer answer;
    struct error e;
    int code = session_ask_about(s, "status", r->id, &answer, &e);
    if (code) {
        v->stopped = code == -EREMOTEIO && v->began_ns; /* the agent does not have the recording any more */
        return;
    }
    const char *state = control_text(&answer, "state"), *file = control_text(&answer, "file");
    bool ours = state && !strcmp(state, "running") && (!file || !strcmp(file, r->file.path));
    if (ours) {
        uint64_t elapsed = control_number(&answer, "elapsed_ns", 0);
        v->began_ns = clock_monotonic_ns() - elapsed;
        v->failed = control_text(&answer, "error");
        if (show_progress)
            progress_show(elapsed, r->duration_ns, &answer);
    }
    v->stopped = v->began_ns && !ours;
    control_answer_free(&answer);
}

static int next_wait_ms(const struct recording *r, const struct view *v)
{
    if (!r->duration_ns || !v->began_ns)
        return STEP_MS;
    uint64_t now = clock_monotonic_ns(), end = v->began_ns + r->duration_ns;
    uint64_t ms = now >= end ? 0 : (end - now + NS_PER_MS - 1) / NS_PER_MS;
    return ms < STEP_MS ? (int)ms : STEP_MS;
}

enum watch_end watch_recording(const struct session *s, const struct recording *r, bool show_progress)
{
    struct view v = {0};
    enum watch_end end;
    for (unsigned step = 0;; step++) {
        if (!v.began_ns || step % (show_progress ? 1 : STEPS_PER_LOOK) == 0)
            look(s, r, show_progress, &v);
        if (interrupt_signal())
            end = WATCH_INTERRUPTED;
        else if (r->look && v.began_ns && clock_monotonic_ns() >= v.began_ns + r->look_ns)
            end = WATCH_LOOK;
        else if (r->duration_ns && v.began_ns && clock_monotonic_ns() >= v.began_ns + r->duration_ns)
            end = WATCH_TIME;
        else if (session_wait_end(s, next_wait_ms(r, &v)))
            end = WATCH_EXITED;
        else if (v.stopped)
            end = WATCH_STOPPED;
        else if (v.failed)
            end = WATCH_FAILED;
        else
            continue;
        break;
    }
    progress_clear();
    return end;
}

/* Whether the recording was closed properly. The agent closes it when the JVM exits, also with `Runtime.halt`. */
static bool came_to_an_end(const char *path)
{
    struct jfr_file *file;
    struct error e;
    if (jfr_file_open(&file, path, NULL, &e))
        return true; /* the error is printed when the recording is shown */
    bool closed = jfr_file_is_closed(file);
    jfr_file_close(file);
    return closed;
}

int watch_say_ended(const struct session *s, const char *file)
{
    int status = process_end_status(s->handle, s->process.pid);
    if (status >= 0 && WIFSIGNALED(status))
        return cli_fail("process %d was killed by signal %d (%s); the recording contains everything up to then", s->process.pid,
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (status < 0 && !came_to_an_end(file))
        return cli_fail("process %d was killed, or crashed; the recording lacks at most its last second", s->process.pid);
    fprintf(stderr, "candor: process %d has exited; the recording contains everything up to then\n", s->process.pid);
    return CLI_OK;
}

/* Says that the recording was stopped: by another client, or by the agent, which then gives the reason. Returns a status. */
static int say_stopped(const struct session *s)
{
    struct control_answer answer;
    struct error e;
    int status = CLI_OK;
    const char *fault = session_ask_simple(s, "status", &answer, &e) ? NULL : control_text(&answer, "fault");
    if (fault)
        status = cli_fail("%s", fault);
    else
        fprintf(stderr, "candor: the recording was stopped by another client\n");
    control_answer_free(&answer);
    return status;
}

int watch_finish(const struct session *s, const struct recording *r, enum watch_end end)
{
    struct control_answer answer;
    struct error e;
    if (end == WATCH_EXITED)
        return watch_say_ended(s, r->file.path);
    if (end == WATCH_STOPPED)
        return say_stopped(s);
    int code = session_ask_about(s, "stop", r->id, &answer, &e);
    if (code && session_wait_end(s, 0))
        return watch_say_ended(s, r->file.path);
    if (code)
        return cli_fail("cannot end the recording: %s", e.text);
    const char *error = control_text(&answer, "error"), *fault = control_text(&answer, "fault");
    int status = fault ? cli_fail("%s", fault) : CLI_OK;
    if (error)
        status = cli_fail("the recording is incomplete: %s", error);
    control_answer_free(&answer);
    return status;
}

/* Checks the file: since it was written, another process may have cut or deleted it. */
static int check_file(const struct recording *r)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct stat st;
    struct error e;
    const char *path = r->file.path;
    if (stat(path, &st) && errno == ENOENT)
        return cli_fail("no recording was written to %s: the agent was not loaded, or the file was deleted during the recording", path);
    if (stat(path, &st))
        return cli_fail("cannot read the recording %s: %s", path, strerror(errno));
    if (recording_file_is_before(&r->file, &st))
        return cli_fail("nothing was recorded, and %s is unchanged: the agent was probably not loaded", path);
    if (!recording_file_is_own(&r->file, &st))
        return cli_fail("%s was replaced by another file during the recording: the recording is lost", path);
    if (st.st_size == 0)
        return cli_fail(
            "the recording %s is empty: the file was truncated during the recording, or the process ended before anything was written",
            path);
    if (jfr_file_open(&file, path, &problems, &e))
        return cli_fail("%s", e.text);
    jfr_file_close(file);
    problems_print(path, &problems);
    return problems.count ? cli_fail("the recording %s is incomplete: the file was probably truncated during the recording", path) : CLI_OK;
}

void watch_page_beside(const char *file, const char *ending, char *out, size_t size)
{
    size_t n = strlen(file);
    if (n > 4 && !strcmp(file + n - 4, ".jfr"))
        n -= 4;
    snprintf(out, size, "%.*s%s", (int)n, file, ending);
}

int watch_show(const struct recording *r, const struct cli_args *args)
{
    char html[PATH_MAX + 8];
    int status = check_file(r);
    if (status || r->show)
        return status ? status : r->show(r, args);
    watch_page_beside(r->file.path, ".html", html, sizeof html);
    if (!cli_switch(args, "no-report"))
        status = report_print_summary(r->file.path, stdout);
    if (!status && !cli_switch(args, "no-report") && event_list_has(r->given[OPTION_EVENT], "live")) {
        putchar('\n');
        status = report_print_live(r->file.path, stdout);
    }
    bool of_halts = r->given[OPTION_EVENT] && !strcmp(r->given[OPTION_EVENT], "halt"); /* it has no samples, so there is nothing to draw */
    bool draws = !of_halts && !cli_switch(args, "no-report");
    int html_status = draws ? convert_own_page(r->file.path, html, NULL) : CLI_OK;
    printf("\nrecording:   ");
    utf8_print(stdout, r->file.path);
    if (html_status == CLI_OK && draws) {
        printf("\nflame graph: ");
        utf8_print(stdout, html);
    }
    putchar('\n');
    int written = cli_finish_output();
    return status ? status : html_status ? html_status : written;
}
