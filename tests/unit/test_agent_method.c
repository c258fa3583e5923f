/* The table of methods: names as they are, cut, reused, with a full table and arena, and from several threads at once.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "../tap.h"
#include "fake_jvm.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/java/method.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA = 8 << 20 };

static void open_tables(size_t arena)
{
    fake_open(VM_NMETHOD_ADDRESSES, true);
    method_table_deinit();
    method_table_init(arena);
}

static bool text_is(const char *text, size_t len, const char *wanted)
{
    return len == strlen(wanted) && !memcmp(text, wanted, len);
}

static bool names_are(uint32_t id, const char *class, const char *name, const char *descriptor)
{
    struct method_info m = method_get(id);
    bool good = text_is(m.class_name, m.class_len, class) && text_is(m.name, m.name_len, name) &&
                text_is(m.descriptor, m.descriptor_len, descriptor);
    if (!good)
        tap_note("id %u: %.*s %.*s %.*s", id, m.class_len, m.class_name, m.name_len, m.name, m.descriptor_len, m.descriptor);
    return good;
}

static void test_names(void)
{
    uint32_t a = 0, b = 0, again = 0;
    open_tables(ARENA);
    uintptr_t class = fake_class("java/util/HashMap"), put = fake_method(class, "put", "(II)V", NULL, 0),
              get = fake_method(class, "get", "(I)V", NULL, 0);
    tap_ok(method_intern(put, &a) && method_intern(get, &b) && a && b && a != b, "two methods, two ids");
    tap_ok(method_intern(put, &again) && again == a, "the same method has the same id");
    tap_ok(names_are(a, "java/util/HashMap", "put", "(II)V") && names_are(b, "java/util/HashMap", "get", "(I)V"), "their names");
    tap_ok(names_are(0, "", "unknown", "") && names_are(METHODS_MAX, "", "unknown", "") && names_are(77777, "", "unknown", ""),
           "ids that were never given have none");
    uintptr_t short_name = fake_method(fake_class("A"), "", "", NULL, 0);
    tap_ok(method_intern(short_name, &again) && names_are(again, "A", "", ""), "the shortest names");
    tap_ok(!method_has_names(0) && method_has_names(a), "who has names is known");
}

static void test_cut(void)
{
    char class[METHOD_CLASS_MAX + 100], name[METHOD_NAME_MAX + 100], descriptor[METHOD_NAME_MAX + 100];
    uint32_t id = 0;
    open_tables(ARENA);
    memset(class, 'c', sizeof class - 1);
    memset(name, 'n', sizeof name - 1);
    memset(descriptor, 'd', sizeof descriptor - 1);
    class[sizeof class - 1] = name[sizeof name - 1] = descriptor[sizeof descriptor - 1] = 0;
    uintptr_t method = fake_method(fake_class(class), name, descriptor, NULL, 0);
    bool interned = method_intern(method, &id);
    class[METHOD_CLASS_MAX] = name[METHOD_NAME_MAX] = descriptor[METHOD_NAME_MAX] = 0;
    tap_ok(interned && names_are(id, class, name, descriptor), "longer names are cut");
}

/* Class unloading: a method of another class at the same addresses, with the same or other lengths. */
static void test_reuse(void)
{
    uint32_t before = 0, after = 0, back = 0;
    open_tables(ARENA);
    uintptr_t class = fake_class("app/Loaded1"), method = fake_method(class, "run", "()V", NULL, 0);
    uint64_t symbol, constant, pool;
    memcpy(&symbol, (void *)(class + vm_layout.klass_name.offset), 8);
    char *text = (char *)symbol + vm_layout.symbol_body;
    method_intern(method, &before);
    text[10] = '2';
    tap_ok(method_intern(method, &after) && after != before, "another class at the same place is another method");
    tap_ok(names_are(before, "app/Loaded1", "run", "()V") && names_are(after, "app/Loaded2", "run", "()V"),
           "and neither has the other's name");
    text[10] = '1';
    tap_ok(method_intern(method, &back) && back == before, "the first one, loaded again, is itself");
    fake_set(symbol, vm_layout.symbol_length, 10);
    tap_ok(method_intern(method, &after) && after != before && names_are(after, "app/Loaded", "run", "()V"), "a shorter name too");
    fake_set(symbol, vm_layout.symbol_length, 11);
    memcpy(&constant, (void *)(method + vm_layout.method_const.offset), 8);
    memcpy(&pool, (void *)(constant + vm_layout.const_constants.offset), 8);
    ((uint64_t *)(pool + vm_layout.pool_sizeof))[1] = fake_symbol("other");
    tap_ok(method_intern(method, &after) && after != before && names_are(after, "app/Loaded1", "other", "()V"),
           "so does another method of the class");
}

