/* The labels of a recording: service, host, version and the rule's own labels.
 *
 *   service   the rule's; OTEL_SERVICE_NAME; -Dotel.service.name; service.name in OTEL_RESOURCE_ATTRIBUTES; DD_SERVICE;
 *             -Ddd.service; -Dservice.name; -Dspring.application.name; SPRING_APPLICATION_NAME; else the main class or jar
 *   version   the rule's; service.version in OTEL_RESOURCE_ATTRIBUTES; DD_VERSION; -Ddd.version; -Dservice.version; else none */
#ifndef CANDOR_DAEMON_RULES_LABELS_H
#define CANDOR_DAEMON_RULES_LABELS_H

#include "base/buffer.h"
#include "daemon/rules/policy.h"

enum { LABEL_MAX = 200, LABELS_QUERY_MAX = 8 << 10 };

struct labels {
    char service[LABEL_MAX + 1], version[LABEL_MAX + 1]; /* version "" = none */
};

/* rule may be NULL. */
void labels_of(struct labels *l, struct facts *f, const struct rule *rule);
/* Appends "service=..&host=..": percent-encoded, without what is empty. */
void labels_query(struct buffer *out, const struct labels *l, const char *host, const struct rule *rule);
/* Makes a value of any bytes: UTF-8 without control characters, at most LABEL_MAX bytes. Returns out (LABEL_MAX + 1 bytes). */
char *labels_clean(const char *value, char *out);

#endif
