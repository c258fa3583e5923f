import org.candor.jmh.CandorProfiler;
import org.openjdk.jmh.profile.ProfilerException;

/** JMH finds a profiler by the name of its class: this class is for {@code -prof candor}. */
public final class candor extends CandorProfiler {
    /** For JMH's list of all profilers. */
    public candor() {
    }

    public candor(String options) throws ProfilerException {
        super(options);
    }
}
