package divisions;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A benchmark whose hottest region is known by sight: a loop around a division, in a method of its own. */
@State(Scope.Thread)
public class Divisions {
    private long x = 1;
    private long by = 7;

    @Benchmark
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public long divide() {
        long sum = x;
        for (int i = 0; i < 10_000; i++) {
            sum = (sum + ((long) i << 40)) / by + 0x123456789abcdefL;
        }
        x = sum;
        return sum;
    }
}
