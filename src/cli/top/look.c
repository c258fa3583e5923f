#include "cli/top/look.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <string.h>
#include <time.h>

static const uint64_t silence_ns = 5 * NS_PER_S; /* an agent that works writes once a second */

void look_init(struct look *l, struct source *source, struct model *model)
{
    l->source = source;
    l->model = model;
    l->news_ns = clock_monotonic_ns();
    l->facts = (struct draw_facts){
        .pid = source->session->process.pid, .name = source->session->name, .clock = source->clock, .state = l->state, .time = l->time};
}

static void tell_time(struct look *l)
{
    struct tm local;
    time_t now = time(NULL);
    strftime(l->time, sizeof l->time, "%H:%M:%S", localtime_r(&now, &local));
}

static void tell_state(struct look *l, bool gone)
{
    int pid = l->facts.pid;
    uint64_t silent = clock_monotonic_ns() - l->news_ns;
    bool quiet = !*l->state;
    l->over = gone || live_ended(l->source->live);
    l->state[0] = 0;
    if (gone)
        snprintf(l->state, sizeof l->state, "process %d has exited: these are its last samples (q quits, S saves)", pid);
    else if (l->over)
        snprintf(l->state, sizeof l->state, "another client has stopped the recording: these are its last samples (q quits, S saves)");
    else if (silent > silence_ns)
        snprintf(l->state, sizeof l->state, "no new samples for %u s: process %d may be stopped, or its disk full",
                 (unsigned)(silent / NS_PER_S), pid);
    if (quiet && *l->state)
        l->model->message[0] = 0; /* the state is more important than the message */
}

int look_read(struct look *l, struct error *e)
{
    bool news, gone = session_wait_end(l->source->session, 0); /* asked before the last data is read */
    int rc = live_read(l->source->live, &news, e);
    if (rc)
        return rc;
    if (news)
        l->news_ns = clock_monotonic_ns();
    tell_time(l);
    tell_state(l, gone);
    return 0;
}

int look_show(struct look *l, struct error *e)
{
    struct live_view view;
    struct live_part part = model_part(l->model);
    int rc = live_look(l->source->live, &part, &view);
    if (!rc) {
        rc = model_update(l->model, &view.profile);
        live_look_away(&view);
    }
    return rc ? error_set(e, rc, "cannot show the recording: %s", strerror(-rc)) : 0;
}
