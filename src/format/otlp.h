/* OpenTelemetry's profiles: the message ProfilesData of opentelemetry-proto, package profiles.v1development, which is also the
 * body of OTLP/HTTP requests. The package is not stable: messages have changed their numbers. Versions 1.10 and 1.11 are the
 * same; 1.9 numbers the fields of Sample differently. docs/formats/otlp.md describes the mapping. */
#ifndef CANDOR_FORMAT_OTLP_H
#define CANDOR_FORMAT_OTLP_H

#include "format/import.h"

#include <stdio.h>

/* An attribute of a resource: a text, or a number if that is NULL. */
struct otlp_resource_attribute {
    const char *key, *text;
    uint64_t number;
};

/* Profiles of one resource in one message, with one dictionary. */
struct otlp_request {
    const struct profile *const *profiles;
    uint32_t count;
    const struct otlp_resource_attribute *attributes; /* those without a text or a number are left out */
    uint32_t attribute_count;
};

enum otlp_version { OTLP_1_10, OTLP_1_9 };

/* Which version it is the samples tell. Of several profiles those of one type are read: the one asked for, else the first's. */
import_reader otlp_read;
/* Write errors stay in the stream: ask ferror. 0 or -ENOMEM. */
int otlp_write(FILE *out, const struct profile *p, enum otlp_version version);
/* The body of an OTLP request, in the version 1.10. */
int otlp_write_request(FILE *out, const struct otlp_request *request);

#endif
