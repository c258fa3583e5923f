import java.util.HashMap;
import java.util.Map;

/** Something to record, with names beyond ASCII: Busy SECONDS. */
public class Busy {
    static long größe(Map<String, String> map) {
        return map.hashCode();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L, sum = 0;
        Map<String, String> map = new HashMap<>();
        Thread.currentThread().setName("haupt-日本-\ud834\udd1e");
        while (System.nanoTime() < end)
            for (int i = 0; i < 1000; i++) {
                map.put("k\u00e9\u4e2d" + i % 500, "v" + i);
                sum += größe(map);
            }
        System.out.println(sum);
    }
}
