#include "emit/send.h"

#include "base/pb.h"

#include <stdio.h>
#include <string.h>

/* Reads the number of rejected profiles and the reason from ExportProfilesServiceResponse{partial_success=1:{rejected_profiles=1,
 * error_message=2}}. */
static uint64_t read_rejected(struct post_answer *answer)
{
    uint64_t rejected = 0;
    char said[sizeof answer->text] = "";
    struct pb m = pb_init(answer->text, answer->size);
    for (struct pb_field f; pb_next(&m, &f);) {
        struct pb partial = f.number == 1 ? pb_message(&f) : pb_init("", 0);
        for (struct pb_field of; pb_next(&partial, &of);) {
            if (of.number == 1)
                rejected = of.value;
            else if (of.number == 2)
                snprintf(said, sizeof said, "%.*s", (int)of.size, (const char *)of.bytes);
        }
    }
    if (rejected)
        memcpy(answer->text, said, sizeof said);
    return rejected;
}

int emit_send(struct transport *t, const struct emit_target *target, const char *token, const struct emit_body *body,
              struct post_answer *answer, uint64_t *rejected, struct error *e)
{
    char url[sizeof target->base + 64];
    bool otlp = target->protocol == EMIT_OTLP;
    snprintf(url, sizeof url, "%s%s", target->base, otlp ? "/v1development/profiles" : "/push.v1.PusherService/Push");
    const struct post_letter letter = {.url = url,
                                       .token = token,
                                       .type = otlp ? "application/x-protobuf" : "application/proto",
                                       .encoding = otlp ? "gzip" : NULL,
                                       .bytes = body->bytes,
                                       .size = body->size};
    int code = post_send(t, &letter, answer, e);
    *rejected = !code && otlp && answer->status == 200 ? read_rejected(answer) : 0;
    return code;
}
