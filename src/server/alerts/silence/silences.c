#include "server/alerts/silence/silences.h"

#include "server/request/json_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 64 << 20 };

static int64_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- the file ---- */

int silences_open(struct silences *s, const char *data, int64_t now, struct error *e)
{
    *s = (struct silences){.next = 1};
    snprintf(s->file, sizeof s->file, "%s/silences.json", data);
    int rc = list_file_read(s->file, "silences", FILE_MAX, now, &s->list, &s->next, e);
    return rc == -EBADMSG ? error_set(e, rc, "%s is damaged: there are no silences now, so alerts are sent", s->file) : rc;
}

void silences_close(struct silences *s)
{
    json_decref(s->list);
    s->list = NULL;
}

void silences_use(struct silences *s, json_t *list, int64_t next)
{
    json_decref(s->list);
    s->list = list;
    s->next = next > s->next ? next : s->next;
}

static int save(const struct silences *s, struct error *e)
{
    return list_file_write(s->file, "silences", s->list, s->next, e);
}

/* ---- what lasts ---- */

bool silences_lasts(const json_t *silence, int64_t now)
{
    return now < int_of(silence, "until");
}

/* Whether a member is missing, and so means any text, or is that text. */
static bool allows(const json_t *silence, const char *key, const char *text)
{
    const char *wanted = json_string_value(json_object_get(silence, key));
    return !wanted || (text && !strcmp(wanted, text));
}

int64_t silences_find(const struct silences *s, const char *rule, const char *value, int64_t now)
{
    for (size_t i = 0; i < json_array_size(s->list); i++) {
        const json_t *one = json_array_get(s->list, i);
        if (silences_lasts(one, now) && allows(one, "rule", rule) && allows(one, "of", value))
            return int_of(one, "id");
    }
    return 0;
}

/* ---- changes ---- */

/* Counts what lasts, and forgets the oldest of the others if there are too many. */
static size_t make_room(struct silences *s, int64_t now)
{
    size_t lasting = 0;
    for (size_t i = 0; i < json_array_size(s->list);) {
        bool lasts = silences_lasts(json_array_get(s->list, i), now);
        lasting += lasts;
        if (!lasts && json_array_size(s->list) >= SILENCES_MAX)
            json_array_remove(s->list, i);
        else
            i++;
    }
    return lasting;
}

int64_t silences_add(struct silences *s, const struct silence_wanted *w, int64_t now, struct error *e)
{
    if (make_room(s, now) >= SILENCES_LASTING_MAX)
        return error_set(e, -EBUSY, "%d silences last already; end some of them", SILENCES_LASTING_MAX);
    json_t *one = json_pack("{s:I,s:s?,s:s?,s:o,s:o,s:I,s:I}", "id", (json_int_t)s->next, "rule", w->rule, "of", w->of, "note",
                            json_text(w->note, SILENCES_NOTE_MAX), "by", json_text(w->by, SILENCES_BY_MAX), "created", (json_int_t)now,
                            "until", (json_int_t)(now + w->seconds));
    if (!one || json_array_append_new(s->list, one))
        return error_set(e, -ENOMEM, "out of memory");
    s->next++;
    int rc = save(s, e);
    if (rc) {
        json_array_remove(s->list, json_array_size(s->list) - 1);
        s->next--;
    }
    return rc ? rc : s->next - 1;
}

int silences_end(struct silences *s, int64_t id, const char *by, int64_t now, struct error *e)
{
    json_t *one = NULL;
    size_t i;
    json_array_foreach(s->list, i, one) if (int_of(one, "id") == id) break;
    if (!one || !silences_lasts(one, now))
        return error_set(e, -ENOENT, "no silence %" PRId64 " lasts; GET /v1/alerts/silences lists them", id);
    json_int_t until = int_of(one, "until");
    bool noted =
        !json_object_set_new(one, "until", json_integer(now)) && !json_object_set_new(one, "ended_by", json_text(by, SILENCES_BY_MAX));
    int rc = noted ? save(s, e) : error_set(e, -ENOMEM, "out of memory");
    if (rc) {
        json_object_set_new(one, "until", json_integer(until));
        json_object_del(one, "ended_by");
    }
    return rc;
}
