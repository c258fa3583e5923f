package verify;

/**
 * Six classes behind one call of an interface, a microsecond in each: such calls are not inlined, and go through stubs. Samples in
 * between belong to no part.
 */
final class Megamorphic extends Mix {
    private static final int STEPS = 400;

    Megamorphic() {
        super(1, new int[] {6, 5, 4, 3, 2, 1}, new Calls(new Circle()), new Calls(new Square()), new Calls(new Triangle()),
              new Calls(new Star()), new Calls(new Line()), new Calls(new Point()));
    }

    private static final class Calls extends Piece {
        private final Shape shape;

        Calls(Shape shape) {
            super(shape.getClass().getName() + ".work");
            this.shape = shape;
        }

        @Override
        void work(Worker worker, int times) {
            long x = times;
            for (int i = 0; i < times; i++) {
                x = shape.work(x);
            }
            charge(worker, x);
        }
    }

    private interface Shape {
        long work(long x);
    }

    private static final class Circle implements Shape {
        @Override
        public long work(long x) {
            return Work.spin(x, STEPS);
        }
    }

    private static final class Square implements Shape {
        @Override
        public long work(long x) {
            return Work.spin(x + 1, STEPS);
        }
    }

    private static final class Triangle implements Shape {
        @Override
        public long work(long x) {
            return Work.spin(x + 2, STEPS);
        }
    }

    private static final class Star implements Shape {
        @Override
        public long work(long x) {
            return Work.spin(x + 3, STEPS);
        }
    }

    private static final class Line implements Shape {
        @Override
        public long work(long x) {
            return Work.spin(x + 4, STEPS);
        }
    }

    private static final class Point implements Shape {
        @Override
        public long work(long x) {
            return Work.spin(x + 5, STEPS);
        }
    }
}
