/* Sends a query to a server, and turns a refusal into a message that names the remedy. */
#include "cli/read/remote_get.h"

#include "http/address.h"
#include "http/token.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

enum { ADDRESS_MAX = 1024, URL_MAX = (1 << 16) + ADDRESS_MAX, WORDS_MAX = 1 << 16 };

static int ask(const struct cli_args *args, const char *path, const char *query, struct fetch_answer *answer)
{
    const char *token_file = cli_option(args, "token-file"), *ca_file = cli_option(args, "ca-file");
    char address[ADDRESS_MAX], token[TOKEN_MAX] = "";
    struct buffer url;
    struct error e;
    if (address_read(path, address, sizeof address, &e))
        return cli_usage(args->command, "%s", e.text);
    if (token_read(token_file ? token_file : "", token, &e))
        return cli_fail("%s", e.text);
    buffer_init(&url, URL_MAX);
    buffer_printf(&url, "%s%s", address, query);
    buffer_u8(&url, 0);
    struct transport *t = transport_new(ca_file ? ca_file : "", NULL, &e);
    int rc = !t           ? -ENOENT
             : url.failed ? error_set(&e, -E2BIG, "the query is too long")
                          : fetch_get(t, (const char *)url.data, token, answer, &e);
    explicit_bzero(token, sizeof token);
    transport_free(t);
    buffer_deinit(&url);
    const char *remedy = rc == -ECONNREFUSED ? "; is 'candor server' running there?"
                         : rc == -EACCES     ? "; give the certificates to trust with --ca-file"
                                             : "";
    return rc ? cli_fail("%s: %s%s", path, e.text, remedy) : CLI_OK;
}

/* Reads the server's own words from {"error": "..."}; "" if there are none, because the server is not candor's. */
static void read_words(const struct fetch_answer *answer, char *out, size_t size)
{
    json_t *json = answer->body.len < WORDS_MAX ? json_loadb((const char *)answer->body.data, answer->body.len, 0, NULL) : NULL;
    const char *text = json_string_value(json_object_get(json, "error"));
    snprintf(out, size, "%s", text ? text : "");
    json_decref(json);
}

static int refused(const struct cli_args *args, const char *path, const char *query, const struct fetch_answer *answer)
{
    char words[300], place[300];
    const char *token_file = cli_option(args, "token-file");
    read_words(answer, words, sizeof words);
    if (answer->status / 100 == 3 && fetch_header(answer, "Location", place, sizeof place))
        return cli_fail("%s: it redirects to %s; use that server", path, place);
    if (answer->status == 401 && token_file)
        return cli_fail("%s: the server does not know the token in %s (401)", path, token_file);
    if (answer->status == 401)
        return cli_fail("%s: the server requires a token (401); give the file with the token with --token-file", path);
    if (!*words || answer->status == 404)
        return cli_fail("%s: not a Candor server, or one that does not know %.*s: it answers %ld", path, (int)strcspn(query, "?"), query,
                        answer->status);
    if (answer->status == 403)
        return cli_fail("%s: the server refuses (403): %s%s", path, words, token_file ? "; use one with the scope read" : "");
    if (answer->status == 400)
        return cli_usage(args->command, "%s: %s", path, words);
    return cli_fail("%s: the server answers %ld: %s", path, answer->status, words);
}

int remote_get(const struct cli_args *args, const char *address, const char *query, struct fetch_answer *answer)
{
    int status = ask(args, address, query, answer);
    return status || answer->status == 200 ? status : refused(args, address, query, answer);
}
