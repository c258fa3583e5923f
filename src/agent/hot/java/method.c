#include "agent/hot/java/method.h"

#include "agent/hot/inject.h"
#include "agent/hot/java/call_site.h"
#include "agent/hot/java/code.h"
#include "agent/hot/load.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { PROBES_MAX = 64 };

struct slot {
    _Atomic uint64_t key;
    _Atomic uint32_t names; /* offset in the arena, 0 = none yet */
};

struct names {
    uint16_t class_len, name_len, descriptor_len, lines_len;
    char bytes[];
};

static struct slot *slots;
static char *arena;
static size_t arena_size;
static _Atomic size_t arena_used;

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int method_table_init(size_t arena_bytes)
{
    slots = reserve(METHODS_MAX * sizeof *slots);
    arena = reserve(arena_bytes);
    if (!slots || !arena) {
        method_table_deinit();
        return -ENOMEM;
    }
    arena_size = arena_bytes;
    atomic_store_explicit(&arena_used, 8, memory_order_relaxed); /* because offset 0 means none */
    call_sites_forget();
    return 0;
}

void method_table_deinit(void)
{
    if (slots)
        munmap(slots, METHODS_MAX * sizeof *slots);
    if (arena)
        munmap(arena, arena_size);
    slots = NULL;
    arena = NULL;
    arena_size = 0;
}

/* The addresses of a method's parts, found through its pointers. */
struct parts {
    uintptr_t const_method, class_symbol, name_symbol, descriptor_symbol;
    uint16_t class_len, name_len;
};

static bool symbol_of(uintptr_t pool, uint64_t index, uintptr_t *symbol)
{
    uint64_t length, s;
    if (!load_field(pool, vm_layout.pool_length, &length) || index >= length || !load_u64(pool + vm_layout.pool_sizeof + 8 * index, &s))
        return false;
    *symbol = s & ~(uint64_t)1; /* the lowest bit marks unresolved entries */
    return true;
}

static bool symbol_length(uintptr_t symbol, uint16_t *len)
{
    uint64_t n;
    if (!symbol || symbol & 7 || !load_field(symbol, vm_layout.symbol_length, &n))
        return false;
    *len = (uint16_t)n;
    return true;
}

static bool find_parts(uintptr_t method, struct parts *p)
{
    uint64_t const_method, pool, holder, symbol, name, descriptor;
    if (!method || method & 7 || !load_address(method, vm_layout.method_const, &const_method) || const_method & 7 ||
        !load_address(const_method, vm_layout.const_constants, &pool) || pool & 7 || !load_address(pool, vm_layout.pool_holder, &holder) ||
        holder & 7 || !load_address(holder, vm_layout.klass_name, &symbol) || !symbol_length(symbol, &p->class_len) || !p->class_len ||
        !load_field(const_method, vm_layout.const_name, &name) || !symbol_of(pool, name, &p->name_symbol) ||
        !symbol_length(p->name_symbol, &p->name_len) || !load_field(const_method, vm_layout.const_signature, &descriptor) ||
        !symbol_of(pool, descriptor, &p->descriptor_symbol))
        return false;
    p->const_method = const_method;
    p->class_symbol = symbol;
    return true;
}

static uint16_t at_most(uint16_t n, uint16_t max)
{
    return n < max ? n : max;
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
    return h ^ h >> 32;
}

static bool mix_text(uint64_t *h, uintptr_t symbol, uint32_t len)
{
    uintptr_t at = symbol + vm_layout.symbol_body;
    uint64_t v;
    for (; len >= 8; at += 8, len -= 8) {
        if (!load_u64(at, &v))
            return false;
        *h = mix(*h, v);
    }
    uint32_t four = 0;
    uint16_t two = 0;
    uint8_t one = 0;
    if ((len & 4 && !load_u32(at, &four)) || (len & 2 && !load_u16(at + (len & 4), &two)) || (len & 1 && !load_u8(at + (len & 6), &one)))
        return false;
    *h = mix(*h, four | (uint64_t)two << 32 | (uint64_t)one << 48 | (uint64_t)len << 56);
    return true;
}

static uint16_t bounded_length(const char *text, size_t max)
{
    size_t n = 0;
    while (n < max && text[n])
        n++;
    return (uint16_t)n;
}

bool method_symbol_is(uintptr_t symbol, const char *text)
{
    size_t i = 0, expected = bounded_length(text, METHOD_CLASS_MAX);
    uint16_t len;
    uint64_t word;
    uint8_t byte;
    if (!symbol_length(symbol, &len) || len != expected)
        return false;
    uintptr_t at = symbol + vm_layout.symbol_body;
    for (; i + 8 <= expected; i += 8)
        if (!load_u64(at + i, &word) || memcmp(&word, text + i, 8))
            return false;
    for (; i < expected; i++)
        if (!load_u8(at + i, &byte) || byte != (uint8_t)text[i])
            return false;
    return true;
}

