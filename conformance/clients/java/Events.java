import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Events of one kind, in the order of their arrival. */
final class Events<T> {
    private static final long PATIENCE_MS = 10_000;

    private final BlockingQueue<T> queue = new LinkedBlockingQueue<>();
    private final String kind;

    Events(String kind) {
        this.kind = kind;
    }

    void add(T event) {
        queue.add(event);
    }

    /** Waits for the next one. */
    T next() throws InterruptedException {
        T event = queue.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertNotNull("nothing came: " + kind, event);
        return event;
    }

    /** None comes in this time. */
    void none(long ms) throws InterruptedException {
        T event = queue.poll(ms, TimeUnit.MILLISECONDS);
        assertEquals("one too many: " + kind, null, event);
    }

    /** Waits until a condition holds. */
    static void until(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) throw new AssertionError("did not happen: " + what);
            Thread.sleep(10);
        }
    }
}
