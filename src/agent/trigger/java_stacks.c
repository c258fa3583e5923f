#include "agent/trigger/java_stacks.h"

struct java_stacks java_stacks;
