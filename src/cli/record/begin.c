#include "cli/record/begin.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "cli/record/watch.h"
#include "jfr/read/reader.h"

#include <errno.h>
#include <string.h>

enum { STEP_MS = 20 };
#define ENOUGH_NS NS_PER_S /* after this time the recording may be without a sample, because the JVM does nothing */

/* Whether a recording that has just begun is still running and has no sample yet. */
static bool is_empty(const struct session *s, const struct recording *r)
{
    struct control_answer answer;
    struct error e;
    if (session_ask_about(s, "status", r->id, &answer, &e))
        return false;
    const char *state = control_text(&answer, "state");
    uint64_t elapsed = control_number(&answer, "elapsed_ns", 0);
    bool empty = state && !strcmp(state, "running") && !control_number(&answer, "samples", 0) && elapsed < ENOUGH_NS &&
                 (!r->duration_ns || elapsed < r->duration_ns);
    control_answer_free(&answer);
    return empty;
}

static void ask(const struct session *s, const char *command, uint64_t id)
{
    struct control_answer answer;
    struct error e;
    if (!session_ask_about(s, command, id, &answer, &e))
        control_answer_free(&answer);
}

static bool has_events(const char *path)
{
    struct jfr_file *file;
    struct error e;
    uint64_t events = 0;
    if (jfr_file_open(&file, path, NULL, &e))
        return false;
    for (uint32_t i = 0, count; !events && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        if (jfr_chunk_open(&chunk, file, i, NULL, &e) || !chunk)
            continue;
        const struct jfr_type *types = jfr_chunk_types(chunk, &count);
        while (count)
            events += types[--count].events;
        jfr_chunk_close(chunk);
    }
    jfr_file_close(file);
    return events;
}

int begin_place(const struct session *s, struct recording *r)
{
    if (!recording_file_waits(&r->file))
        return CLI_OK;
    while (!interrupt_signal() && is_empty(s, r) && !session_wait_end(s, STEP_MS))
        ;
    ask(s, "dump", r->id); /* the agent then writes its data to the file */
    if (has_events(r->file.beside))
        return recording_file_place(&r->file);
    bool ended = session_wait_end(s, 0);
    if (!ended)
        ask(s, "stop", r->id); /* the agent may have answered too late, and nobody else would end the recording */
    if (has_events(r->file.beside))
        return recording_file_place(&r->file);
    recording_file_discard(&r->file);
    if (ended)
        return cli_fail("process %d ended before anything was recorded; %s was left unchanged", s->process.pid, r->file.path);
    return cli_fail("the agent in process %d recorded nothing and was stopped; %s was left unchanged. The machine may be busy; --timeout "
                    "gives the agent longer to answer",
                    s->process.pid, r->file.path);
}

int begin_recording(const struct session *s, struct recording *r)
{
    struct control_request request;
    struct control_answer answer;
    struct error e;
    control_begin(&request, "start");
    recording_options(r, &request, WATCH_GUARD_NS + (r->look ? WATCH_JOIN_NS : 0));
    int code = session_ask(s, &request, &answer, &e);
    if (code)
        recording_file_discard(&r->file);
    recording_file_close(&r->file);
    r->id = code ? 0 : control_number(&answer, "recording", 0);
    control_answer_free(&answer);
    bool records = code == -EREMOTEIO && !strncmp(e.text, "already recording", strlen("already recording"));
    if (records)
        return cli_fail("cannot record %d: %s; 'candor stop %d' ends a recording", s->process.pid, e.text, s->process.pid);
    if (code == -EREMOTEIO)
        return cli_fail("cannot record %d: %s", s->process.pid, e.text);
    return code ? cli_fail("%s", e.text) : CLI_OK;
}
