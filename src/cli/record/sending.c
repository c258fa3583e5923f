#include "cli/record/sending.h"

#include "base/buffer.h"
#include "compress/intake.h"
#include "compress/pack.h"
#include "http/backoff.h"
#include "daemon/spool/outbox.h"
#include "emit/send.h"
#include "http/token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3, PACKED_MAX = 1 << 30 };

int sending_read(struct sending *s, const struct cli_args *args)
{
    struct error e;
    const char *to = cli_option(args, "to");
    *s = (struct sending){.wanted = to != NULL};
    if (!to && (cli_option(args, "token-file") || cli_option(args, "ca-file")))
        return cli_usage(args->command, "--token-file and --ca-file need --to; leave them out, or give the server with --to");
    return to && emit_target_read(&s->target, to, &e) ? cli_usage(args->command, "--to %s", e.text) : CLI_OK;
}

/* ---- the labels ---- */

static void name_by(struct sending *s, struct facts *facts)
{
    struct labels labels;
    struct buffer query;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    labels_of(&labels, facts, NULL);
    buffer_init(&query, sizeof s->query - 1);
    labels_query(&query, &labels, *host ? host : "localhost", NULL);
    if (!query.failed)
        snprintf(s->query, sizeof s->query, "%.*s", (int)query.len, (const char *)query.data);
    buffer_deinit(&query);
}

void sending_name_process(struct sending *s, pid_t pid)
{
    struct facts facts;
    struct jvm jvm;
    if (!s->wanted || jvm_read(pid, &jvm, NULL) || facts_read(&facts, &jvm))
        return;
    name_by(s, &facts);
    facts_deinit(&facts);
}

void sending_name_command(struct sending *s, char *const *command)
{
    struct jvm jvm = {.process.pid = getpid()}; /* the command will have this process's environment */
    struct facts facts;
    struct buffer line;
    if (!s->wanted || facts_read(&facts, &jvm))
        return;
    buffer_init(&line, 1 << 20);
    for (; *command; command++)
        buffer_put(&line, *command, strlen(*command) + 1);
    if (!line.failed) {
        char *own = facts.command;
        facts.command = (char *)line.data;
        facts.command_len = line.len;
        long main = jvm_parse_command(facts.command, facts.command_len, &facts.options_end);
        snprintf(facts.jvm.main, sizeof facts.jvm.main, "%s", main >= 0 ? facts.command + main : facts.command);
        name_by(s, &facts);
        facts.command = own;
    }
    buffer_deinit(&line);
    facts_deinit(&facts);
}

/* ---- sending ---- */

struct parcel {
    struct buffer packed; /* the file, compressed for a candor server */
    struct emit_body body;
    char key[OUTBOX_KEY];
};

static int to_buffer(void *context, const void *bytes, size_t n)
{
    struct buffer *b = context;
    buffer_put(b, bytes, n);
    return b->failed ? -ENOMEM : 0;
}

static int make_parcel(struct parcel *p, const struct sending *s, const char *path, struct error *e)
{
    struct intake in;
    const struct codec *zstd = codec_by_name("zstd", 4);
    buffer_init(&p->packed, PACKED_MAX);
    int code = intake_open(&in, path, e);
    if (code)
        return code;
    if (s->target.protocol != EMIT_CANDOR) {
        code = emit_body_make(&p->body, s->target.protocol, &(struct emit_recording){in.bytes, in.size, 0, s->query}, e);
    } else {
        code = zstd ? pack_bytes(zstd, 0, in.bytes, in.size, to_buffer, &p->packed) : -ENOTSUP;
        if (code)
            error_set(e, code, "cannot pack it: %s", strerror(-code));
        else
            outbox_key(p->packed.data, p->packed.len, p->key);
    }
    intake_close(&in);
    return code;
}

static int try_once(const struct sending *s, struct transport *t, const char *token, const struct parcel *p, struct post_answer *answer,
                    uint64_t *rejected, struct error *e)
{
    char url[sizeof s->target.base + sizeof s->query + 32];
    if (s->target.protocol != EMIT_CANDOR)
        return emit_send(t, &s->target, token, &p->body, answer, rejected, e);
    snprintf(url, sizeof url, "%s/v1/recordings?%s", s->target.base, s->query);
    const struct post_letter letter = {.url = url, .token = token, .key = p->key, .bytes = p->packed.data, .size = p->packed.len};
    return post_send(t, &letter, answer, e);
}

static void wait_ns(uint64_t ns)
{
    struct timespec pause = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    nanosleep(&pause, NULL);
}

static bool is_final(long status)
{
    return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status != 408 && status != 429);
}

/* Tries to send the recording, up to TRIES times. Returns 0 if the answer says that everything was accepted. */
static int try_all(const struct sending *s, struct transport *t, const char *token, const struct parcel *p, struct error *e)
{
    int code = 0;
    for (unsigned tries = 1; tries <= TRIES; tries++) {
        struct post_answer answer;
        uint64_t rejected = 0;
        code = try_once(s, t, token, p, &answer, &rejected, e);
        answer.text[strcspn(answer.text, "\r\n")] = 0;
        if (!code && rejected)
            return error_set(e, -EREMOTEIO, "%" PRIu64 " of its profiles were not accepted: %.200s", rejected, answer.text);
        if (!code && answer.status >= 200 && answer.status < 300)
            return 0;
        if (!code)
            code = error_set(e, -EREMOTEIO, "it answers %ld %.200s", answer.status, answer.text);
        if (code == -EREMOTEIO && is_final(answer.status))
            return code;
        if (tries < TRIES)
            wait_ns(backoff_wait_ns(tries, answer.retry_after_ns < 10 * NS_PER_S ? answer.retry_after_ns : 0, backoff_random()));
    }
    return code;
}

int sending_send(const struct sending *s, const struct cli_args *args, const char *path)
{
    const char *token_file = cli_option(args, "token-file"), *ca_file = cli_option(args, "ca-file"), *to = cli_option(args, "to");
    struct parcel parcel = {.key = ""};
    struct error e;
    char token[TOKEN_MAX];
    if (!s || !s->wanted)
        return CLI_OK;
    struct transport *t = transport_new(ca_file ? ca_file : "", NULL, &e);
    int code = t ? token_read(token_file ? token_file : "", token, &e) : -ENOENT;
    if (!code)
        code = make_parcel(&parcel, s, path, &e);
    bool empty = !code && s->target.protocol != EMIT_CANDOR && !parcel.body.bytes;
    if (!code && !empty)
        code = try_all(s, t, token, &parcel, &e);
    buffer_deinit(&parcel.packed);
    emit_body_free(&parcel.body);
    transport_free(t);
    if (code)
        return cli_fail("%s was not sent to %s: %s", path, to, e.text);
    printf(empty ? "not sent:    no samples for %s\n" : "sent to:     %s\n", to);
    return cli_finish_output();
}
