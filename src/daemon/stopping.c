#include "daemon/stopping.h"

#include "attach/control.h"
#include "base/text/number.h"
#include "base/text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* recording: the agent's number; 0 = the agent chooses the recording. */
static int ask_about(const struct live *l, const char *command, uint64_t recording, uint64_t deadline, struct control_answer *answer,
                     struct error *e)
{
    struct control_request r;
    char text[24];
    uint64_t now = clock_monotonic_ns();
    snprintf(text, sizeof text, "%" PRIu64, recording);
    control_begin(&r, command);
    control_option(&r, "recording", recording ? text : NULL);
    return control_send(l->pid, &r, deadline > now ? deadline - now : 0, answer, e);
}

static bool is_to_our_file(const struct live *l, uint64_t recording, uint64_t deadline)
{
    struct control_answer answer;
    struct error e;
    char name[LIVE_ID + 8];
    snprintf(name, sizeof name, "/%s.jfr", l->id);
    const char *file = ask_about(l, "status", recording, deadline, &answer, &e) ? NULL : control_text(&answer, "file");
    const char *last = file ? strrchr(file, '/') : NULL;
    bool is_ours = last && !strcmp(last, name);
    control_answer_free(&answer);
    return is_ours;
}

/* *recording becomes 0 if the agent makes only one recording at a time, because there is no other one. */
static int find_number(const struct live *l, uint64_t deadline, uint64_t *recording, struct error *e)
{
    struct control_answer answer;
    uint64_t number;
    int code = ask_about(l, "status", 0, deadline, &answer, e);
    const char *rest = code ? NULL : control_text(&answer, "recordings");
    *recording = 0;
    if (rest)
        code = error_set(e, -ENOENT, "the daemon's recording is not among the running ones: %.80s", rest);
    while (code == -ENOENT && rest && !number_take(&rest, 10, 1, UINT32_MAX, &number)) {
        rest += *rest == ',';
        if (is_to_our_file(l, number, deadline)) {
            *recording = number;
            code = 0;
        }
    }
    control_answer_free(&answer);
    return code;
}

int stopping_end(const struct live *l, uint64_t patience_ns, uint64_t *samples, struct error *e)
{
    struct control_answer answer;
    uint64_t deadline = clock_monotonic_ns() + patience_ns, recording = l->recording;
    int code = recording ? 0 : find_number(l, deadline, &recording, e);
    if (code)
        return code;
    code = ask_about(l, "stop", recording, deadline, &answer, e);
    *samples = code ? 0 : control_number(&answer, "samples", 0);
    control_answer_free(&answer);
    return code;
}
