/* The constants that agent and program agree on (docs/formats/control.md); they may have different versions. */
#ifndef CANDOR_BASE_AGREED_CONTROL_PROTOCOL_H
#define CANDOR_BASE_AGREED_CONTROL_PROTOCOL_H

/* Grows when a client of the number before could no longer work with an agent, or the other way round. Options and keys
 * may be added without that: a client passes over keys that it does not know. */
enum { CONTROL_PROTOCOL = 1 };
/* Grows when something is added of which a client has to know beforehand whether the agent has it. 1: several recordings at once
 * (`recording`, `name`). */
enum { CONTROL_PROTOCOL_MINOR = 1 };

/* Where the control socket may be, the first that can be written; named by the process's number, as it sees itself. Where a file of
 * somebody else's has that name, a dot and eight hexadecimal digits by chance follow, which nobody can take beforehand. */
#define CONTROL_FOLDERS                                                                                                                    \
    {                                                                                                                                      \
        "/tmp", "/dev/shm"                                                                                                                 \
    }
#define CONTROL_SOCKET        ".candor-%d"
#define CONTROL_SOCKET_SUFFIX ".%08x"

/* The name of the agent's thread, as the kernel shows it. */
#define CONTROL_THREAD "candor"

/* What Agent_OnAttach returns in a JVM that still starts: it can be tried again. */
enum { AGENT_TOO_EARLY = 11 };

#endif
