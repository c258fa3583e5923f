#include "report/json/json_live.h"

#include "profile/accounts.h"
#include "profile/figures/books_json.h"
#include "report/json/json_holders.h"

static void put_text(struct jsonw *j, const struct profile *p, const char *key, uint32_t string)
{
    jsonw_key(j, key);
    jsonw_string(j, profile_text(p, string), strtab_len(&p->strings, string));
}

static void put_walks(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *walked = accounts_line(p, ACCOUNT_PATHS_WALKED);
    const struct profile_book *stopped = accounts_line(p, ACCOUNT_PATHS_STOPPED);
    static const char *const keys[] = {"walks", "walked_ns", "stopped_ns"};
    int64_t values[] = {walked ? (int64_t)walked->count : 0, walked ? walked->ns : 0, stopped ? stopped->ns : 0};
    bool is_counted = walked && (!walked->count || values[2]);
    bool known[] = {walked, walked, is_counted};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        jsonw_key(j, keys[i]);
        if (known[i])
            jsonw_int(j, values[i]);
        else
            jsonw_null(j);
    }
}

static void put_sets(struct jsonw *j, const struct profile *p)
{
    jsonw_key(j, "sets");
    jsonw_array(j);
    for (uint32_t i = 0; i < p->live_set_count; i++) {
        const struct profile_live_set *s = &p->live_sets[i];
        jsonw_object(j);
        jsonw_key(j, "time_ns");
        jsonw_int(j, s->time_ns);
        jsonw_member_uint(j, "collections", s->collections);
        jsonw_member_uint(j, "old_collections", s->old_collections);
        jsonw_member_uint(j, "heap_used", s->heap_used);
        jsonw_member_uint(j, "objects", s->objects);
        jsonw_member_uint(j, "bytes", s->bytes);
        jsonw_member_uint(j, "error", s->error);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_live(struct jsonw *j, const struct profile *p, const struct leaks *l)
{
    jsonw_key(j, "live");
    jsonw_object(j);
    put_sets(j, p);
    jsonw_member_number(j, "heap_per_hour", leaks_heap_per_hour(p));
    json_holders(j, p, l ? &l->holders : NULL);
    jsonw_key(j, "books");
    if (accounts_has_book(p, BOOK_LIVE)) {
        jsonw_object(j);
        books_json_members(j, p, BOOK_LIVE);
        put_walks(j, p);
        jsonw_object_end(j);
    } else {
        jsonw_null(j);
    }
    jsonw_object_end(j);
}

static void put_stack(struct jsonw *j, const struct profile *p, uint32_t stack)
{
    jsonw_key(j, "stack");
    jsonw_array(j);
    for (uint32_t at = stack; at; at = p->nodes[at].parent) {
        uint32_t label = p->frames[p->nodes[at].frame].label;
        jsonw_string(j, profile_text(p, label), strtab_len(&p->strings, label));
    }
    jsonw_array_end(j);
}

static void put_candidate(struct jsonw *j, const struct profile *p, const struct leak *l)
{
    jsonw_object(j);
    put_text(j, p, "class", l->class_name);
    put_text(j, p, "site", l->site);
    jsonw_member_uint(j, "bytes", l->bytes);
    jsonw_member_number(j, "error", l->error);
    jsonw_member_uint(j, "objects", l->objects);
    jsonw_member_number(j, "growth", l->growth);
    jsonw_member_number(j, "growth_error", l->growth_error);
    jsonw_member_number(j, "per_hour", l->per_hour);
    jsonw_member_number(j, "chance", l->chance);
    jsonw_member_uint(j, "age_ns", l->age_ns);
    jsonw_key(j, "quarters");
    jsonw_array(j);
    for (int k = 0; k < LEAKS_QUARTERS; k++)
        jsonw_number(j, l->share_per_quarter[k]);
    jsonw_array_end(j);
    put_stack(j, p, l->stack);
    json_holders(j, p, &l->holders);
    jsonw_object_end(j);
}

static void put_leaks(struct jsonw *j, const struct profile *p, const struct report_options *o)
{
    static const char *const proofs[] = {
        [LEAKS_PROVED] = "proved", [LEAKS_NO_OLD_COLLECTION] = "no old collection", [LEAKS_OLD_UNKNOWN] = "unknown"};
    const struct leaks *l = o->leaks;
    jsonw_key(j, "leaks");
    if (!l || l->is_too_short) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_member_uint(j, "groups", l->groups);
    jsonw_member_uint(j, "looks", l->looks);
    jsonw_member_text(j, "proof", proofs[l->proof]);
    jsonw_member_number(j, "false_alarm", LEAKS_CHANCE);
    jsonw_key(j, "candidates");
    jsonw_array(j);
    for (uint32_t i = 0; i < l->count && (!o->top_set || !o->top || i < o->top); i++)
        put_candidate(j, p, &l->rows[i]);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

void json_live(struct jsonw *j, const struct profile *p, const struct report_options *o)
{
    if (p->kind != PROFILE_LIVE)
        return;
    put_live(j, p, o->leaks);
    put_leaks(j, p, o);
}
