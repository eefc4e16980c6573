import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/**
 * Compresses files by LZ4, and what comes of it is expanded and compared.
 *
 * <p>Usage: java Compressor FILE...
 */
final class Compressor {
    public static void main(String[] arguments) throws IOException {
        LZ4Factory factory = LZ4Factory.safeInstance();
        for (String file : arguments) {
            byte[] bytes = Files.readAllBytes(Path.of(file));
            for (LZ4Compressor compressor : new LZ4Compressor[] {factory.fastCompressor(), factory.highCompressor()}) {
                byte[] packed = compressor.compress(bytes);
                byte[] expanded = factory.fastDecompressor().decompress(packed, bytes.length);
                System.out.println(bytes.length + " bytes are " + packed.length + ", "
                        + (Arrays.equals(bytes, expanded) ? "and back" : "and something else"));
            }
        }
    }
}
