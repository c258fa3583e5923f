/* The tables of fields of the messages that agents push, for json_pb.h. Sources: grafana/pyroscope, api/push/v1/push.proto, and
 * opentelemetry-proto, profiles/v1development/profiles.proto (1.10). */
#ifndef CANDOR_SERVER_PUSH_FIELDS_H
#define CANDOR_SERVER_PUSH_FIELDS_H

#include "server/push/json_pb.h"

extern const struct json_pb_field fields_push[], fields_otlp[];

/* The messages of push.v1. */
enum push_request { PUSH_SERIES = 1 };
enum push_series { PUSH_LABELS = 1, PUSH_SAMPLES };
enum push_label { PUSH_NAME = 1, PUSH_VALUE };
enum push_sample { PUSH_PROFILE = 1 };

#endif
