/* Makes the labels of a recording from the attributes of an OTLP resource. */
#ifndef CANDOR_SERVER_PUSH_OTLP_LABELS_H
#define CANDOR_SERVER_PUSH_OTLP_LABELS_H

#include "format/read/otlp_tables.h"
#include "server/push/parts.h"

/* Adds the labels. service.name, host.name and service.version become `service`, `host` and `version`. Other texts, whole numbers and
 * Booleans keep their names. If the resource has no service.name, the service is "unknown_service", with the name of the program if that is
 * known. Returns 0 or -ENOMEM. */
int otlp_labels(struct parts *p, const struct otlp_tables *t, const struct pb_field *resource, struct labels *labels);

#endif
