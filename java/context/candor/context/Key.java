package candor.context;

/** The name of a label. Made once, by {@link Candor#key}, and kept. */
public final class Key {
    final String name;
    private volatile Texts texts; /* null: not requested yet, or refused */
    private volatile boolean refused;

    Key(String name) {
        this.name = name;
    }

    /** Null if there is nothing to set. */
    Texts.Encoded encode(String value) {
        Texts known = texts;
        if (known == null) {
            int number = refused ? -1 : Native.key(name);
            if (number < 0) {
                refused = true;
                return null;
            }
            texts = known = new Texts(number);
        }
        return known.get(value);
    }

    @Override
    public String toString() {
        return name;
    }
}
