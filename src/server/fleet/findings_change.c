/* Changes the state and the note of a finding, on behalf of a person. */
#include "server/fleet/findings.h"

#include "base/text/number.h"
#include "base/text/pattern.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/request/question.h"
#include "store/catalogue/catalogue_findings.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum { NOTE_MAX = 4096 };

/* The requested change. state STATES and note NULL: no change. */
struct change {
    enum catalogue_state state;
    const char *note;
};

static enum catalogue_state state_named(const char *word)
{
    int state = 0;
    while (state < STATES && strcmp(catalogue_state_names[state], word))
        state++;
    return (enum catalogue_state)state;
}

/* Reads the change from {"state": ..., "note": ...}. Returns NULL, or the error. */
static const char *read_change(const json_t *body, struct change *change)
{
    const json_t *state = json_object_get(body, "state"), *note = json_object_get(body, "note");
    *change = (struct change){.state = STATES};
    if (!json_is_object(body) || (!state && !note))
        return "the body is not like {\"state\": \"acknowledged\", \"note\": \"...\"}";
    if (state && json_is_string(state))
        change->state = state_named(json_string_value(state));
    if (state && change->state == STATES)
        return "state: it is open, acknowledged, silenced or resolved";
    if (note && (!json_is_string(note) || json_string_length(note) > NOTE_MAX))
        return "note: it is a text of at most 4096 bytes";
    change->note = note ? json_string_value(note) : NULL;
    return NULL;
}

static int is_of(void *services, const struct catalogue_finding *f)
{
    return pattern_matches(services, f->service);
}

/* Whether the request's token is for the finding's service. Returns 0, or a code with a message in e. */
static int may_change(const struct http *h, uint64_t id, struct error *e)
{
    int rc = catalogue_findings(store_catalogue(h->server->store), id, NULL, is_of, (void *)h->token.services, e);
    return rc == 1 ? 0 : rc ? rc : error_set(e, -ENOENT, "there is no finding %" PRIu64, id);
}

static void put_changed(struct http *h, uint64_t id)
{
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_member_uint(&w.json, "id", id);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

void findings_change(struct http *h, const char *id_text, const char *body, size_t n)
{
    struct error e;
    struct change change;
    uint64_t id;
    json_t *json = json_loadb(body, n, 0, NULL);
    const char *wrong = read_change(json, &change);
    if (wrong) {
        http_error(h, HTTP_BAD_REQUEST, "%s", wrong);
    } else if (number_parse(id_text, 1, INT64_MAX, &id)) {
        http_error(h, HTTP_NOT_FOUND, "'%.40s' is not the number of a finding", id_text);
    } else {
        int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S);
        int rc = may_change(h, id, &e);
        rc = rc ? rc : catalogue_change_finding(store_catalogue(h->server->store), id, change.state, change.note, now, &e);
        if (rc)
            question_failed(h, rc, &e);
        else
            put_changed(h, id);
    }
    json_decref(json);
}
