/* Reads OTLP's ExportProfilesServiceRequest: profiles of any number of resources, which share a dictionary. */
#ifndef CANDOR_SERVER_PUSH_OTLP_H
#define CANDOR_SERVER_PUSH_OTLP_H

#include "server/push/parts.h"

/* Stores the profiles of the message. Profiles of one resource and time become one recording. Returns 0, or a code with a message in e if
 * the OTLP message itself cannot be read. */
int otlp_take(struct parts *p, const void *bytes, size_t n, struct error *e);

#endif