bool method_is(uintptr_t method, const char *class_name, const char *name)
{
    struct parts p;
    return find_parts(method, &p) && method_symbol_is(p.name_symbol, name) && method_symbol_is(p.class_symbol, class_name);
}

/* Computes a method's key. It includes the text of the symbols, not only their addresses, because symbols of unloaded classes are freed and
 * their places reused. */
static bool key_of(uintptr_t method, const struct parts *p, uint64_t *key)
{
    uint64_t h = mix(mix(0x243f6a8885a308d3ULL, method), p->const_method);
    if (inject_plants(INJECT_TAKES_PLACE_FOR_METHOD)) {
        *key = h | 1;
        return true;
    }
    h = mix(mix(mix(h, p->class_symbol), p->name_symbol), p->descriptor_symbol);
    if (!mix_text(&h, p->class_symbol, at_most(p->class_len, METHOD_CLASS_MAX)) ||
        !mix_text(&h, p->name_symbol, at_most(p->name_len, METHOD_NAME_MAX)))
        return false;
    *key = h | 1;
    return true;
}

static bool copy_bytes(char *to, uintptr_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint8_t b;
        if (!load_u8(from + i, &b))
            return false;
        to[i] = (char)b;
    }
    return true;
}

/* Finds the compressed line number table, which follows the bytecodes. Its length is found by reading it. */
static uintptr_t find_lines(const struct parts *p, uint16_t *len)
{
    uint64_t flags, code_size;
    *len = 0;
    if (!load_field(p->const_method, vm_layout.const_flags, &flags) || !(flags & vm_layout.const_has_line_numbers) ||
        !load_field(p->const_method, vm_layout.const_code_size, &code_size))
        return 0;
    uintptr_t begin = p->const_method + vm_layout.const_sizeof + code_size, at = begin;
    uint8_t b;
    uint32_t skipped;
    while (at - begin < METHOD_LINES_MAX - 16) {
        if (!load_u8(at, &b))
            return 0;
        at++;
        if (!b)
            break;
        for (int numbers = b == 0xff ? 2 : 0; numbers; numbers--)
            if (!code_read_unsigned5(&at, &skipped))
                return 0;
    }
    *len = (uint16_t)(at - begin);
    return begin;
}

/* Claims space in the arena for names of these lengths, and writes the lengths into it. Returns its offset; 0 if there is no space left. */
static uint32_t claim_names(const struct names *n)
{
    size_t size = (sizeof *n + n->class_len + n->name_len + n->descriptor_len + n->lines_len + 7) & ~(size_t)7;
    /* Relaxed, because only the space is claimed here. The slot publishes its content. */
    size_t at = atomic_fetch_add_explicit(&arena_used, size, memory_order_relaxed);
    if (at + size > arena_size) {
        atomic_fetch_sub_explicit(&arena_used, size, memory_order_relaxed);
        return 0;
    }
    *(struct names *)(arena + at) = *n;
    return (uint32_t)at;
}

/* Copies the names into new space in the arena. Returns its offset; 0 if there is no space left or a part is unreadable. */
static uint32_t copy_names(const struct parts *p)
{
    uint16_t descriptor_len, lines_len;
    if (!symbol_length(p->descriptor_symbol, &descriptor_len))
        return 0;
    uintptr_t lines = find_lines(p, &lines_len);
    struct names n = {at_most(p->class_len, METHOD_CLASS_MAX), at_most(p->name_len, METHOD_NAME_MAX),
                      at_most(descriptor_len, METHOD_NAME_MAX), lines_len};
    uint32_t at = claim_names(&n);
    if (!at)
        return 0;
    char *bytes = ((struct names *)(arena + at))->bytes;
    const uint16_t body = vm_layout.symbol_body;
    if (!copy_bytes(bytes, p->class_symbol + body, n.class_len) || !copy_bytes(bytes + n.class_len, p->name_symbol + body, n.name_len) ||
        !copy_bytes(bytes + n.class_len + n.name_len, p->descriptor_symbol + body, n.descriptor_len) ||
        !copy_bytes(bytes + n.class_len + n.name_len + n.descriptor_len, lines, n.lines_len))
        return 0;
    return at;
}

/* Returns the slot that contains the key, or claims an empty one; 0 if PROBES_MAX slots are taken. Slot 0 is never used. */
static uint32_t slot_of(uint64_t key)
{
    for (uint32_t i = 0; i < PROBES_MAX; i++) {
        uint32_t at = (uint32_t)(key >> 20) + i * (i + 1) / 2;
        at &= METHODS_MAX - 1;
        if (!at)
            continue;
        /* Relaxed, because a key carries no data. Names are published separately. */
        uint64_t seen = atomic_load_explicit(&slots[at].key, memory_order_relaxed);
        if (!seen && atomic_compare_exchange_strong_explicit(&slots[at].key, &seen, key, memory_order_relaxed, memory_order_relaxed))
            return at;
        if (seen == key)
            return at;
    }
    return 0;
}

