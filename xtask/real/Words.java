import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Words counted, and text compressed, by two threads: java Words ROUNDS
 *
 * <p>The virtual machine keeps its objects in a heap of its own; it asks malloc for what its compiler, its classes, its
 * collector and its native libraries need. Prints sums only.
 */
public final class Words {
    private Words() {}

    private static String work(final int seed, final int rounds) throws Exception {
        long state = seed;
        final CRC32 sum = new CRC32();
        final TreeMap<String, Integer> counts = new TreeMap<>();
        for (int round = 0; round < rounds; round++) {
            final StringBuilder text = new StringBuilder();
            for (int i = 0; i < 2000; i++) {
                state = (state * 1103515245L + 12345L) & 0x7fffffffL;
                text.append("word").append((state >> 8) % 700).append(' ');
            }
            for (final String word : text.toString().split(" ")) {
                counts.merge(word, 1, Integer::sum);
            }
            final Deflater deflater = new Deflater(1 + round % 9);
            deflater.setInput(text.toString().getBytes("UTF-8"));
            deflater.finish();
            final byte[] packed = new byte[1 << 16];
            sum.update(packed, 0, deflater.deflate(packed));
            if (round % 2 == 0) {
                deflater.end();
            }
        }
        return counts.size() + " words, first " + counts.firstEntry() + ", checksum " + sum.getValue();
    }

    public static void main(final String[] arguments) throws Exception {
        final int rounds = Integer.parseInt(arguments[0]);
        final ExecutorService threads = Executors.newFixedThreadPool(2);
        final List<Future<String>> results = new ArrayList<>();
        for (int seed = 1; seed <= 4; seed++) {
            final int mine = seed;
            results.add(threads.submit(() -> work(mine, rounds)));
        }
        for (final Future<String> result : results) {
            System.out.println(result.get());
        }
        threads.shutdown();
    }
}
