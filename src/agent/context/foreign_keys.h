/* The names of the keys in other libraries' records, from the process's context that such a library publishes: a mapping OTEL_CTX as in
 * context/publish.h. Only the agent's thread calls these functions, while the fault handler is installed. */
#ifndef CANDOR_AGENT_CONTEXT_FOREIGN_KEYS_H
#define CANDOR_AGENT_CONTEXT_FOREIGN_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOREIGN_KEYS_MAX = 256, FOREIGN_KEY_BYTES_MAX = 64 };

/* Reads the process's context of another library, if it has changed. Returns false if it says that records have another form than
 * hot/context.h describes. A process without such a context has no names of keys, but may have records. */
bool foreign_keys_update(void);
/* Reads a payload, as foreign_keys_update does. */
bool foreign_keys_read(const uint8_t *payload, size_t size);
/* Returns the name of a key, which is printable ASCII without blanks and '='; NULL = there is none, or it is too long. A name is valid
 * until the next update. */
const char *foreign_key_name(uint32_t key);

#endif
