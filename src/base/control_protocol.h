/* What agent and program agree upon (docs/formats/control.md); they may be of different versions. */
#ifndef CANDOR_BASE_CONTROL_PROTOCOL_H
#define CANDOR_BASE_CONTROL_PROTOCOL_H

/* Grows when a client of the number before could no longer work with an agent, or the other way round. Options and keys
 * may be added without that: a client passes over keys that it does not know. */
enum { CONTROL_PROTOCOL = 1 };

/* What Agent_OnAttach returns in a JVM that still starts: it can be tried again. */
enum { AGENT_TOO_EARLY = 11 };

#endif
