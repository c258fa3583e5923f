#include "agent/trigger/jvm/lock_events.h"

struct lock_events lock_events;
