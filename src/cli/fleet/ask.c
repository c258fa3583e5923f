/* What all views of `candor fleet` share: makes the query, reads the answer, and sends. */
#include "cli/fleet/fleet.h"
#include "cli/read/remote_get.h"
#include "http/address.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void fleet_put(struct buffer *query, const char *name, const char *value)
{
    buffer_printf(query, "%c%s=", memchr(query->data, '?', query->len) ? '&' : '?', name);
    address_escape(query, value);
}

void fleet_put_option(const struct fleet *f, struct buffer *query, const char *name)
{
    const char *value = cli_option(f->args, name);
    if (value)
        fleet_put(query, name, value);
}

void fleet_begin(const struct fleet *f, struct buffer *query, const char *path)
{
    const char *until = cli_option(f->args, "until");
    buffer_init(query, FLEET_QUERY_MAX);
    buffer_text(query, path);
    fleet_put_option(f, query, "select");
    fleet_put_option(f, query, "from");
    if (until)
        fleet_put(query, "to", until);
}

/* Prints what is missing from the answer, if it is not complete, and whether its weights may be rounded. */
static void print_missing(const struct fleet *f, json_t *answer)
{
    json_t *complete = json_object_get(answer, "complete");
    const char *text = json_string_value(json_object_get(answer, "missing_text"));
    if (json_is_false(complete))
        cli_fail("%s: %s", f->address, text ? text : "the list is cut off at its limit");
    json_t *rounded = json_object_get(answer, "weights_rounded_since");
    char time[FLEET_TIME_MAX];
    if (rounded)
        cli_fail("%s: weights of single samples received since %s are rounded; sums of recordings are exact", f->address,
                 fleet_time(time, json_integer_value(rounded)));
}

static int show(const struct fleet *f, const struct fetch_answer *answer, fleet_print *print, fleet_print *check)
{
    const char *bytes = (const char *)answer->body.data;
    json_t *json = json_loadb(bytes, answer->body.len, 0, NULL);
    if (!json)
        return cli_fail("%s: the answer is not JSON; is it a Candor server?", f->address);
    print_missing(f, json);
    bool as_it_is = cli_switch(f->args, "json");
    if (as_it_is)
        fwrite(bytes, 1, answer->body.len, stdout);
    int status = as_it_is ? cli_finish_output() : print(f, json);
    status = status || !check ? status : check(f, json);
    json_decref(json);
    return status;
}

int fleet_show(const struct fleet *f, struct buffer *query, fleet_print *print)
{
    return fleet_show_and_check(f, query, print, NULL);
}

int fleet_show_and_check(const struct fleet *f, struct buffer *query, fleet_print *print, fleet_print *check)
{
    struct fetch_answer answer = {0};
    buffer_u8(query, 0);
    int status = query->failed ? cli_usage(f->args->command, "the query is too long")
                               : remote_get(f->args, f->address, (const char *)query->data, &answer);
    status = status ? status : show(f, &answer, print, check);
    fetch_deinit(&answer);
    buffer_deinit(query);
    return status;
}

int fleet_tell(const struct fleet *f, struct buffer *path, json_t *json, json_t **answer)
{
    struct post_answer said = {0};
    char *body = json_dumps(json, 0);
    buffer_u8(path, 0);
    int status = !body || path->failed
                     ? cli_fail("out of memory")
                     : remote_post(f->args, f->address, (const char *)path->data, "application/json", body, strlen(body), &said);
    if (!status && answer && !(*answer = json_loadb(said.text, said.size, 0, NULL)))
        status = cli_fail("%s: the answer is not JSON; is it a Candor server?", f->address);
    free(body);
    buffer_deinit(path);
    json_decref(json);
    return status;
}

const char *fleet_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

const char *fleet_time(char out[FLEET_TIME_MAX], json_int_t seconds)
{
    time_t at = (time_t)seconds;
    struct tm utc;
    if (!gmtime_r(&at, &utc) || !strftime(out, FLEET_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &utc))
        *out = 0;
    return out;
}

int fleet_table(struct table *t)
{
    return table_end(t, stdout) ? cli_fail("out of memory") : cli_finish_output();
}
