#include "cli/record/attached.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/record/begin.h"
#include "cli/record/jdk_recorder.h"
#include "cli/record/watch.h"

/* Looks at what was recorded so far. If that calls for the JDK's recorder, it joins, and the recording goes on for the whole duration from
 * then on. */
static void look(const struct session *s, struct recording *r, struct jdk_recorder *jdk)
{
    const char *why = r->look(r);
    r->look = NULL;
    if (!why)
        return;
    progress_clear();
    uint64_t before = clock_monotonic_ns();
    jdk_recorder_join(jdk, s, r, WATCH_GUARD_NS);
    if (!jdk->mode)
        return;
    fprintf(stderr, "candor: %s: the JDK's recorder joins, to show why (--jfr off prevents that)\n", why);
    uint64_t longer = r->look_ns + clock_monotonic_ns() - before;
    r->duration_ns += longer < WATCH_JOIN_NS ? longer : WATCH_JOIN_NS; /* later the agent ends the recording by itself */
}

static enum watch_end watch(const struct session *s, struct recording *r, struct jdk_recorder *jdk)
{
    enum watch_end end = watch_recording(s, r, true);
    if (end != WATCH_LOOK)
        return end;
    look(s, r, jdk);
    return watch_recording(s, r, true);
}

/* Makes sure that the agent is still there. It may have left while the JDK's recorder took its time. */
static int load_again(const struct session *s, struct recording *r)
{
    int status = session_load_agent(s);
    if (status) {
        recording_file_discard(&r->file);
        recording_file_close(&r->file);
    }
    return status;
}

int attached_record(const struct session *s, const struct cli_args *args, struct recording *r)
{
    struct jdk_recorder jdk;
    int status = recording_choose_file(r, args, s->name);
    if (!status)
        status = session_load_agent(s);
    if (status)
        return status;
    interrupt_catch();
    status = recording_file_open(&r->file);
    if (status)
        return status;
    bool asked = r->given[OPTION_JFR];
    jdk_recorder_begin(&jdk, s, r, WATCH_GUARD_NS);
    if (asked)
        status = load_again(s, r);
    if (!status)
        status = begin_recording(s, r);
    if (!status)
        status = begin_place(s, r);
    if (status) {
        jdk_recorder_abandon(&jdk, s);
        return status;
    }
    status = watch_finish(s, r, watch(s, r, &jdk));
    int joined = jdk_recorder_end(&jdk, s, r->file.path);
    int shown = watch_show(r, args);
    return status ? status : joined ? joined : shown;
}