static void test_refused(void)
{
    uint32_t id;
    open_tables(ARENA);
    uintptr_t class = fake_class("A"), good = fake_method(class, "a", "()V", NULL, 0), constant = good + 32;
    tap_ok(!method_intern(0, &id) && !method_intern(8, &id) && !method_intern(good + 1, &id) && !method_intern(0x8000000000000000u, &id) &&
               !method_intern(fake.high, &id),
           "addresses that are no method's");
    fake_set(class, vm_layout.klass_name, 0);
    tap_ok(!method_intern(good, &id), "a class without a name");
    fake_set(class, vm_layout.klass_name, fake_symbol(""));
    tap_ok(!method_intern(good, &id), "or an empty one");
    fake_set(class, vm_layout.klass_name, fake_symbol("A") + 4);
    tap_ok(!method_intern(good, &id), "or one at an odd place");
    fake_set(class, vm_layout.klass_name, fake_symbol("A"));
    memcpy(&constant, (void *)(good + vm_layout.method_const.offset), 8);
    fake_set(constant, vm_layout.const_name, 3);
    tap_ok(!method_intern(good, &id), "a name beyond the constant pool");
    fake_set(constant, vm_layout.const_name, 1);
    fake_set(good, vm_layout.method_const, 0xdead0000);
    tap_ok(!method_intern(good, &id), "a part that is not there");
}

/* ---- lines ---- */

struct lines {
    uint8_t bytes[METHOD_LINES_MAX * 2];
    size_t length;
};

/* Compressed like javac's tables: small steps in one byte, others as 0xff and two signed numbers. */
static void add_line(struct lines *l, int bci, int line)
{
    if (bci >= 0 && bci < 32 && line >= 0 && line < 8 && (bci << 3 | line) != 0xff && (bci || line)) {
        l->bytes[l->length++] = (uint8_t)(bci << 3 | line);
        return;
    }
    l->bytes[l->length++] = 0xff;
    l->length += fake_unsigned5(l->bytes + l->length, (uint32_t)bci << 1 ^ (uint32_t)(bci >> 31), true);
    l->length += fake_unsigned5(l->bytes + l->length, (uint32_t)line << 1 ^ (uint32_t)(line >> 31), true);
}

static int line_at(const struct lines *l, uint32_t bci)
{
    uint32_t id = 0;
    uintptr_t method = fake_method(fake_class("Lines"), "run", "()V", l ? l->bytes : NULL, l ? l->length : 0);
    if (!method_intern(method, &id))
        return -1;
    struct method_info m = method_get(id);
    return method_line(&m, bci);
}

static void test_lines(void)
{
    static struct lines l;
    open_tables(ARENA);
    add_line(&l, 0, 1000);
    add_line(&l, 5, 1);
    add_line(&l, 40, 7);
    add_line(&l, 10, -8);
    add_line(&l, 31, 7);
    l.bytes[l.length++] = 0;
    tap_ok(line_at(&l, 0) == 1000 && line_at(&l, 4) == 1000 && line_at(&l, 5) == 1001 && line_at(&l, 44) == 1001 &&
               line_at(&l, 45) == 1008 && line_at(&l, 55) == 1000 && line_at(&l, 86) == 1007 && line_at(&l, 60000) == 1007,
           "lines of a table with steps of all kinds");
    tap_ok(line_at(NULL, 3) == 0, "a method without a table has no lines");
    l.length = 0;
    l.bytes[l.length++] = 0;
    tap_ok(line_at(&l, 3) == 0, "neither has an empty table");
    l.length = 0;
    for (int i = 0; i < METHOD_LINES_MAX; i++)
        add_line(&l, 2, 1);
    l.bytes[l.length++] = 0;
    tap_ok(line_at(&l, 100) == 50 && line_at(&l, 60000) > 8000, "a table longer than we keep serves as far as it goes");
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        l.length = 0;
        for (int j = 0; j < 40; j++)
            l.bytes[l.length++] = (uint8_t)rand();
        struct method_info m = {.lines = l.bytes, .lines_len = 40};
        int line = method_line(&m, (uint32_t)rand() & 0xffff);
        wrong += line < 0 || line > 65535;
    }
    tap_ok(!wrong, "garbage gives a line or none");
}

static void test_bci(void)
{
    uint32_t bci = 0;
    uint64_t constant;
    open_tables(ARENA);
    uintptr_t method = fake_method(fake_class("A"), "a", "()V", NULL, 0);
    memcpy(&constant, (void *)(method + vm_layout.method_const.offset), 8);
    uintptr_t code = constant + vm_layout.const_sizeof;
    tap_ok(method_bci(method, code + 99, &bci) && bci == 99 && method_bci(method, code, &bci) && bci == 0, "a bytecode pointer inside");
    tap_ok(!method_bci(method, code + 100, &bci) && !method_bci(method, code - 1, &bci) && !method_bci(16, code, &bci), "and outside");
}

