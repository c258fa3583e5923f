#include "agent/entry/jvmti/jvmti_heal.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/hotspot/native_methods.h"
#include "agent/trigger/jvm/old_code.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <string.h>

/* Functions of HotSpot's own tests (WhiteBox), which every build has. The first marks the code of one method and makes the JVM deoptimize
 * it; the second does so with all code. */
typedef jint JNICALL deoptimize_method(JNIEnv *jni, jobject ignored, jobject method, jboolean on_stack_replacement);
typedef void JNICALL deoptimize_all(JNIEnv *jni, jobject ignored);

static jvmtiEnv *jvmti;
static deoptimize_method *jvm_deoptimizes_method;
static deoptimize_all *jvm_deoptimizes_all;

/* The JVM may have thousands of classes of one name: those of class loaders, and in JDK 8 to 14 the anonymous classes of method handles.
 * Each call looks at all compiled code, and the agent drains no queue meanwhile. So a step that takes longer than this leaves the rest. */
#define STEP_NS (50 * NS_PER_MS)

enum { LOCAL_REFERENCES = 16 }; /* for all but the classes */

static struct {
    size_t discarded; /* number of pieces of code */
    uint64_t end_ns;  /* 0 = no code has been discarded yet */
    bool is_over;
} step;

static bool has_time(void)
{
    uint64_t ns = clock_monotonic_ns();
    step.end_ns = step.end_ns ? step.end_ns : ns + STEP_NS;
    step.is_over = ns >= step.end_ns;
    return !step.is_over;
}

static bool discard_all(void)
{
    JNIEnv *jni = java_attach();
    if (!jni)
        return false;
    jvm_deoptimizes_all(jni, NULL);
    java_detach();
    return true;
}

/* ---- one method ---- */

/* The JVM's function expects a java.lang.reflect.Method, and asks JNI for its jmethodID. Such an object could be made only with the classes
 * of the method's parameters, which may have to be loaded first, by Java code of the program. So the agent's thread answers that question
 * itself, from a table of JNI functions of its own. The object that it passes is that of another, harmless method. */
static jmethodID answer;

static jmethodID JNICALL answer_for(JNIEnv *jni, jobject method)
{
    (void)jni, (void)method;
    return answer;
}

/* Each call looks at all compiled code, which is most of what healing costs the agent's thread. So the call for on-stack replacement, of
 * which there is little, comes only if the other did not suffice. Returns how much code the JVM reports that it discarded: up to JDK 17
 * with the code that depends on the method, later without. */
static size_t discard_code(JNIEnv *jni, jobject stand_in, jmethodID id, bool again)
{
    struct JNINativeInterface_ functions = **jni;
    const struct JNINativeInterface_ *usual = *jni;
    functions.FromReflectedMethod = answer_for;
    answer = id;
    *jni = &functions;
    jint discarded = jvm_deoptimizes_method(jni, NULL, stand_in, JNI_FALSE);
    if (again)
        discarded += jvm_deoptimizes_method(jni, NULL, stand_in, JNI_TRUE);
    *jni = usual;
    return discarded > 0 ? (size_t)discarded : 0;
}

static bool is_class(jclass class, const char *expected)
{
    char *signature = NULL;
    bool same = !(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) && signature && !strcmp(signature, expected);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return same;
}

/* Makes an object for the constructor of a class that is always there, of which no code is compiled. JNI's FindClass would ask the
 * program's class loader for the class, which runs Java code. */
static jobject make_stand_in(JNIEnv *jni, const jclass *all, jint count)
{
    jint i = 0;
    while (i < count && !is_class(all[i], "Ljava/lang/StackOverflowError;"))
        i++;
    jmethodID constructor = i < count ? (*jni)->GetMethodID(jni, all[i], "<init>", "()V") : NULL;
    jobject object = constructor ? (*jni)->ToReflectedMethod(jni, all[i], constructor, JNI_FALSE) : NULL;
    (*jni)->ExceptionClear(jni);
    return object ? (*jni)->NewGlobalRef(jni, object) : NULL;
}

/* ---- which methods ---- */

/* Whether the JVM reports this signature for a class of that name. It writes the + in names of hidden classes as a dot. In JDK 8 to 14 it
 * appends a slash and a number to names of anonymous classes. */
