/* OTLP's ExportProfilesServiceRequest: profiles of any number of resources, which share a dictionary. */
#ifndef CANDOR_SERVER_PUSH_OTLP_H
#define CANDOR_SERVER_PUSH_OTLP_H

#include "server/push/parts.h"

/* Stores the profiles of the message: those of one resource and time as one recording. 0, or a code with its line if the message itself
 * cannot be read. */
int otlp_take(struct parts *p, const void *bytes, size_t n, struct error *e);

#endif
