import jdk.jfr.Event;
import jdk.jfr.Name;

/** Events of a program that reveals secrets, in texts that the flight recorder keeps in its pool of strings. */
public class Secrets {
    @Name("test.Login")
    static class Login extends Event {
        String key;
        String value;
        String message;
        int number;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 20; i++) {
            Login login = new Login();
            login.key = i % 2 == 0 ? "db.password" : "db.user.name.of.some.length";
            login.value = i % 2 == 0 ? "hunter2 of some length that is pooled" : "a value of some length that is pooled";
            login.message = "connecting to jdbc:x://bob:hunter2@db/shop?token=hunter2&x=1 as of now";
            login.number = i;
            login.commit();
        }
    }
}
