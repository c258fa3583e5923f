/* Function symbols of ELF files: our own file, broken files, and the names that native addresses get.
 * tier: quick
 * timeout: 120
 * aarch64: yes */
#include "../tap.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/load.h"
#include "agent/hot/unwind/module.h"
#include "agent/symbolize/elf.h"
#include "agent/symbolize/modules.h"
#include "agent/symbolize/native.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static int a_function_of_this_test(int x)
{
    __asm__ volatile("");
    return x * 3;
}

static uintptr_t load_base(void)
{
    extern const char __ehdr_start __attribute__((visibility("hidden")));
    return (uintptr_t)&__ehdr_start;
}

static void test_own(void)
{
    struct elf_symbols s;
    tap_ok(!elf_open(&s, "/proc/self/exe") && s.count > 10, "this program has symbols");
    uint64_t at = (uintptr_t)a_function_of_this_test - load_base();
    const char *name = elf_find(&s, at);
    tap_ok(name && !strcmp(name, "a_function_of_this_test"), "its function by its first address");
    name = elf_find(&s, at + 1);
    tap_ok(name && !strcmp(name, "a_function_of_this_test"), "and by one inside");
    tap_ok(!elf_find(&s, 0), "nothing before the first");
    bool sorted = true;
    for (size_t i = 1; i < s.count; i++)
        sorted = sorted && s.symbols[i - 1].value <= s.symbols[i].value;
    tap_ok(sorted, "sorted by address");
    elf_close(&s);
    elf_close(&s);
    tap_ok(elf_open(&s, "/nonexistent") == -ENOENT, "a file that is gone");
    tap_ok(elf_open(&s, "/") == -ENOENT, "a directory");
    tap_ok(elf_open(&s, "/dev/null") == -ENOENT, "an empty file");
    tap_ok(elf_open(&s, "/etc/passwd") == -ENOEXEC, "a text");
}

/* Symbols whose values differ in all bits, and some that have the same value: these keep their order. */
static void test_order(void)
{
    enum { COUNT = 5000, STRINGS = 8 };
    Elf64_Sym *table = calloc(COUNT * sizeof *table + STRINGS, 1);
    struct elf_symbols s;
    uint64_t random = 88172645463325252u;
    bool sorted = true;
    uint64_t sum = 0, sum_sorted = 0;
    for (int i = 0; i < COUNT; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        table[i] = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_size = (uint64_t)i, .st_value = i % 3 ? random : 77};
        sum += table[i].st_value ^ (uint64_t)i;
    }
    tap_ok(!elf_take_tables(&s, table, COUNT, STRINGS) && s.count == COUNT, "a table of %d functions", COUNT);
    for (size_t i = 0; i < s.count; i++) {
        const struct elf_symbol *before = &s.symbols[i ? i - 1 : 0], *here = &s.symbols[i];
        sorted = sorted && (before->value < here->value || (before->value == here->value && before->size <= here->size));
        sum_sorted += here->value ^ here->size;
    }
    tap_ok(sorted && sum == sum_sorted, "all of them in order");
    elf_close(&s);
}

/* Returns the memory that the mapping at an address takes, in KiB. */
static long resident_kb(const void *at)
{
    char line[512], begin[32];
    long kb = -1;
    bool found = false;
    FILE *f = fopen("/proc/self/smaps", "re");
    snprintf(begin, sizeof begin, "%lx-", (unsigned long)at);
    while (f && kb < 0 && fgets(line, sizeof line, f)) {
        found = found || !strncmp(line, begin, strlen(begin));
        if (found)
            sscanf(line, "Rss: %ld", &kb);
    }
    if (f)
        fclose(f);
    return kb;
}

static void test_rest(void)
{
    struct elf_symbols s;
    int rc = elf_open(&s, "/proc/self/exe");
    long before = resident_kb(s.file.bytes);
    elf_rest(&s);
    long after = resident_kb(s.file.bytes);
    tap_ok(!rc && before > 0 && after == 0, "a file that rests takes %ld KiB, and %ld before", after, before);
    const char *name = elf_find(&s, (uintptr_t)a_function_of_this_test - load_base());
    tap_ok(name && !strcmp(name, "a_function_of_this_test"), "and has its names");
    elf_close(&s);
    elf_rest(&s);
}

static void test_names(void)
{
    char name[64];
    native_name((uintptr_t)a_function_of_this_test, name, sizeof name);
    tap_ok(!strcmp(name, "a_function_of_this_test"), "a function of the program");
    native_name((uintptr_t)&qsort, name, sizeof name);
    tap_ok(strstr(name, "qsort") != NULL, "one of the C library (%s)", name);
    native_name(16, name, sizeof name);
    tap_ok(!strcmp(name, "[unknown]"), "no library");
    native_name(0x8000000000000000u, name, 5);
    tap_ok(!strcmp(name, "[unk"), "cut to the caller's room");
    native_add_stub("first", 0x1000, 0x100);
    native_add_stub("second", 0x1080, 0x10);
    native_library(0x1010, name, sizeof name);
    tap_ok(!strcmp(name, "stub"), "and its library");
    native_library((uintptr_t)&gnu_get_libc_version, name, sizeof name);
    tap_ok(!strcmp(name, "libc"), "libc.so.6 is libc for short (%s)", name);
    native_library(16, name, sizeof name);
    tap_ok(!*name, "nowhere is no library");
    native_name(0x1010, name, sizeof name);
    tap_ok(!strcmp(name, "first"), "a stub");
    native_name(0x108f, name, sizeof name);
    tap_ok(!strcmp(name, "second"), "a later stub hides an earlier one");
    native_name(0x1100, name, sizeof name);
    tap_ok(!strcmp(name, "[unknown]"), "behind it");
    uintptr_t low = 0, high = 0;
    tap_ok(!native_library_bounds((uintptr_t)a_function_of_this_test, &low, &high) && low <= (uintptr_t)a_function_of_this_test &&
               (uintptr_t)a_function_of_this_test < high,
           "the bounds of its library");
    tap_ok(native_library_bounds(16, &low, &high) == -ENOENT, "no library, no bounds");
    native_deinit();
    native_name(0x1010, name, sizeof name);
    tap_ok(!strcmp(name, "[unknown]"), "stubs are forgotten in the end");
    native_deinit();
}

