#include "format/read/perf_frame.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends(struct span t, const char *with)
{
    size_t n = strlen(with);
    return t.len >= n && !memcmp(t.bytes + t.len - n, with, n);
}

static struct span until(struct span t, const char *end)
{
    return (struct span){t.bytes, (size_t)(end - t.bytes)};
}

static struct span behind(struct span t, const char *at)
{
    return (struct span){at, (size_t)(t.bytes + t.len - at)};
}

static struct span base_name(struct span path)
{
    const char *slash = path.len ? memrchr(path.bytes, '/', path.len) : NULL;
    return slash && slash[1] && slash + 1 < path.bytes + path.len ? behind(path, slash + 1) : path;
}

/* Whether a JVM generated the code. Its name is then that of a map of symbols, or of an image that `perf inject --jit` made. */
static bool is_generated(struct span dso)
{
    struct span name = base_name(dso);
    return (lines_start(name, "perf-") && ends(name, ".map")) || (lines_start(name, "jitted-") && ends(name, ".so")) ||
           lines_start(name, "[jit]");
}

/* Whether the frame is of the kernel or its modules. Their names are in brackets, but so are those of some of a process's own memory. */
static bool is_kernel(const struct perf_frame *f)
{
    static const char *const own[] = {"[vdso]", "[vsyscall]", "[unknown]", "[heap]", "[stack", "[anon", "[jit]", "[uprobes]"};
    if (f->address >> 63 || lines_start(f->dso, "[kernel") || lines_start(f->dso, "[guest.kernel") || lines_find(base_name(f->dso), ".ko"))
        return true;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (lines_start(f->dso, own[i]))
            return false;
    return f->dso.len > 2 && *f->dso.bytes == '[';
}

static int add_method(struct profile *p, struct span class_text, struct span name, struct span descriptor, uint8_t type,
                      struct import_stack *stack)
{
    uint32_t class_id, name_id, descriptor_id, method, frame;
    if (profile_string(p, class_text.bytes, class_text.len, &class_id) || profile_string(p, name.bytes, name.len, &name_id) ||
        profile_string(p, descriptor.bytes, descriptor.len, &descriptor_id) ||
        profile_method(p, class_id, name_id, descriptor_id, &method) || profile_frame(p, method, 0, 0, type, &frame))
        return -ENOMEM;
    return import_stack_add(stack, frame);
}

/* Adds a method by its class, which may have slashes, and its name with or without arguments. */
static int add_java(struct profile *p, struct span class_text, struct span name, uint8_t type, struct import_stack *stack)
{
    static const struct span none = {"", 0};
    char *dotted = strndup(class_text.bytes, class_text.len);
    const char *arguments = lines_find(name, "(");
    if (!dotted)
        return -ENOMEM;
    for (size_t i = 0; i + 1 < class_text.len; i++)
        if (dotted[i] == '/' && !isdigit((unsigned char)dotted[i + 1]))
            dotted[i] = '.';
    int rc = add_method(p, (struct span){dotted, class_text.len}, arguments ? until(name, arguments) : name,
                        arguments && lines_find(name, ")") ? behind(name, arguments) : none, type, stack);
    free(dotted);
    return rc;
}

/* Whether the text may be the name of a class. It must not contain a zero either, because that would end a copy of it. */
static bool is_class(struct span t)
{
    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.bytes[i];
        if (!isalnum(c) && !(c & 0x80) && (!c || !strchr("_$./+*-", c)))
            return false;
    }
    return t.len && !isdigit((unsigned char)*t.bytes);
}

/* Splits a symbol into class and name. The forms are perf-map-agent's "Lorg/foo/Bar;::method" and "org.foo.Bar::method", and the image's
 * "Lorg/foo/Bar;method(I)V", all with or without a descriptor. Returns false for any other form. */
