#include "analysis/known/jvm_flags.h"

const struct known_flag known_flags[] = {
    {"-Xint", FLAG_IS_SLOW, 95, "nothing is compiled: the program runs interpreted, some twenty times as slow"},
    {"-Djava.compiler=NONE", FLAG_IS_SLOW, 95, "nothing is compiled: the program runs interpreted, some twenty times as slow"},
    {"-XX:-UseCompiler", FLAG_IS_SLOW, 95, "nothing is compiled: the program runs interpreted, some twenty times as slow"},
    {"-Xcomp", FLAG_IS_SLOW, 75,
     "each method is compiled before it first runs, without knowing how it is used: slow to start, and worse code"},
    {"-XX:TieredStopAtLevel=0", FLAG_IS_SLOW, 95, "nothing is compiled: the program runs interpreted, some twenty times as slow"},
    {"-XX:TieredStopAtLevel=1", FLAG_IS_SLOW, 50,
     "the optimising compiler (C2) is off: good for short commands, two to three times as slow for services"},
    {"-XX:TieredStopAtLevel=2", FLAG_IS_SLOW, 60, "the optimising compiler (C2) is off, and the code counts its calls"},
    {"-XX:TieredStopAtLevel=3", FLAG_IS_SLOW, 70, "the optimising compiler (C2) is off, and the code profiles itself for it"},
    {"-Xcheck:jni", FLAG_IS_SLOW, 60, "each call between Java and native code is checked: for tests"},
    {"-XX:-Inline", FLAG_IS_SLOW, 80, "compilers do not inline methods"},
    {"-XX:-UseTLAB", FLAG_IS_SLOW, 75, "threads allocate from one shared place, one after the other"},
    {"-XX:-UseOnStackReplacement", FLAG_IS_SLOW, 60, "a loop that has begun interpreted stays so until it ends"},
    {"-XX:-BackgroundCompilation", FLAG_IS_SLOW, 60, "threads wait until methods are compiled"},
    {"-XX:+VerifyBeforeGC", FLAG_IS_SLOW, 80, "the whole heap is checked before each collection: for tests"},
    {"-XX:+VerifyAfterGC", FLAG_IS_SLOW, 80, "the whole heap is checked after each collection: for tests"},
    {"-XX:+ExtendedDTraceProbes", FLAG_IS_SLOW, 60, "each allocation and each call is reported to DTrace"},
    {"-XX:+DTraceAllocProbes", FLAG_IS_SLOW, 60, "each allocation is reported to DTrace"},
    {"-XX:+DTraceMethodProbes", FLAG_IS_SLOW, 60, "each call is reported to DTrace"},
    {"-Xverify:none", FLAG_IS_RISKY, 50, "classes are not verified: broken bytecode may crash the JVM"},
    {"-noverify", FLAG_IS_RISKY, 50, "classes are not verified: broken bytecode may crash the JVM"},
    {"-XX:-BytecodeVerificationRemote", FLAG_IS_RISKY, 50, "classes are not verified: broken bytecode may crash the JVM"},
    {"-Xnoclassgc", FLAG_IS_RISKY, 50, "classes are never unloaded: generated ones fill the memory"},
    {"-XX:-ClassUnloading", FLAG_IS_RISKY, 50, "classes are never unloaded: generated ones fill the memory"},
    {"-XX:+UseEpsilonGC", FLAG_IS_RISKY, 60, "nothing is collected: the program ends when its heap is full"},
    {"-XX:-UseGCOverheadLimit", FLAG_IS_RISKY, 40, "a program whose heap is full collects without end, where it would fail with an error"},
    {"-XX:-StackTraceInThrowable", FLAG_IS_RISKY, 60, "exceptions have no stack trace: no log says where they come from"},
    {"-XX:+IgnoreUnrecognizedVMOptions", FLAG_IS_RISKY, 30,
     "flags that this JVM does not know, and misspelt ones, are passed over in silence"},
    {"-XX:+DisableAttachMechanism", FLAG_IS_RISKY, 30, "jcmd, jstack and candor cannot attach, when they are needed"},
};

const size_t known_flag_count = sizeof known_flags / sizeof *known_flags;

#define SHARING   "-Xshare:auto, which is the default"
#define LIKE_THIS "nothing; leave it out"
#define HEAP_PART "MaxRAMPercentage and InitialRAMPercentage"

const struct outdated_flag outdated_flags[] = {
    {"UseConcMarkSweepGC", 9, 14, 17, "-XX:+UseG1GC, or -XX:+UseZGC where pauses must be short"},
    {"UseParNewGC", 9, 0, 11, "-XX:+UseG1GC or -XX:+UseParallelGC"},
    {"-Xincgc", 8, 0, 17, "-XX:+UseG1GC"},
    {"UseParallelOldGC", 14, 15, 17, "-XX:+UseParallelGC, which includes it"},
    {"PermSize", 0, 8, 17, "MetaspaceSize"},
    {"MaxPermSize", 0, 8, 17, "MaxMetaspaceSize, if it must be bounded"},
    {"UseStringCache", 0, 8, 11, LIKE_THIS},
    {"UseSplitVerifier", 0, 8, 11, LIKE_THIS},
    {"AggressiveOpts", 11, 12, 17, LIKE_THIS},
    {"UseBiasedLocking", 15, 18, 21, LIKE_THIS},
    {"BiasedLockingStartupDelay", 15, 18, 21, LIKE_THIS},
    {"MaxRAMFraction", 10, 0, 25, HEAP_PART},
    {"MinRAMFraction", 10, 0, 25, "MinRAMPercentage"},
    {"InitialRAMFraction", 10, 0, 25, HEAP_PART},
    {"MaxGCMinorPauseMillis", 8, 0, 25, "MaxGCPauseMillis"},
    {"UseMembar", 10, 0, 17, LIKE_THIS},
    {"AssumeMP", 10, 0, 17, LIKE_THIS},
    {"MonitorInUseLists", 10, 0, 17, LIKE_THIS},
    {"CriticalJNINatives", 16, 18, 21, "plain JNI"},
    {"UseSharedSpaces", 18, 19, 0, SHARING},
    {"RequireSharedSpaces", 18, 19, 0, "-Xshare:on"},
    {"ZGenerational", 23, 24, 27, "-XX:+UseZGC alone, which is generational"},
    {"LockingMode", 24, 0, 27, LIKE_THIS},
    {"UseCompressedClassPointers", 25, 27, 0, LIKE_THIS},
    {"ParallelRefProcEnabled", 0, 27, 0, LIKE_THIS},
    {"MaxRAM", 0, 27, 0, "-Xmx, or MaxRAMPercentage"},
    {"AlwaysActAsServerClassMachine", 0, 27, 0, "the name of a collector: -XX:+UseG1GC"},
    {"NeverActAsServerClassMachine", 0, 27, 0, "the name of a collector: -XX:+UseSerialGC"},
    {"FlightRecorder", 13, 0, 0, "-XX:StartFlightRecording"},
    {"PrintGC", 9, 0, 0, "-Xlog:gc"},
    {"PrintGCDetails", 9, 0, 0, "-Xlog:gc*"},
    {"AllowRedefinitionToAddDeleteMethods", 13, 0, 0, "a restart"},
    {"-Djava.security.manager", 17, 0, 25, "limits of the container or of the user"},
};

const size_t outdated_flag_count = sizeof outdated_flags / sizeof *outdated_flags;
