/* If the file of a library is deleted, replaced or stripped after loading, its functions keep their names, and get no names of other
 * functions.
 * tier: quick
 * timeout: 120
 * aarch64: yes */
#include "../tap.h"

#include "agent/hot/fault/fault.h"
#include "agent/symbolize/image.h"
#include "agent/symbolize/modules.h"
#include "agent/symbolize/native.h"
#include "agent/symbolize/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char folder[] = "/tmp/candor-libraries-XXXXXX";

/* Returns one of a few paths, which are reused. */
static char *next_path(void)
{
    static char paths[8][PATH_MAX];
    static int next;
    return paths[next++ % 8];
}

static char *at(const char *name)
{
    char *path = next_path();
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

/* The path of a file that meson has built beside this program. */
static char *built(const char *name)
{
    char self[PATH_MAX] = "", *path = next_path();
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = n > 0 ? strrchr(self, '/') : NULL;
    snprintf(path, PATH_MAX, "%.*s/lib%s.so", slash ? (int)(slash - self) : 0, self, name);
    return path;
}

static void become(uid_t user)
{
    if (seteuid(user))
        tap_note("cannot become user %u", (unsigned)user);
    prctl(PR_SET_DUMPABLE, 1); /* otherwise nobody's own files in /proc would be root's */
}

static void copy_as_now(const char *from, const char *to)
{
    char bytes[1 << 16];
    size_t n;
    unlink(to);
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    while (in && out && (n = fread(bytes, 1, sizeof bytes, in)))
        fwrite(bytes, 1, n, out);
    if (in)
        fclose(in);
    if (!out || fclose(out))
        tap_note("cannot copy %s to %s", from, to);
    chmod(to, 0755);
}

/* Copies as the user who started the test: nobody may not read what was built in that user's folder. */
static void copy(const char *from, const char *to)
{
    uid_t user = geteuid();
    become(getuid());
    copy_as_now(from, to);
    become(user);
}

/* Linkers remove a section .gnu_debuglink, so it is built with another name. */
static void link_debug_file(const char *path)
{
    static const char built_name[] = ".gnu_debuglinX";
    FILE *f = fopen(path, "r+b");
    static char bytes[1 << 18]; /* the whole file, whose segments are aligned to 64 KiB on AArch64 */
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    char *name = memmem(bytes, n, built_name, sizeof built_name);
    if (name && !fseek(f, name - bytes + (long)sizeof built_name - 2, SEEK_SET))
        fputc('k', f);
    if (!f || fclose(f) || !name)
        tap_note("%s has no section %s", path, built_name);
}

static uintptr_t hidden_in(void *library)
{
    return **(uintptr_t **)(void *[]){dlsym(library, "hidden_address")};
}

static const char *name_of(uintptr_t pc)
{
    static char name[256];
    native_name(pc, name, sizeof name);
    return name;
}

static bool is_named(void *library, const char *function)
{
    return library && !strcmp(name_of((uintptr_t)dlsym(library, function)), function);
}

static void *load_copy(const char *which, const char *path)
{
    copy(built(which), path);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void test_deleted(const char *who)
{
    char *path = at("deleted.so");
    void *library = load_copy("named_first", path);
    unlink(path);
    tap_ok(is_named(library, "first_function") && is_named(library, "first_other"), "%s: a deleted library's functions (%s)", who,
           name_of((uintptr_t)dlsym(library, "first_other")));
    native_deinit();
    dlclose(library);
}

static void test_replaced(const char *who)
{
    char *path = at("replaced.so"), *other = at("other.so");
    void *library = load_copy("named_first", path);
    copy(built("named_second_full"), other); /* it has a name for each address */
    rename(other, path);
    tap_ok(is_named(library, "first_function") && is_named(library, "first_other"),
           "%s: the functions of a library whose file was replaced by another (%s)", who,
           name_of((uintptr_t)dlsym(library, "first_other")));
    native_deinit();
    dlclose(library);
}

/* The kernel may map the second library at the place of the first. */
static void test_unloaded(void)
{
    char *path = at("unloaded.so"), *later = at("later.so");
    void *first = load_copy("named_first", path);
    uintptr_t pc = (uintptr_t)dlsym(first, "first_function"), hidden = hidden_in(first);
    modules_update();
    tap_ok(is_named(first, "first_function"), "a library is loaded");
    dlclose(first);
    modules_update();
    tap_ok(!strcmp(name_of(pc), "first_function"), "unloaded: what was sampled before is named (%s)", name_of(pc));
    void *second = load_copy("named_second", later);
    modules_update();
    tap_ok(is_named(second, "second_function") && is_named(second, "second_other"),
           "another one, %s the same place, has its own names (%s)", hidden_in(second) == hidden ? "at" : "not at",
           name_of((uintptr_t)dlsym(second, "second_other")));
    native_deinit();
    dlclose(second);
}

static char *cache(const char *id)
{
    char *path = at(id);
    if (mkdir(path, 0755))
        tap_note("cannot make a cache for debug files");
    strcat(path, "/debuginfo");
    return path;
}

static void test_debug_file(void)
{
    char *path = at("stripped.so"), *link = at("named.debug"), *debug;
    void *library = load_copy("named_first", path);
    uintptr_t pc = hidden_in(library);
    tap_ok(strstr(name_of(pc), "[stripped.so") == name_of(pc), "a stripped library: only the place is known (%s)", name_of(pc));
    native_deinit();
    setenv("DEBUGINFOD_CACHE_PATH", folder, 1);
    debug = cache("0102030405060708");
    copy(built("named_second_full"), debug);
    tap_ok(strcmp(name_of(pc), "hidden_function") != 0, "a debug file of another library is not taken (%s)", name_of(pc));
    native_deinit();
    copy(built("named_first_full"), debug);
    tap_ok(!strcmp(name_of(pc), "hidden_function"), "its debug file, where debuginfod's client keeps it (%s)", name_of(pc));
    tap_ok(is_named(library, "first_function"), "which has the other functions, too");
    native_deinit();
    unlink(debug);
    link_debug_file(path);
    copy(built("named_first_full"), link);
    tap_ok(!strcmp(name_of(pc), "hidden_function"), "beside it, by .gnu_debuglink (%s)", name_of(pc));
    native_deinit();
    unsetenv("DEBUGINFOD_CACHE_PATH");
    dlclose(library);
}

static void test_pipe(void)
{
    struct elf_file file;
    char *path = at("pipe.so");
    tap_ok(!mkfifo(path, 0644) && elf_map(&file, path) == -ENOENT, "a pipe in a library's place is no file, and nobody waits for it");
}

static int find_vdso(struct dl_phdr_info *info, size_t size, void *context)
{
    if (info->dlpi_addr != getauxval(AT_SYSINFO_EHDR))
        return 0;
    image_describe(context, info);
    return 1;
}

static void test_vdso(void)
{
    struct image i;
    struct elf_symbols s;
    size_t named = 0;
    if (!dl_iterate_phdr(find_vdso, &i) || image_symbols(&i, &s)) {
        tap_skip("vdso: there is none, or it has no symbols");
        return;
    }
    for (size_t k = 0; k < s.count; k++) {
        const char *name = name_of(i.base + s.symbols[k].value);
        named += !strncmp(name, "__vdso_", 7) || !strncmp(name, "__kernel_", 9);
    }
    tap_ok(named && named == s.count, "%zu functions of the vdso have names that no library's have (%s)", s.count,
           name_of(i.base + s.symbols[0].value));
    elf_close(&s);
    native_deinit();
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *context)
{
    image_describe(context, info);
    return strstr(info->dlpi_name, "/libc.so") != NULL;
}

/* Headers that point to nothing, or to something that is not a header. */
static void test_damage(void)
{
    struct image good, i;
    struct elf_symbols s;
    struct elf_build_id id;
    uint64_t seed = 1, found = 0;
    dl_iterate_phdr(find_libc, &good);
    for (int k = 0; k < 2000; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        i = good;
        i.dynamic.at += k % 4 ? (seed >> 40) % 4096 * 8 : 0;
        i.dynamic.size = k % 2 ? SIZE_MAX : i.dynamic.size;
        i.notes[0].at += k % 3 ? seed >> 33 : 0;
        i.base += k % 5 ? 0 : seed >> 33;
        found += !image_symbols(&i, &s);
        elf_close(&s);
        image_build_id(&i, &id);
    }
    tap_ok(true, "2000 damaged descriptions, of which %llu have symbols", (unsigned long long)found);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    chmod(folder, 0777);
    fault_install();
    test_debug_file();
    test_deleted("as started");
    test_replaced("as started");
    test_unloaded();
    test_vdso();
    test_damage();
    test_pipe();
    if (!geteuid()) {
        become(NOBODY); /* a user who may not open the mapped file */
        test_deleted("as nobody");
        test_replaced("as nobody");
        become(0);
    }
    fault_remove();
    char remove[64];
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    return system(remove) || tap_done();
}
