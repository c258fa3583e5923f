"""Places.java: loads in places where a stack walk is difficult."""
import candortest as ct

DEPTH_CAP = 2000  # nearly FRAMES_MAX of hot/record.h: deeper stacks are cut by design


def loads(jdk):
    """Their names."""
    with ct.Jvm(jdk, "Places") as jvm:
        jvm.expect("ready")
        return jvm.round()["loads"].split(",")
