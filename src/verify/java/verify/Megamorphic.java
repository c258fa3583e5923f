package verify;

/**
 * Six classes behind one call of an interface, a microsecond in each: such calls are not inlined and go through stubs. What a
 * sampler sees on the way belongs to no part.
 */
final class Megamorphic extends Mix {
    private static final int STEPS = 400;

    private interface Shape {
        long step(long x);
    }

    private static final class Circle implements Shape {
        @Override
        public long step(long x) {
            return Work.spin(x, STEPS);
        }
    }

    private static final class Square implements Shape {
        @Override
        public long step(long x) {
            return Work.spin(x + 1, STEPS);
        }
    }

    private static final class Triangle implements Shape {
        @Override
        public long step(long x) {
            return Work.spin(x + 2, STEPS);
        }
    }

    private static final class Star implements Shape {
        @Override
        public long step(long x) {
            return Work.spin(x + 3, STEPS);
        }
    }

    private static final class Line implements Shape {
        @Override
        public long step(long x) {
            return Work.spin(x + 4, STEPS);
        }
    }

    private static final class Point implements Shape {
        @Override
        public long step(long x) {
            return Work.spin(x + 5, STEPS);
        }
    }

    private final Shape[] shapes = {new Circle(), new Square(), new Triangle(), new Star(), new Line(), new Point()};

    Megamorphic() {
        super(1, new String[] {"Megamorphic$Circle.step", "Megamorphic$Square.step", "Megamorphic$Triangle.step",
                               "Megamorphic$Star.step", "Megamorphic$Line.step", "Megamorphic$Point.step"},
              6, 5, 4, 3, 2, 1);
    }

    @Override
    long piece(int part, int times) {
        return calls(shapes[part], times);
    }

    private static long calls(Shape shape, int times) {
        long x = times;
        for (int i = 0; i < times; i++) {
            x = shape.step(x);
        }
        return x;
    }
}