/* ---- full ---- */

static void test_full_arena(void)
{
    uint32_t id = 1;
    char name[32];
    int kept = 0, wrong = 0;
    uint32_t ids[200];
    open_tables(4096);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "method%03d", i);
        uintptr_t m = fake_method(fake_class("app/Arena"), name, "()V", NULL, 0);
        wrong += !method_intern(m, &id);
        ids[i] = id;
    }
    for (int i = 0; i < 200; i++)
        if (ids[i]) {
            snprintf(name, sizeof name, "method%03d", i);
            wrong += !names_are(ids[i], "app/Arena", name, "()V");
            kept++;
        }
    tap_ok(!wrong && kept > 50 && kept < 150, "a full arena: %d methods have names, the others are unnamed", kept);
    tap_ok(ids[199] == 0, "and the last has none");
}

static void test_full_table(void)
{
    uint32_t id;
    int unnamed = 0, refused = 0;
    enum { METHODS = METHODS_MAX + METHODS_MAX / 4 };
    open_tables(64 << 20);
    uintptr_t class = fake_class("T"), method = fake_method(class, "m", "()V", NULL, 0);
    uint64_t constant;
    memcpy(&constant, (void *)(method + vm_layout.method_const.offset), 8);
    /* One constant part serves all methods; their own addresses distinguish them. */
    uintptr_t all = fake_alloc(METHODS * 16);
    uint32_t first = 0, last = 0;
    for (uintptr_t i = 0; i < METHODS; i++) {
        uintptr_t m = all + 16 * i;
        fake_set(m, vm_layout.method_const, constant);
        refused += !method_intern(m, &id);
        unnamed += id == 0;
        first = i == 0 ? id : first;
    }
    method_intern(all, &last);
    tap_ok(!refused && unnamed > METHODS_MAX / 8 && unnamed < METHODS - METHODS_MAX * 3 / 4,
           "a full table: %d of %d methods are unnamed, none is refused", unnamed, METHODS);
    tap_ok(first && last == first && names_are(first, "T", "m", "()V"), "and the first are still found");
}

/* ---- at once ---- */

enum { AT_ONCE = 4, SHARED = 3000 };

static uintptr_t shared[SHARED];
static uint32_t ids_of[AT_ONCE][SHARED];
static pthread_barrier_t barrier;

static void *intern_all(void *argument)
{
    uint32_t *ids = argument;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < SHARED; i++) {
        method_intern(shared[i], &ids[i]);
        /* As after a committed record: the collector asks at once. */
        if (!ids[i] || !method_has_names(ids[i]))
            ids[i] = UINT32_MAX;
    }
    return NULL;
}

static void test_at_once(void)
{
    pthread_t threads[AT_ONCE];
    char name[32];
    int wrong = 0;
    open_tables(ARENA);
    for (int i = 0; i < SHARED; i++) {
        snprintf(name, sizeof name, "m%d", i);
        shared[i] = fake_method(fake_class("app/Shared"), name, "()V", NULL, 0);
    }
    pthread_barrier_init(&barrier, NULL, AT_ONCE);
    for (int i = 0; i < AT_ONCE; i++)
        pthread_create(&threads[i], NULL, intern_all, ids_of[i]);
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SHARED; i++) {
        snprintf(name, sizeof name, "m%d", i);
        for (int j = 0; j < AT_ONCE; j++)
            wrong += ids_of[j][i] != ids_of[0][i] || !names_are(ids_of[j][i], "app/Shared", name, "()V");
    }
    tap_ok(!wrong, "%d threads give %d methods the same ids, each with its names (%d wrong)", AT_ONCE, SHARED, wrong);
}

/* ---- AsyncGetCallTrace's ids ---- */

static void test_method_ids(void)
{
    open_tables(ARENA);
    uintptr_t handle = 0x7f1234567898u;
    uint32_t id = method_intern_id(handle);
    tap_ok(id && method_intern_id(handle) == id && method_id_of(id) == handle, "a jmethodID and back");
    tap_ok(method_intern_id(handle + 8) != id, "another is another");
    tap_ok(method_intern_id(0) == 0 && method_id_of(METHODS_MAX) == 0, "none is none");
    tap_ok(!method_has_names(id), "it has no names");
    method_name(id, "java/lang/String", "length", "()I");
    tap_ok(method_has_names(id) && names_are(id, "java/lang/String", "length", "()I"), "until it is given them");
}

int main(void)
{
    fault_install();
    test_names();
    test_cut();
    test_reuse();
    test_refused();
    test_lines();
    test_bci();
    test_full_arena();
    test_full_table();
    test_at_once();
    test_method_ids();
    method_table_deinit();
    return tap_done();
}