bool method_intern(uintptr_t method, uint32_t *id)
{
    struct parts p;
    uint64_t key;
    if (!find_parts(method, &p) || !key_of(method, &p, &key))
        return false;
    uint32_t at = slot_of(key);
    *id = at;
    /* Relaxed: this thread only needs to know that names were published; the collector's acquire load reads them. */
    if (!at || (atomic_load_explicit(&slots[at].names, memory_order_relaxed) && !inject_forgets(INJECT_NAMES)))
        return true;
    uint32_t names = copy_names(&p);
    if (!names)
        *id = 0;
    else
        /* Release: pairs with the acquire load in method_get, which reads the copied bytes. */
        atomic_store_explicit(&slots[at].names, names, memory_order_release);
    return true;
}

uint32_t method_intern_id(uintptr_t method_id)
{
    /* Spread like the other keys; method_id_of reverses this. */
    return method_id ? slot_of((uint64_t)method_id << 16 | method_id >> 48) : 0;
}

uintptr_t method_id_of(uint32_t id)
{
    uint64_t key = id < METHODS_MAX ? atomic_load_explicit(&slots[id].key, memory_order_relaxed) : 0;
    return (uintptr_t)(key >> 16 | key << 48);
}

bool method_has_names(uint32_t id)
{
    return id < METHODS_MAX && atomic_load_explicit(&slots[id].names, memory_order_relaxed);
}

void method_name(uint32_t id, const char *class_name, const char *name, const char *descriptor)
{
    struct names n = {bounded_length(class_name, METHOD_CLASS_MAX), bounded_length(name, METHOD_NAME_MAX),
                      bounded_length(descriptor, METHOD_NAME_MAX), 0};
    uint32_t at = claim_names(&n);
    if (!at)
        return;
    char *bytes = ((struct names *)(arena + at))->bytes;
    memcpy(bytes, class_name, n.class_len);
    memcpy(bytes + n.class_len, name, n.name_len);
    memcpy(bytes + n.class_len + n.name_len, descriptor, n.descriptor_len);
    atomic_store_explicit(&slots[id].names, at, memory_order_release);
}

bool method_jmethod_id(uintptr_t method, uintptr_t *id)
{
    uint64_t const_method, pool, holder, ids, number, v;
    /* The first word of the array of ids is its length. */
    if (!load_address(method, vm_layout.method_const, &const_method) || !load_address(const_method, vm_layout.const_constants, &pool) ||
        !load_address(pool, vm_layout.pool_holder, &holder) || !load_field(holder, vm_layout.klass_method_ids, &ids) || !ids ||
        !load_field(const_method, vm_layout.const_idnum, &number) || !load_u64(ids + 8 * (number + 1), &v))
        return false;
    *id = v;
    return v != 0;
}

bool method_bci(uintptr_t method, uintptr_t bcp, uint32_t *bci)
{
    uint64_t const_method, code_size;
    if (!load_address(method, vm_layout.method_const, &const_method) || !load_field(const_method, vm_layout.const_code_size, &code_size))
        return false;
    uintptr_t code = const_method + vm_layout.const_sizeof;
    *bci = (uint32_t)(bcp - code);
    return bcp >= code && bcp < code + code_size;
}

struct method_info method_get(uint32_t id)
{
    /* Acquire: pairs with the release store in method_intern. */
    uint32_t at = id < METHODS_MAX ? atomic_load_explicit(&slots[id].names, memory_order_acquire) : 0;
    if (!at)
        return (struct method_info){.class_name = "", .name = "unknown", .name_len = 7, .descriptor = ""};
    const struct names *n = (const struct names *)(arena + at);
    const char *bytes = n->bytes;
    return (struct method_info){
        .class_name = bytes,
        .class_len = n->class_len,
        .name = bytes + n->class_len,
        .name_len = n->name_len,
        .descriptor = bytes + n->class_len + n->name_len,
        .descriptor_len = n->descriptor_len,
        .lines = (const uint8_t *)bytes + n->class_len + n->name_len + n->descriptor_len,
        .lines_len = n->lines_len,
    };
}

static uint32_t unzigzag(uint32_t v)
{
    return v >> 1 ^ -(v & 1);
}

int method_line(const struct method_info *m, uint32_t bci)
{
    uintptr_t at = (uintptr_t)m->lines, end = at + m->lines_len;
    uint32_t at_bci = 0, at_line = 0, line = 0; /* damaged tables may give any values */
    while (at < end) {
        uint8_t b = *(const uint8_t *)at++;
        uint32_t d_bci, d_line;
        if (!b)
            break;
        if (b != 0xff) {
            at_bci += b >> 3;
            at_line += b & 7;
        } else if (code_read_unsigned5(&at, &d_bci) && code_read_unsigned5(&at, &d_line)) {
            at_bci += unzigzag(d_bci);
            at_line += unzigzag(d_line);
        }
        if ((int32_t)at_bci > (int32_t)bci)
            break;
        line = at_line;
    }
    return line <= UINT16_MAX ? (int)line : 0;
}