/* Symbols of the C library, which Debian ships without a symbol table. */
static void test_nameless(void)
{
    struct module m = {0};
    Dl_info libc;
    uint32_t nameless = 0, wrong = 0, first;
    fault_install();
    modules_update();
    tap_ok(dladdr((void *)&gnu_get_libc_version, &libc) && module_find((uintptr_t)&gnu_get_libc_version, &m) && m.frame_count > 100,
           "%u functions of the C library are described", m.frame_count);
    for (uint32_t i = 0; i < m.frame_count; i++) {
        char name[512], place[64];
        if (!load_u32(m.frame_table + 8 * (uintptr_t)i, &first))
            break;
        uintptr_t begin = m.frame_header + (uintptr_t)(intptr_t)(int32_t)first;
        native_name(begin, name, sizeof name);
        snprintf(place, sizeof place, "+0x%llx]", (unsigned long long)(begin - (uintptr_t)libc.dli_fbase));
        nameless += *name == '[';
        wrong += *name == '[' && !strstr(name, place);
    }
    tap_ok(!wrong, "%u of them have no name and are named by their place", nameless);
    native_deinit();
    fault_remove();
}

static void test_data(void)
{
    extern int data_of_this_test;
    struct elf_symbols s;
    elf_open(&s, "/proc/self/exe");
    uint64_t at = (uintptr_t)&data_of_this_test - load_base();
    const char *name = elf_data_at(&s, at);
    tap_ok(elf_data(&s, "data_of_this_test") == at && name && !strcmp(name, "data_of_this_test"), "data, by name and by place");
    tap_ok(!elf_data(&s, "a_function_of_this_test") && !elf_data_at(&s, at + 1), "no function, and nothing inside");
    elf_close(&s);
    tap_ok(!elf_data(&s, "data_of_this_test"), "a closed file has none");
}

int data_of_this_test = 1;

static char *read_self(size_t *size)
{
    FILE *f = fopen("/proc/self/exe", "rb");
    struct stat st;
    fstat(fileno(f), &st);
    char *bytes = malloc((size_t)st.st_size);
    *size = fread(bytes, 1, (size_t)st.st_size, f);
    fclose(f);
    return bytes;
}

/* Opens a copy of exactly this length, so that AddressSanitizer detects a byte too far. */
static int try_image(const char *bytes, size_t size)
{
    struct elf_symbols s;
    char *copy = malloc(size ? size : 1);
    size_t sum = 0;
    memcpy(copy, bytes, size);
    int rc = elf_open_image(&s, copy, size);
    for (size_t i = 0; !rc && i < s.count; i += 1 + s.count / 64)
        sum += strlen(s.strings + s.symbols[i].name);
    for (uint64_t at = 0; !rc && at < 64; at++) {
        const char *name = elf_find(&s, at * 0x0fedcba987654321u);
        sum += name ? strlen(name) : 0;
    }
    elf_close(&s);
    free(copy);
    return sum > SIZE_MAX - 2 ? 1 : rc;
}

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static void test_damage(void)
{
    size_t size;
    char *bytes = read_self(&size);
    tap_ok(try_image(bytes, size) == 0, "a copy in memory (%zu bytes)", size);
    for (size_t cut = 0; cut < 300; cut++)
        try_image(bytes, cut);
    for (int i = 0; i < 100; i++)
        try_image(bytes, draw(size));
    tap_ok(true, "cut anywhere");
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    size_t sections = header->e_shoff, end = sections + header->e_shnum * sizeof(Elf64_Shdr);
    for (int i = 0; i < 3000; i++) {
        /* Where damage has an effect: the header, the section headers, and sometimes anywhere. */
        size_t at = i % 3 == 0 ? draw(sizeof *header) : i % 3 == 1 ? sections + draw(end - sections) : draw(size);
        char old = bytes[at];
        bytes[at] = (char)(i % 2 ? bytes[at] ^ 1 << draw(8) : (int)draw(256));
        try_image(bytes, size);
        bytes[at] = old;
    }
    tap_ok(true, "3000 damaged bytes");
    tap_ok(try_image(bytes, size) == 0, "and the whole one is still good");
    free(bytes);
}

static void test_vdso(void)
{
    struct elf_symbols s;
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (!vdso) {
        tap_skip("vdso: this kernel has none");
        return;
    }
    char name[64];
    int rc = elf_open_image(&s, (const void *)vdso, (size_t)sysconf(_SC_PAGESIZE));
    tap_ok(rc == 0 || rc == -ENOENT || rc == -ENOEXEC, "the vdso's first page is safe to read (%d)", rc);
    elf_close(&s);
    native_name(vdso + 0x800, name, sizeof name);
    tap_ok(strstr(name, "vdso") || name[0] != '[', "an address in the vdso is its own (%s)", name);
    native_deinit();
}

int main(void)
{
    tap_ok(a_function_of_this_test(1) == 3, "the function is there");
    test_own();
    test_order();
    test_rest();
    test_names();
    test_nameless();
    test_data();
    test_damage();
    test_vdso();
    return tap_done();
}
