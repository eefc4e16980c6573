/** Allocates arrays of lengths that nothing else has, in as many threads as it is told. */
public final class Arrays {
    static volatile Object[] dead;
    static final java.util.List<Object> kept = new java.util.ArrayList<>();

    static void fill(int count) {
        Object[] arrays = new Object[count];
        for (int number = 0; number < count; number++) {
            // The virtual machine makes a clone itself.
            arrays[number] = number % 2 == 0 ? new byte[10_003] : ((byte[]) arrays[number - 1]).clone();
        }
        dead = arrays;
    }

    /** Arguments: arrays that die, arrays that stay, threads, whether a collection is asked for between. */
    public static void main(String[] arguments) throws InterruptedException {
        int dying = Integer.parseInt(arguments[0]);
        int staying = Integer.parseInt(arguments[1]);
        Thread[] threads = new Thread[Integer.parseInt(arguments[2])];
        for (int number = 0; number < threads.length; number++) {
            threads[number] = new Thread(() -> fill(dying));
            threads[number].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        dead = null;
        if (Boolean.parseBoolean(arguments[3])) {
            System.gc();
        }
        for (int number = 0; number < staying; number++) {
            kept.add(number % 2 == 0 ? new long[777] : ((long[]) kept.get(number - 1)).clone());
        }
    }
}
