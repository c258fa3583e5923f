/* Names with a part that differs in each run, which is removed, and names without such a part.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "base/text/stable_name.h"

#include <stdlib.h>
#include <string.h>

struct example {
    const char *name, *stable;
};

static const struct example classes[] = {
    {"Hot$$Lambda.0x000070a1c8003400", "Hot$$Lambda*"},
    {"Hot$$Lambda/0x000070a1c8003400", "Hot$$Lambda*"},
    {"Hot$$Lambda+0x000070a1c8003400", "Hot$$Lambda*"},
    {"Hot$$Lambda$14/0x0000000800c03000", "Hot$$Lambda*"},
    {"Hot$$Lambda$14.0x0000000800c03000", "Hot$$Lambda*"},
    {"Hot$$Lambda$14/0x1f", "Hot$$Lambda*"},
    {"Hot$$Lambda$1/1234567890", "Hot$$Lambda*"},
    {"Hot$$Lambda$1.1234567890", "Hot$$Lambda*"},
    {"Hot$$Lambda$14", "Hot$$Lambda*"},
    {"Hot$$Lambda/0x000070a1c8003400[]", "Hot$$Lambda*[]"},
    {"com.shop.Hot$$Lambda$14.run", "com.shop.Hot$$Lambda*.run"},
    {"java.lang.invoke.LambdaForm$MH/0x0000000800c03000", "java.lang.invoke.LambdaForm$MH*"},
    {"java.lang.invoke.LambdaForm$DMH.1096979270", "java.lang.invoke.LambdaForm$DMH*"},
    {"java.lang.invoke.LambdaForm$MH/12", "java.lang.invoke.LambdaForm$MH*"},
    {"java.lang.String$$StringConcat+0x00007f0001001000", "java.lang.String$$StringConcat*"},
    {"com.shop.Made/1234567", "com.shop.Made*"},
    {"C2 compiling Hot$$Lambda.0x000070a1c8003400.run (tier 3)", "C2 compiling Hot$$Lambda*.run (tier 3)"},
    {"sun.reflect.GeneratedMethodAccessor123", "sun.reflect.GeneratedMethodAccessor*"},
    {"jdk.internal.reflect.GeneratedConstructorAccessor1", "jdk.internal.reflect.GeneratedConstructorAccessor*"},
    {"jdk.internal.reflect.GeneratedSerializationConstructorAccessor7", "jdk.internal.reflect.GeneratedSerializationConstructorAccessor*"},
    {"com.sun.proxy.$Proxy12", "com.sun.proxy.$Proxy*"},
    {"jdk.proxy2.$Proxy12", "jdk.proxy*.$Proxy*"},
    {"$Proxy0", "$Proxy*"},
    {"Shop$$EnhancerBySpringCGLIB$$1a2b3c4d", "Shop$$EnhancerBySpringCGLIB$$*"},
    {"Shop$$EnhancerBySpringCGLIB$$1a2b3c4d$$FastClassBySpringCGLIB$$ff00", "Shop$$EnhancerBySpringCGLIB$$*$$FastClassBySpringCGLIB$$*"},
    {"Shop$$SpringCGLIB$$0", "Shop$$SpringCGLIB$$*"},
    {"Shop$$SpringCGLIB$$FastClass$$1", "Shop$$SpringCGLIB$$FastClass$$*"},
    {"Shop$$EnhancerByGuice$$98765432", "Shop$$EnhancerByGuice$$*"},
    {"Shop$ByteBuddy$tR4xKq0Z", "Shop$ByteBuddy$*"},
    {"Shop$ByteBuddy$tR4xKq0Z$auxiliary$abcdEFGH", "Shop$ByteBuddy$*$auxiliary$*"},
    {"Shop$MockitoMock$1234567890", "Shop$MockitoMock$*"},
    {"Shop$HibernateProxy$tR4xKq0Z", "Shop$HibernateProxy$*"},
    {"Shop_$$_jvst4ab_1f", "Shop_$$_jvst*"},
    {"Shop_$$_javassist_12", "Shop_$$_javassist_*"},
    {"Hot$$Lambda/0x000070a1c8003400 -> jdk.proxy2.$Proxy3.h", "Hot$$Lambda* -> jdk.proxy*.$Proxy*.h"},
};

static const char *const own_classes[] = {
    "",
    "*",
    "Foo$1",
    "Foo$1$2",
    "Foo$1Local",
    "Foo$12.run",
    "Hot.lambda$main$0",
    "Hot.lambda$main$12",
    "Hot$$Lambda.run",
    "Hot$$Lambda",
    "Foo$$anonfun$bar$1",
    "Foo$$anon$1",
    "com.shop.V2.Price",
    "com.shop.Proxy12",
    "com.shop.Foo$Proxy12",
    "com.shop.$Proxy12x",
    "com.shop.MyGeneratedMethodAccessor1",
    "jdk.internal.reflect.DirectMethodHandleAccessor",
    "jdk.proxyfoo.Bar",
    "com.shop.CGLIB$$Price",
    "java.lang.invoke.LambdaForm$Holder.invoke",
    "java.lang.invoke.BoundMethodHandle$Species_LL",
    "user$eval123$fn__456",
    "Script1",
    "GeneratedClass$GeneratedIteratorForCodegenStage1",
    "Shop$ByteBuddy$Factory",
    "[libc.so.6+0x1190]",
    "foo.0x1f",
    "a/1234",
    "std::min<12345>",
    "Foo$$",
    "$",
    "/",
    "+0x",
    ".0x000070a1c800340g",
    "Hot$$Lambda$",
    "Hot$$Lambda/",
    "LambdaForm$",
    "CGLIB$$",
};

static const struct example libraries[] = {
    {"libdel5120839182312345678.so", "libdel*.so"},
    {"libdel5120839182312345678", "libdel*"},
    {"[libdel5120839182312345678.so+0x1190]", "[libdel*.so+0x1190]"},
    {"librocksdbjni1234567890.so", "librocksdbjni*.so"},
    {"libnetty_tcnative_linux_x86_645120839182312345678.so", "libnetty_tcnative_linux_x86_64*.so"},
    {"libnetty_tcnative_linux_aarch_646412083918231234567.so", "libnetty_tcnative_linux_aarch_64*.so"},
    {"libsnappy-1.1.10-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0-libsnappyjava.so", "libsnappy-1.1.10-*-libsnappyjava.so"},
    {"jansi-2.4.0-1f2e3d4c5b6a7980-libjansi.so", "jansi-2.4.0-*-libjansi.so"},
    {"jna5120839182312345678.tmp", "jna*.tmp"},
    {"libzstd-jni-1.5.5-55120839182312345678.so", "libzstd-jni-1.5.5-*.so"},
    {"librocksdbjni5120839182312345678.so (deleted)", "librocksdbjni*.so"},
    {"libjvm.so (deleted)", "libjvm.so"},
};

static const char *const own_libraries[] = {
    "",
    "*",
    "libc.so.6",
    "libnetty_tcnative_linux_x86_64.so",
    "libfoo-20240115.so",
    "libstdc++.so.6.0.30",
    "libcandor.so",
    "[libc.so.6+0x11901234]",
    "libgfortran-040039e1.so.5.0.0",
    "libcafebabedeadbeef.so",
    "deadbeefcafebabe",
    "libx-0f1e2d3c-4b5a-6978-8796.so",
};

/* The copy has exactly this length, so that a sanitizer detects a byte too far. */
static bool becomes(void (*put)(struct buffer *, const char *, size_t), const char *name, const char *stable)
{
    struct buffer b;
    size_t len = strlen(name);
    char *copy = malloc(len ? len : 1);
    memcpy(copy, name, len);
    buffer_init(&b, 1 << 16);
    put(&b, copy, len);
    bool same = b.len == strlen(stable) && !memcmp(b.len ? (const char *)b.data : "", stable, b.len);
    if (!same)
        tap_note("%s becomes %.*s, not %s", name, (int)b.len, (const char *)b.data, stable);
    buffer_deinit(&b);
    free(copy);
    return same;
}

static void test(void (*put)(struct buffer *, const char *, size_t), const char *what, const struct example *examples, size_t count,
                 const char *const *own, size_t own_count)
{
    size_t right = 0, again = 0, stay = 0;
    for (size_t i = 0; i < count; i++) {
        right += becomes(put, examples[i].name, examples[i].stable);
        again += becomes(put, examples[i].stable, examples[i].stable);
    }
    for (size_t i = 0; i < own_count; i++)
        stay += becomes(put, own[i], own[i]);
    tap_ok(right == count, "%s: %zu of %zu names have their stable form", what, right, count);
    tap_ok(again == count, "%s: a stable form stays as it is", what);
    tap_ok(stay == own_count, "%s: %zu of %zu others stay as they are", what, stay, own_count);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

int main(void)
{
    test(stable_name_put, "classes", classes, COUNT(classes), own_classes, COUNT(own_classes));
    test(stable_name_put_library, "libraries", libraries, COUNT(libraries), own_libraries, COUNT(own_libraries));
    return tap_done();
}
