/* Finds the labels of a recording: service, host, version, and the labels that the rule sets. The first source that has a value decides:
 *
 *   service   the rule; OTEL_SERVICE_NAME; -Dotel.service.name; service.name in OTEL_RESOURCE_ATTRIBUTES; DD_SERVICE;
 *             -Ddd.service; -Dservice.name; -Dspring.application.name; SPRING_APPLICATION_NAME; the main class or jar
 *   version   the rule; service.version in OTEL_RESOURCE_ATTRIBUTES; DD_VERSION; -Ddd.version; -Dservice.version; otherwise none */
#ifndef CANDOR_DAEMON_RULES_LABELS_H
#define CANDOR_DAEMON_RULES_LABELS_H

#include "base/buffer.h"
#include "daemon/rules/policy.h"

enum { LABEL_MAX = 200, LABELS_QUERY_MAX = 8 << 10 };

struct labels {
    char service[LABEL_MAX + 1], version[LABEL_MAX + 1]; /* version: "" = none */
};

/* Finds service and version. rule may be NULL. */
void labels_of(struct labels *l, struct facts *f, const struct rule *rule);
/* Appends "service=..&host=..", percent-encoded, without empty labels. */
void labels_query(struct buffer *out, const struct labels *l, const char *host, const struct rule *rule);
/* Turns any bytes into a valid value: UTF-8 without control characters, at most LABEL_MAX bytes. Returns out, which has LABEL_MAX + 1
 * bytes. */
char *labels_clean(const char *value, char *out);

#endif
