#include "agent/trigger/jvm/java_stacks.h"

struct java_stacks java_stacks;
