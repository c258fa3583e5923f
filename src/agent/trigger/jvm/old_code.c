#include "agent/trigger/jvm/old_code.h"

struct old_code old_code;
