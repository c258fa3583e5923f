/* The constants that agent and program agree on (docs/formats/control.md). The two may have different versions. */
#ifndef CANDOR_BASE_AGREED_CONTROL_PROTOCOL_H
#define CANDOR_BASE_AGREED_CONTROL_PROTOCOL_H

/* The number of the protocol. It grows when a client of the previous number could no longer work with an agent, or an older agent with a
 * client. New options and keys do not need a new number, because a client ignores keys that it does not know. */
enum { CONTROL_PROTOCOL = 1 };
/* It grows with an addition that a client may only use after it has checked that the agent has it. 1: several recordings at once
 * (`recording`, `name`). */
enum { CONTROL_PROTOCOL_MINOR = 2, CONTROL_MINOR_WITH_SEVERAL = 1, CONTROL_MINOR_WITH_AUTO = 2 };

/* The folders for the control socket; the agent takes the first that it can write to. The socket's name contains the process's number in
 * its own PID namespace. If a file of another user has that name, a dot and eight random hexadecimal digits are appended, so that nobody
 * can take the name beforehand. */
#define CONTROL_FOLDERS                                                                                                                    \
    {                                                                                                                                      \
        "/tmp", "/dev/shm"                                                                                                                 \
    }
#define CONTROL_SOCKET        ".candor-%d"
#define CONTROL_SOCKET_SUFFIX ".%08x"

/* The name of the agent's thread, as the kernel shows it. */
#define CONTROL_THREAD "candor"

/* The return value of Agent_OnAttach in a JVM that is still starting. The client can try again. */
enum { AGENT_TOO_EARLY = 11 };

#endif
