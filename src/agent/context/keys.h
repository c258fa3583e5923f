/* The keys of the attributes in threads' records (hot/context.h): dense numbers, which are never given twice. Any thread. */
#ifndef CANDOR_AGENT_CONTEXT_KEYS_H
#define CANDOR_AGENT_CONTEXT_KEYS_H

#include <stddef.h>
#include <stdint.h>

enum { KEYS_MAX = 16, KEY_BYTES_MAX = 64 };

/* Keys that all writers of ours use. */
enum { KEY_ENDPOINT, KEY_ROOT_SPAN_ID, KEYS_OF_OURS };

/* Returns the number of a key, which is added if it is new; *added says so. A key has 1 to KEY_BYTES_MAX bytes of printable ASCII
 * without '='. -1: the name is not a key, or there are KEYS_MAX others already. */
int keys_add(const char *name, size_t len, int *added);
/* NULL if there is no key with that number. The name stays at its address. */
const char *keys_name(uint32_t key);
uint32_t keys_count(void);

#endif
