/* Adds the spans of a recording's events to those of its samples (spans.h). An event has the exact time of a span, and there is one for
 * spans in which no sample was taken, too:
 *
 *   profiler.Span              async-profiler's API of spans; a span without an id, which is a trace by itself, named by its tag
 *   candor.opentracing.Span    a span of CandorTracer (docs/context.md), in the thread that started it
 *   candor.opentracing.Scope   a time in which a thread worked for such a span */
#ifndef CANDOR_FORMAT_PAGE_SPAN_EVENTS_H
#define CANDOR_FORMAT_PAGE_SPAN_EVENTS_H

#include "format/page/spans.h"
#include "jfr/read/pass.h"

/* Returns a reader for a pass over the recording, to be run after spans_add. `spans` must stay where it is until the pass has ended. */
struct pass_reader span_events_reader(struct spans *spans);

#endif
