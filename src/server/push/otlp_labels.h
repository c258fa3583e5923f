/* Whose profiles they are: the attributes of an OTLP resource as labels of a recording. */
#ifndef CANDOR_SERVER_PUSH_OTLP_LABELS_H
#define CANDOR_SERVER_PUSH_OTLP_LABELS_H

#include "format/read/otlp_tables.h"
#include "server/push/parts.h"

/* service.name, host.name and service.version become `service`, `host` and `version`; other texts, whole numbers and Booleans keep their
 * names. The service of a resource without a name is "unknown_service", with its program's name if there is one. 0 or -ENOMEM. */
int otlp_labels(struct parts *p, const struct otlp_tables *t, const struct pb_field *resource, struct labels *labels);

#endif