static bool split_java(struct span symbol, bool generated, struct span *class_text, struct span *name)
{
    const char *arguments = lines_find(symbol, "(");
    struct span plain = arguments ? until(symbol, arguments) : symbol;
    const char *semicolon = lines_find(plain, ";"), *colons = lines_find(plain, "::");
    if (lines_start(plain, "L") && semicolon && (generated || colons == semicolon + 1)) {
        *class_text = until(behind(plain, plain.bytes + 1), semicolon);
        *name = behind(symbol, colons == semicolon + 1 ? colons + 2 : semicolon + 1);
    } else if (generated && colons) {
        *class_text = until(plain, colons);
        *name = behind(symbol, colons + 2);
    } else {
        return false;
    }
    return is_class(*class_text) && name->len;
}

/* Adds a symbol as `jcmd Compiler.perfmap` writes it: "int java.lang.String.indexOf(int)". */
static int add_perfmap(struct profile *p, struct span symbol, uint8_t type, struct import_stack *stack)
{
    const char *arguments = lines_find(symbol, "(");
    struct span plain = arguments ? until(symbol, arguments) : symbol;
    const char *blank = plain.len ? memrchr(plain.bytes, ' ', plain.len) : NULL;
    struct span name = blank ? behind(plain, blank + 1) : plain;
    const char *dot = name.len ? memrchr(name.bytes, '.', name.len) : NULL;
    if (!blank || !dot || !is_class(until(name, dot)))
        return add_method(p, (struct span){"", 0}, symbol, (struct span){"", 0}, JFR_FRAME_STUB, stack);
    return add_java(p, until(name, dot), behind(name, dot + 1), type, stack);
}

/* Returns the last "->" in the text, or NULL. */
static const char *last_arrow(struct span t)
{
    for (size_t at = t.len; at > 1; at--)
        if (t.bytes[at - 2] == '-' && t.bytes[at - 1] == '>')
            return t.bytes + at - 2;
    return NULL;
}

/* Adds the frames of a symbol of generated code. "a->b->c" is a, with b inlined into it, and c inlined into b. */
static int add_generated(struct profile *p, struct span symbol, struct import_stack *stack)
{
    int rc = 0;
    while (!rc && symbol.len) {
        const char *arrow = last_arrow(symbol);
        struct span one = arrow ? behind(symbol, arrow + 2) : symbol, class_text, name;
        uint8_t type = arrow ? JFR_FRAME_INLINED : JFR_FRAME_JAVA;
        if (split_java(one, true, &class_text, &name))
            rc = add_java(p, class_text, name, type, stack);
        else if (one.len)
            rc = add_perfmap(p, one, type, stack);
        symbol = arrow ? until(symbol, arrow) : (struct span){"", 0};
    }
    return rc;
}

int perf_frame_add(struct profile *p, const struct perf_frame *f, struct import_stack *stack)
{
    static const struct span none = {"", 0}, no_descriptor = {JFR_NO_DESCRIPTOR, sizeof JFR_NO_DESCRIPTOR - 1};
    struct span library = base_name(f->dso), class_text, name;
    bool kernel = is_kernel(f), known = f->symbol.len && !lines_start(f->symbol, "[unknown]");
    char unknown[128];
    if (known && !kernel && is_generated(f->dso))
        return add_generated(p, f->symbol, stack);
    if (known && !kernel && split_java(f->symbol, false, &class_text, &name))
        return add_java(p, class_text, name, JFR_FRAME_JAVA, stack);
    if (lines_start(library, "[unknown]") || lines_start(library, "inlined"))
        library = none;
    snprintf(unknown, sizeof unknown, "[%.*s]", (int)(library.len < 100 ? library.len : 100), library.bytes);
    if (!known)
        name = kernel        ? (struct span){"[kernel]", 8}
               : library.len ? (struct span){unknown, strlen(unknown)}
                             : (struct span){"[unknown]", 9};
    else
        name = f->symbol;
    if (kernel)
        return add_method(p, none, name, none, JFR_FRAME_KERNEL, stack);
    return add_method(p, library, name, library.len ? no_descriptor : none, JFR_FRAME_NATIVE, stack);
}
