#include "agent/entry/jvmti/jvmti_heal.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/hot/walk/walk.h"
#include "agent/record/jvm.h"
#include "agent/symbolize/native.h"
#include "agent/trigger/jvm/old_code.h"

#include <string.h>

enum {
    FOUND_MAX = 256,       /* most loaded classes per call: several loaders may have classes of the same name */
    LAST_WITHOUT_NOTE = 24 /* the compilers of later JVMs record from the start what their code depends on */
};

static jvmtiEnv *jvmti;

/* Returns the address of the JVM's flag that is set when the JVM throws away only code that depends on a redefined class; NULL =
 * unknown. */
static uint8_t *notes_dependencies(void)
{
    uint8_t *noted = (uint8_t *)native_data(walk_libjvm_low, "_ZN11JvmtiExport30_all_dependencies_are_recordedE");
    return noted && *noted <= 1 ? noted : NULL;
}

static bool goes_at_once(void)
{
    const uint8_t *noted = notes_dependencies();
    return noted ? !*noted : jvm_facts.java_version <= LAST_WITHOUT_NOTE;
}

/* Clears that flag. The JVM reads it only at the redefinition's safepoint. If it is 0, the JVM throws all code away, and sets the flag. */
static void forget_dependencies(void)
{
    uint8_t *noted = notes_dependencies();
    if (noted)
        *noted = 0;
}

static const jvmtiCapabilities wanted = {.can_retransform_classes = 1};

static bool discard_all(void)
{
    bool done = false;
    JNIEnv *jni = java_attach();
    if (!jni)
        return false;
    jclass class = (*jni)->FindClass(jni, "java/lang/StackOverflowError");
    if (class && !(*jvmti)->AddCapabilities(jvmti, &wanted)) {
        forget_dependencies();
        done = !(*jvmti)->RetransformClasses(jvmti, 1, &class);
        (*jvmti)->RelinquishCapabilities(jvmti, &wanted);
    }
    (*jni)->ExceptionClear(jni);
    java_detach();
    return done;
}

/* The loaded classes that have the name of a requested class. */
struct found {
    jclass classes[FOUND_MAX];
    struct old_class *of[FOUND_MAX];
    jint count;
    bool has_java_agent;
};

static bool is_signature_of(const char *signature, const struct old_class *c)
{
    return !strncmp(signature + 1, c->name, c->len) && !strcmp(signature + 1 + c->len, ";");
}

/* Whether the walker recognizes the class's methods by their code. A retransformed class has other code for the same methods, which the
 * walker would not recognize. */
static bool is_known_by_code(const char *signature)
{
    static const char *const known[] = {"Ljdk/internal/vm/Continuation;", "Ljdk/internal/misc/Unsafe;", "Lsun/misc/Unsafe;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(signature, known[i]))
            return true;
    return false;
}

static void look_at(struct found *f, jclass class, const char *signature, struct old_class *classes, size_t count)
{
    jboolean modifiable = JNI_FALSE;
    if (!strcmp(signature, "Lsun/instrument/InstrumentationImpl;"))
        f->has_java_agent = true;
    for (size_t i = 0; i < count; i++) {
        if (!is_signature_of(signature, &classes[i]) || f->count == FOUND_MAX)
            continue;
        if (!is_known_by_code(signature) && !(*jvmti)->IsModifiableClass(jvmti, class, &modifiable) && modifiable) {
            f->of[f->count] = &classes[i];
            f->classes[f->count++] = class;
        }
        return;
    }
}

/* Finds the loaded classes. The references end when the thread is detached. */
static void find(struct found *f, struct old_class *classes, size_t count)
{
    jint loaded = 0;
    jclass *all = NULL;
    if ((*jvmti)->GetLoadedClasses(jvmti, &loaded, &all))
        return;
    for (jint i = 0; i < loaded; i++) {
        char *signature = NULL;
        if (!(*jvmti)->GetClassSignature(jvmti, all[i], &signature, NULL) && signature && signature[0] == 'L')
            look_at(f, all[i], signature, classes, count);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}

static void set_fates(struct found *f, jint from, jint count, enum old_class_fate fate)
{
    for (jint i = from; i < from + count; i++)
        f->of[i]->fate = fate;
}

/* Retransforms all classes in one call, because each call stops the program. If the JVM refuses one class, it refuses the whole call. The
 * halves are then tried in order to find that class. */
static void retransform(struct found *f, jint from, jint count)
{
    if (!count)
        return;
    if (!(*jvmti)->RetransformClasses(jvmti, count, f->classes + from))
        set_fates(f, from, count, OLD_CLASS_DISCARDED);
    else if (count == 1)
        set_fates(f, from, count, OLD_CLASS_REFUSED);
    else {
        retransform(f, from, count / 2);
        retransform(f, from + count / 2, count - count / 2);
    }
}

static void discard_attached(struct old_class *classes, size_t count, bool beside_agents)
{
    static struct found found;
    found = (struct found){.count = 0};
    find(&found, classes, count);
    if (found.has_java_agent && !beside_agents)
        set_fates(&found, 0, found.count, OLD_CLASS_OF_AGENT);
    else
        retransform(&found, 0, found.count);
}

static void discard(struct old_class *classes, size_t count, bool beside_agents)
{
    for (size_t i = 0; i < count; i++)
        classes[i].fate = OLD_CLASS_UNMODIFIABLE;
    JNIEnv *jni = java_attach();
    if (!jni)
        return;
    if (!(*jvmti)->AddCapabilities(jvmti, &wanted)) {
        discard_attached(classes, count, beside_agents);
        (*jvmti)->RelinquishCapabilities(jvmti, &wanted);
    }
    (*jni)->ExceptionClear(jni);
    java_detach();
}

void jvmti_heal_init(jvmtiEnv *env)
{
    jvmti = env;
    old_code = (struct old_code){goes_at_once, discard_all, discard};
}
