/* Watching a recording until it ends, and what is shown of it then. */
#include "base/units.h"
#include "base/utf8.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/record/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_MS = 200, STEPS_PER_LOOK = 5 };

struct view {
    unsigned long long began_ns; /* of our clock: when the recording began, 0 = not yet seen */
    bool stopped;
};

/* The agent's own clock says how long it has been recording; of a JVM that is just starting there is no answer yet. */
static void look(const struct session *s, const struct recording *r, bool show_progress, struct view *v)
{
    struct control_answer answer;
    struct error e;
    if (session_ask_simple(s, "status", &answer, &e))
        return;
    const char *state = control_text(&answer, "state"), *file = control_text(&answer, "file");
    bool ours = state && !strcmp(state, "running") && (!file || !strcmp(file, r->file.path));
    if (ours) {
        uint64_t elapsed = control_number(&answer, "elapsed_ns", 0);
        v->began_ns = clock_monotonic_ns() - elapsed;
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
    uint64_t ms = now >= end ? 0 : (end - now + 999999) / 1000000;
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
        else if (r->duration_ns && v.began_ns && clock_monotonic_ns() >= v.began_ns + r->duration_ns)
            end = WATCH_TIME;
        else if (session_wait_end(s, next_wait_ms(r, &v)))
            end = WATCH_EXITED;
        else if (v.stopped)
            end = WATCH_STOPPED;
        else
            continue;
        break;
    }
    progress_clear();
    return end;
}

static void say_exited(const struct session *s)
{
    fprintf(stderr, "candor: process %d has exited; the recording holds what came until then\n", s->process.pid);
}

/* By another client, or by the agent, which then says why. */
static int say_stopped(const struct session *s)
{
    struct control_answer answer;
    struct error e;
    int status = CLI_OK;
    const char *fault = session_ask_simple(s, "status", &answer, &e) ? NULL : control_text(&answer, "fault");
    if (fault)
        status = cli_fail("%s", fault);
    else
        fprintf(stderr, "candor: the recording was ended by somebody else\n");
    control_answer_free(&answer);
    return status;
}

int watch_finish(const struct session *s, enum watch_end end)
{
    struct control_answer answer;
    struct error e;
    if (end == WATCH_EXITED) {
        say_exited(s);
        return CLI_OK;
    }
    if (end == WATCH_STOPPED)
        return say_stopped(s);
    int code = session_ask_simple(s, "stop", &answer, &e);
    if (code && session_wait_end(s, 0)) {
        say_exited(s);
        return CLI_OK;
    }
    if (code)
        return cli_fail("cannot end the recording: %s", e.text);
    const char *error = control_text(&answer, "error"), *fault = control_text(&answer, "fault");
    int status = fault ? cli_fail("%s", fault) : CLI_OK;
    if (error)
        status = cli_fail("the recording is not whole: %s; make room and record again", error);
    control_answer_free(&answer);
    return status;
}

static void html_beside(const char *file, char *out, size_t size)
{
    size_t n = strlen(file);
    if (n > 4 && !strcmp(file + n - 4, ".jfr"))
        n -= 4;
    snprintf(out, size, "%.*s.html", (int)n, file);
}

int watch_show(const struct recording *r, const struct cli_args *args)
{
    struct stat st;
    char html[PATH_MAX + 8];
    if (stat(r->file.path, &st))
        return cli_fail("no recording was written: %s: %s; was the agent loaded?", r->file.path, strerror(errno));
    if (st.st_size == 0)
        return cli_fail("the recording %s is empty: the process ended before anything was written", r->file.path);
    int status = CLI_OK;
    html_beside(r->file.path, html, sizeof html);
    if (!cli_switch(args, "no-report"))
        status = report_print_summary(r->file.path, stdout);
    if (!status && !cli_switch(args, "no-report") && event_list_has(r->event, "live")) {
        putchar('\n');
        status = report_print_live(r->file.path, stdout);
    }
    bool of_halts = r->event && !strcmp(r->event, "halt"); /* and of no samples, so there is nothing to draw */
    int html_status = of_halts ? CLI_OK : convert_file(r->file.path, html);
    printf("\nrecording:   ");
    utf8_print(stdout, r->file.path);
    if (html_status == CLI_OK && !of_halts) {
        printf("\nflame graph: ");
        utf8_print(stdout, html);
    }
    putchar('\n');
    int written = cli_finish_output();
    return status ? status : html_status ? html_status : written;
}
