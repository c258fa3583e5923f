package candor.context.bridge;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A map from objects, by identity, which does not keep them alive. For Candor's own bridges to libraries for tracing; it may change with
 * any version. A value must not refer to its key.
 */
public final class WeakKeys<K, V> {
    private final ConcurrentHashMap<Object, V> values = new ConcurrentHashMap<>();
    private final ReferenceQueue<K> gone = new ReferenceQueue<>();

    /** Null if there is none. */
    public V get(K key) {
        return values.get(new Probe(key));
    }

    /** Returns the value that the key has from now on: the earlier one, if there is one. */
    public V putIfAbsent(K key, V value) {
        for (Reference<?> one = gone.poll(); one != null; one = gone.poll()) {
            values.remove(one);
        }
        V first = values.putIfAbsent(new Kept<>(key, gone), value);
        return first != null ? first : value;
    }

    private static final class Kept<K> extends WeakReference<K> {
        private final int hash;

        Kept(K key, ReferenceQueue<K> gone) {
            super(key, gone);
            hash = System.identityHashCode(key);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return this == other || (other instanceof Kept && get() != null && ((Kept<?>) other).get() == get());
        }
    }

    /** To look up by. */
    private static final class Probe {
        private final Object key;

        Probe(Object key) {
            this.key = key;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(key);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Kept && ((Kept<?>) other).get() == key;
        }
    }
}
