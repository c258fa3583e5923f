/* Makes addresses of traces in a tracing system, from a template: https://jaeger.example/trace/{trace}. The places in it are
 *
 *     {trace}    the trace's id, in hexadecimal    {trace64}  its last 64 bits, in hexadecimal
 *     {span}     the span's id, in hexadecimal     {trace10}  its last 64 bits, in decimal */
#ifndef CANDOR_BASE_TEXT_TRACE_LINK_H
#define CANDOR_BASE_TEXT_TRACE_LINK_H

#include "base/error.h"

#include <stddef.h>

enum { TRACE_LINK_MAX = 2048 };

/* Checks a template. Returns 0, or -EINVAL with a message in e. */
int trace_link_check(const char *template, struct error *e);
/* Writes the address. template: one that was checked. span: "" = not known. An id that is not hexadecimal makes "". Returns out. */
char *trace_link_write(char *out, size_t size, const char *template, const char *trace, const char *span);

#endif
