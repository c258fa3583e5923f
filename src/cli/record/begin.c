#include "cli/record/begin.h"

#include "cli/record/watch.h"

#include <errno.h>

int begin_recording(const struct session *s, struct recording *r)
{
    struct control_request request;
    struct control_answer answer;
    struct error e;
    control_begin(&request, "start");
    recording_options(r, &request, WATCH_GUARD_NS);
    int code = session_ask(s, &request, &answer, &e);
    if (code)
        recording_file_discard(&r->file);
    recording_file_close(&r->file);
    control_answer_free(&answer);
    if (code == -EREMOTEIO)
        return cli_fail("cannot record %d: %s; 'candor stop %d' ends a recording", s->process.pid, e.text, s->process.pid);
    return code ? cli_fail("%s", e.text) : CLI_OK;
}
