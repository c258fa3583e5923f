/* Interns strings: each different string gets a 32-bit id, in the order of arrival without gaps. Id 0 is the empty string. Bytes are
 * stored unchanged (they may contain zeros), with a zero after them. Pointers are valid until strtab_deinit. A table has one owner and
 * no lock. */
#ifndef CANDOR_BASE_STRTAB_H
#define CANDOR_BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct strtab_entry {
    const char *text;
    uint32_t len;
    uint32_t next; /* the next entry in the same hash bucket, 0 = end */
    uint64_t hash;
};

struct strtab {
    struct strtab_entry *entries;
    uint32_t count, cap;
    uint32_t *buckets;
    uint32_t bucket_count; /* a power of two */
    struct strtab_block *blocks;
    size_t block_bytes; /* of all blocks */
};

int strtab_init(struct strtab *t); /* 0 or -ENOMEM */
void strtab_deinit(struct strtab *t);
/* Returns the id of the string, and adds the string if it is new; 0 when out of memory. */
uint32_t strtab_add(struct strtab *t, const char *text, size_t len);
/* Does the same with a string of another table, and does not compute its hash again. */
uint32_t strtab_copy(struct strtab *t, const struct strtab *from, uint32_t id);
/* Returns the id of the string; 0 if the table does not have it, or if it is the empty string. */
uint32_t strtab_find(const struct strtab *t, const char *text, size_t len);
/* Returns the bytes of memory that the table has. */
size_t strtab_bytes(const struct strtab *t);
uint32_t strtab_add_text(struct strtab *t, const char *text);
const char *strtab_text(const struct strtab *t, uint32_t id);
uint32_t strtab_len(const struct strtab *t, uint32_t id);

#endif
