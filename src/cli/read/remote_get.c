/* Sends a query to a server, and turns a refusal into a message that names the remedy. */
#include "cli/read/remote_get.h"

#include "http/address.h"
#include "http/post.h"
#include "http/token.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

enum { ADDRESS_MAX = 1024, URL_MAX = (1 << 16) + ADDRESS_MAX, WORDS_MAX = 1 << 16 };

/* Everything that a request needs, from the options. */
struct line {
    char token[TOKEN_MAX];
    struct buffer url;
    struct transport *transport;
};

/* Opens the line to the server. Call hang_up in any case. */
static int dial(const struct cli_args *args, const char *path, const char *query, struct line *line)
{
    const char *token_file = cli_option(args, "token-file"), *ca_file = cli_option(args, "ca-file");
    char address[ADDRESS_MAX];
    struct error e;
    *line = (struct line){.token = ""};
    buffer_init(&line->url, URL_MAX);
    if (address_read(path, address, sizeof address, &e))
        return cli_usage(args->command, "%s", e.text);
    if (token_read(token_file ? token_file : "", line->token, &e))
        return cli_fail("%s", e.text);
    buffer_printf(&line->url, "%s%s", address, query);
    buffer_u8(&line->url, 0);
    if (line->url.failed)
        return cli_fail("%s: the query is too long", path);
    line->transport = transport_new(ca_file ? ca_file : "", NULL, &e);
    return line->transport ? CLI_OK : cli_fail("%s: %s", path, e.text);
}

static void hang_up(struct line *line)
{
    explicit_bzero(line->token, sizeof line->token);
    transport_free(line->transport);
    buffer_deinit(&line->url);
}

/* Returns an exit status. rc: the result of sending; if it is a code, prints the message in e. */
static int sent(const char *path, int rc, const struct error *e)
{
    const char *remedy = rc == -ECONNREFUSED ? "; is 'candor server' running there?"
                         : rc == -EACCES     ? "; give the certificates to trust with --ca-file"
                                             : "";
    return rc ? cli_fail("%s: %s%s", path, e->text, remedy) : CLI_OK;
}

static int ask(const struct cli_args *args, const char *path, const char *query, struct fetch_answer *answer)
{
    struct line line;
    struct error e;
    int status = dial(args, path, query, &line);
    if (!status)
        status = sent(path, fetch_get(line.transport, (const char *)line.url.data, line.token, answer, &e), &e);
    hang_up(&line);
    return status;
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
    if (!*words)
        return cli_fail("%s: not a Candor server, or one that does not know %.*s: it answers %ld", path, (int)strcspn(query, "?"), query,
                        answer->status);
    if (answer->status == 403)
        return cli_fail("%s: the server refuses (403): %s%s", path, words, token_file ? "; use one with that scope" : "");
    if (answer->status == 400)
        return cli_usage(args->command, "%s: %s", path, words);
    return cli_fail("%s: the server answers %ld: %s", path, answer->status, words);
}

int remote_get(const struct cli_args *args, const char *address, const char *query, struct fetch_answer *answer)
{
    int status = ask(args, address, query, answer);
    return status || answer->status == 200 ? status : refused(args, address, query, answer);
}

int remote_post(const struct cli_args *args, const char *address, const char *path, const char *type, const void *bytes, size_t n,
                struct post_answer *answer)
{
    struct line line;
    struct error e;
    int status = dial(args, address, path, &line);
    if (!status) {
        struct post_letter letter = {.url = (const char *)line.url.data, .token = line.token, .type = type, .bytes = bytes, .size = n};
        status = sent(address, post_send(line.transport, &letter, answer, &e), &e);
    }
    hang_up(&line);
    if (status || answer->status == 200)
        return status;
    struct fetch_answer words = {.status = answer->status, .body = {.data = (uint8_t *)answer->text, .len = answer->size}};
    return refused(args, address, path, &words);
}
