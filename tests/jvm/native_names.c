/* Native code that uses CPU time: in a function that the library exports, and in the vdso (tests/java/Names.java). */
#include <jni.h>

#include <time.h>

JNIEXPORT jlong JNICALL Java_Names_burn(JNIEnv *jni, jclass unused, jint rounds);
JNIEXPORT jlong JNICALL Java_Names_ask(JNIEnv *jni, jclass unused, jint rounds);

jlong Java_Names_burn(JNIEnv *jni, jclass unused, jint rounds)
{
    jlong sum = 1;
    for (jint i = 0; i < rounds; i++)
        __asm__ volatile("" : "+r"(sum));
    return sum;
}

jlong Java_Names_ask(JNIEnv *jni, jclass unused, jint rounds)
{
    struct timespec t = {0};
    for (jint i = 0; i < rounds; i++)
        clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_nsec;
}
