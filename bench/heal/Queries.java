import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A database in memory (H2) under a load of queries and updates, on every core. Queries SECONDS */
public final class Queries {
    private static final int ROWS = 2000;

    private static void fill(Connection database) throws SQLException {
        database.createStatement().execute("create table account(id int primary key, owner varchar(40), branch int, balance bigint)");
        database.createStatement().execute("create index by_branch on account(branch)");
        try (PreparedStatement insert = database.prepareStatement("insert into account values(?, ?, ?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "owner " + i);
                insert.setInt(3, i % 20);
                insert.setLong(4, i * 100L);
                insert.execute();
            }
        }
    }

    private static void load(long end) {
        try (Connection database = DriverManager.getConnection("jdbc:h2:mem:heal")) {
            for (int i = 0; System.nanoTime() < end; i++) {
                database.createStatement().execute("update account set balance = balance + 1 where id = " + i * 31 % ROWS);
                ResultSet rows = database.createStatement().executeQuery(
                        "select a.branch, count(*), sum(a.balance), max(upper(a.owner)) from account a where a.branch = " + i % 20
                                + " group by a.branch order by 2");
                while (rows.next())
                    rows.getLong(3);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        try (Connection kept = DriverManager.getConnection("jdbc:h2:mem:heal")) {
            fill(kept);
            Thread[] threads = new Thread[Runtime.getRuntime().availableProcessors()];
            for (int i = 0; i < threads.length; i++)
                (threads[i] = new Thread(() -> load(end), "client-" + i)).start();
            for (Thread thread : threads)
                thread.join();
        }
    }
}
