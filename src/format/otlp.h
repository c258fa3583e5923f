/* Reads and writes OpenTelemetry's profiles: the message ProfilesData of opentelemetry-proto, package profiles.v1development, which is also
 * the body of OTLP/HTTP requests. The package is not stable: the numbers of fields have changed before. Versions 1.10 and 1.11 are the
 * same; 1.9 numbers the fields of Sample differently. docs/formats/otlp.md describes the mapping. */
#ifndef CANDOR_FORMAT_OTLP_H
#define CANDOR_FORMAT_OTLP_H

#include "format/import.h"

#include <stdio.h>

/* An attribute of a resource: a text, or a number if text is NULL. */
struct otlp_resource_attribute {
    const char *key, *text;
    uint64_t number;
};

/* The profiles of one resource, for one message with one dictionary. */
struct otlp_request {
    const struct profile *const *profiles;
    uint32_t count;
    const struct otlp_resource_attribute *attributes; /* attributes without a text or a number are left out */
    uint32_t attribute_count;
};

enum otlp_version { OTLP_1_10, OTLP_1_9 };

/* Reads a file. The samples show which version it has. If the file has profiles of several types, those of one type are read: the type
 * that the user asked for, else that of the first profile. */
import_reader otlp_read;
/* Writes a profile. Write errors stay in the stream; the caller checks ferror. Returns 0 or -ENOMEM. */
int otlp_write(FILE *out, const struct profile *p, enum otlp_version version);
/* Writes the body of an OTLP request, in version 1.10. Errors are those of otlp_write. */
int otlp_write_request(FILE *out, const struct otlp_request *request);

#endif
