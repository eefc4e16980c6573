import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A database in memory about the lines of a JAR file's sources: they are inserted, looked up, sorted, changed and
 * deleted.
 *
 * <p>Usage: java Database SOURCES.jar LINES
 */
final class Database {
    public static void main(String[] arguments) throws Exception {
        int most = Integer.parseInt(arguments[1]);
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:sources");
                ZipFile sources = new ZipFile(arguments[0])) {
            connection.createStatement().execute(
                    "create table lines(id int primary key, file varchar, line int, text varchar);"
                    + "create index files on lines(file, line)");
            int lines = insert(connection, sources, most);
            System.out.println(lines + " lines, " + lookUp(connection, lines) + " characters looked up, "
                    + sort(connection) + " files sorted, " + change(connection) + " lines changed");
        }
    }

    private static int insert(Connection connection, ZipFile sources, int most) throws IOException, SQLException {
        int id = 0;
        try (PreparedStatement insert = connection.prepareStatement("insert into lines values(?, ?, ?, ?)")) {
            for (ZipEntry entry : (Iterable<ZipEntry>) sources.stream().map(ZipEntry.class::cast)::iterator) {
                if (!entry.getName().endsWith(".java")) continue;
                try (BufferedReader reader = new BufferedReader(
                        new InputStreamReader(sources.getInputStream(entry), StandardCharsets.UTF_8))) {
                    String text;
                    for (int line = 1; id < most && (text = reader.readLine()) != null; line++) {
                        insert.setInt(1, id++);
                        insert.setString(2, entry.getName());
                        insert.setInt(3, line);
                        insert.setString(4, text);
                        insert.execute();
                    }
                }
            }
        }
        return id;
    }

    private static long lookUp(Connection connection, int lines) throws SQLException {
        long characters = 0;
        try (PreparedStatement select = connection.prepareStatement("select text from lines where id = ?")) {
            for (int step = 0; step < lines; step++) {
                select.setInt(1, (int) (step * 7919L % lines));
                try (ResultSet found = select.executeQuery()) {
                    while (found.next()) characters += found.getString(1).length();
                }
            }
        }
        return characters;
    }

    private static int sort(Connection connection) throws SQLException {
        int files = 0;
        String query = "select file, count(*), max(length(text)) from lines group by file order by 3 desc, file";
        try (ResultSet found = connection.createStatement().executeQuery(query)) {
            while (found.next()) files++;
        }
        return files;
    }

    private static int change(Connection connection) throws SQLException {
        return connection.createStatement().executeUpdate("update lines set text = upper(text) where mod(line, 5) = 0")
                + connection.createStatement().executeUpdate("delete from lines where text like '%import%'");
    }
}
