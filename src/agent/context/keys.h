/* The keys of the attributes in threads' records (hot/context.h). They are consecutive numbers, and no number is used twice. Any thread may
 * call these functions. */
#ifndef CANDOR_AGENT_CONTEXT_KEYS_H
#define CANDOR_AGENT_CONTEXT_KEYS_H

#include <stddef.h>
#include <stdint.h>

enum { KEYS_MAX = 16, KEY_BYTES_MAX = 64 };

/* Keys that Candor's own writers use. */
enum { KEY_ENDPOINT, KEY_ROOT_SPAN_ID, KEYS_OF_OURS };

/* Returns the number of a key. A new key is added, and *added says so. A key has 1 to KEY_BYTES_MAX bytes of printable ASCII without '='.
 * Returns -1 if the name is not a valid key, or if there are already KEYS_MAX others. */
int keys_add(const char *name, size_t len, int *added);
/* Returns the name, which stays at its address, or NULL if there is no key with that number. */
const char *keys_name(uint32_t key);
uint32_t keys_count(void);

#endif
