/* OpenTelemetry's process context (OTEP 4719): a mapping named OTEL_CTX, which readers outside find in /proc/PID/maps, and
 * which contains the names of the keys in threads' records (hot/context.h).
 *
 *      0  "OTEL_CTX", written last      16  when it was published, ns of CLOCK_BOOTTIME; 0 = it is being changed
 *      8  version, 2                    24  address of the payload
 *     12  size of the payload           64, 2048  two places for payloads, in turn
 *
 * The payload is a protobuf message ProcessContext: {resource = 1, attributes = 2}. If a reader finds the same time before and
 * after, it has read one payload. A process has one such mapping: if a library has already made one, the agent makes none, and
 * readers cannot name our keys, but can still read the ids of traces and spans. */
#ifndef CANDOR_AGENT_CONTEXT_PUBLISH_H
#define CANDOR_AGENT_CONTEXT_PUBLISH_H

#include <stdint.h>

/* Makes the mapping, or brings it up to date with the keys (context/keys.h). Any ordinary thread may call it. Returns 0 or a negative
 * errno: -EEXIST if the mapping of another agent exists. */
int publish_keys(void);
/* Returns the address of the mapping; 0 = the agent has made none. */
uintptr_t publish_address(void);

#endif
