#include "cli/record/attached.h"

#include "cli/interrupt.h"
#include "cli/record/begin.h"
#include "cli/record/jdk_recorder.h"
#include "cli/record/watch.h"

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
    jdk_recorder_begin(&jdk, s, r, WATCH_GUARD_NS);
    status = begin_recording(s, r);
    if (!status)
        status = begin_place(s, r);
    if (status) {
        jdk_recorder_abandon(&jdk, s);
        return status;
    }
    status = watch_finish(s, r, watch_recording(s, r, true));
    int joined = jdk_recorder_end(&jdk, s, r->file.path);
    int shown = watch_show(r, args);
    return status ? status : joined ? joined : shown;
}