static bool is_signature_of(const char *signature, const struct old_method *m)
{
    for (uint16_t i = 0; i < m->class_len; i++)
        if (signature[1 + i] != m->class_name[i] && !(signature[1 + i] == '.' && m->class_name[i] == '+'))
            return false;
    const char *rest = signature + 1 + m->class_len;
    return !strcmp(rest, ";") || (*rest == '/' && strspn(rest + 1, "0123456789") + 2 == strlen(rest));
}

static bool is_text(const char *text, const char *expected, uint16_t len)
{
    return strlen(text) == len && !memcmp(text, expected, len);
}

static bool is_method(jmethodID id, const struct old_method *m)
{
    char *name = NULL, *descriptor = NULL;
    jboolean native = JNI_TRUE; /* the JVM needs the code of some native methods */
    if ((*jvmti)->IsMethodNative(jvmti, id, &native) || native || (*jvmti)->GetMethodName(jvmti, id, &name, &descriptor, NULL))
        return false;
    bool same = is_text(name, m->name, m->name_len) && is_text(descriptor, m->descriptor, m->descriptor_len);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    return same;
}

static void discard_in(JNIEnv *jni, jobject stand_in, jclass class, struct old_method *m)
{
    jint count = 0;
    jmethodID *ids = NULL;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &ids)) /* JNI's GetMethodID would wait for a class that is being initialized */
        return;
    jint i = 0;
    while (i < count && !is_method(ids[i], m))
        i++;
    if (i < count && has_time()) {
        step.discarded += discard_code(jni, stand_in, ids[i], m->again);
        m->fate = OLD_METHOD_DISCARDED;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
}

static void discard_of(JNIEnv *jni, jobject stand_in, jclass class, struct old_method *methods, size_t count)
{
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) || !signature)
        return;
    for (size_t i = 0; i < count && !step.is_over; i++)
        if (signature[0] == 'L' && is_signature_of(signature, &methods[i]))
            discard_in(jni, stand_in, class, &methods[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void discard_attached(JNIEnv *jni, struct old_method *methods, size_t count)
{
    jint loaded = 0;
    jclass *all = NULL; /* these references keep the classes until the thread is detached */
    static jobject stand_in;
    if ((*jvmti)->GetLoadedClasses(jvmti, &loaded, &all))
        return;
    if (!stand_in)
        (*jni)->EnsureLocalCapacity(jni, loaded + LOCAL_REFERENCES); /* with -Xcheck:jni the JVM would warn of so many */
    stand_in = stand_in ? stand_in : make_stand_in(jni, all, loaded);
    for (jint i = 0; stand_in && i < loaded && !step.is_over; i++) /* loaders may have classes of the same name */
        discard_of(jni, stand_in, all[i], methods, count);
    for (size_t i = 0; step.is_over && i < count; i++)
        methods[i].fate = methods[i].fate == OLD_METHOD_GONE ? OLD_METHOD_LEFT : methods[i].fate;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}

static size_t discard(struct old_method *methods, size_t count)
{
    memset(&step, 0, sizeof step);
    for (size_t i = 0; i < count; i++)
        methods[i].fate = OLD_METHOD_GONE;
    JNIEnv *jni = java_attach();
    if (!jni)
        return 0;
    discard_attached(jni, methods, count);
    java_detach();
    return step.discarded;
}

/* ---- what the JVM has ---- */

static bool find_functions(void)
{
    static bool looked;
    const char *signature = "(Ljava/lang/reflect/Executable;Z)I";
    uintptr_t in_libjvm = (uintptr_t)(*jvmti)->GetLoadedClasses;
    if (!looked) {
        void *one = native_methods_find(in_libjvm, "deoptimizeMethod0", signature);
        *(void **)&jvm_deoptimizes_method = one ? one : native_methods_find(in_libjvm, "deoptimizeMethod", signature); /* JDK 8 */
        *(void **)&jvm_deoptimizes_all = native_methods_find(in_libjvm, "deoptimizeAll", "()V");
    }
    looked = true;
    return jvm_deoptimizes_method && jvm_deoptimizes_all;
}

void jvmti_heal_init(jvmtiEnv *env)
{
    jvmti = env;
    old_code = (struct old_code){find_functions, discard_all, discard};
}
