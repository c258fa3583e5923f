/* The questions of `candor fleet`: makes the query, and reads the answer; and what it sends. */
#include "cli/fleet/fleet.h"
#include "cli/read/remote_get.h"
#include "http/address.h"

#include <stdlib.h>
#include <string.h>

void fleet_put(struct buffer *query, const char *name, const char *value)
{
    buffer_printf(query, "%c%s=", memchr(query->data, '?', query->len) ? '&' : '?', name);
    address_escape(query, value);
}

void fleet_begin(const struct fleet *f, struct buffer *query, const char *path)
{
    static const char *const options[][2] = {{"select", "select"}, {"from", "from"}, {"until", "to"}};
    buffer_init(query, FLEET_QUERY_MAX);
    buffer_text(query, path);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (cli_option(f->args, options[i][0]))
            fleet_put(query, options[i][1], cli_option(f->args, options[i][0]));
}

/* Prints what is missing from the answer, if it is not complete. */
static void print_missing(const struct fleet *f, json_t *answer)
{
    json_t *complete = json_object_get(answer, "complete");
    const char *text = json_string_value(json_object_get(answer, "missing_text"));
    if (json_is_false(complete))
        cli_fail("%s: %s", f->address, text ? text : "the list is cut off at its limit");
}

static json_t *read_answer(const struct fleet *f, const struct fetch_answer *answer, int *status)
{
    const char *bytes = (const char *)answer->body.data;
    json_t *json = json_loadb(bytes, answer->body.len, 0, NULL);
    if (!json)
        *status = cli_fail("%s: the answer is not JSON; is it a Candor server?", f->address);
    else
        print_missing(f, json);
    if (!json || !cli_switch(f->args, "json"))
        return json;
    json_decref(json);
    fwrite(bytes, 1, answer->body.len, stdout);
    *status = cli_finish_output();
    return NULL;
}

json_t *fleet_ask(const struct fleet *f, struct buffer *query, int *status)
{
    struct fetch_answer answer = {0};
    json_t *json = NULL;
    buffer_u8(query, 0);
    *status = query->failed ? cli_usage(f->args->command, "the query is too long")
                            : remote_get(f->args, f->address, (const char *)query->data, &answer);
    if (!*status)
        json = read_answer(f, &answer, status);
    fetch_deinit(&answer);
    buffer_deinit(query);
    return json;
}

int fleet_tell(const struct fleet *f, struct buffer *path, json_t *json)
{
    char *body = json_dumps(json, 0);
    buffer_u8(path, 0);
    int status = !body || path->failed ? cli_fail("out of memory")
                                       : remote_post(f->args, f->address, (const char *)path->data, "application/json", body, strlen(body));
    free(body);
    buffer_deinit(path);
    json_decref(json);
    return status;
}
