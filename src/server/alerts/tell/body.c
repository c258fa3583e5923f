#include "server/alerts/tell/body.h"

#include "server/alerts/tell/mail.h"
#include "server/alerts/tell/template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_templated(const struct alert_target *target)
{
    return target->kind == ALERT_WEBHOOK && *target->template;
}

/* A body that is made from a template is about one alert. */
uint32_t body_most(const struct alert_target *target)
{
    return is_templated(target) ? 1 : UINT32_MAX;
}

int body_make(const struct alert_target *target, const struct alert_note *notes, uint32_t count, int64_t now, char **bytes, size_t *n)
{
    FILE *out = open_memstream(bytes, n);
    int rc = 0;
    if (!out)
        return -ENOMEM;
    if (target->kind == ALERT_EMAIL)
        rc = mail_put(out, target, notes, count, now);
    else if (is_templated(target))
        template_put(out, target->template, &notes[0], !*target->content_type || strstr(target->content_type, "json"));
    else
        rc = message_put(out, target, notes, count, now);
    rc = fclose(out) ? -ENOMEM : rc;
    if (rc)
        free(*bytes);
    return rc;
}

void body_url(const struct alert_target *target, char *out, size_t size)
{
    snprintf(out, size, "%s%s", target->url, target->kind == ALERT_MANAGER ? "/api/v2/alerts" : "");
}
