import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** The HTTP calls of the suite's server. */
final class HttpApi {
    private static final String URL = "http://localhost:8000/api/";

    private HttpApi() {}

    /** Publishes a text, as a JSON string. */
    static void publish(String channel, String text) throws IOException {
        post("publish", "{\"channel\":\"%s\",\"data\":\"%s\"}", channel, text);
    }

    static void disconnect(String user, int code) throws IOException {
        post("disconnect", "{\"user\":\"%s\",\"disconnect\":{\"code\":%d,\"reason\":\"test\"}}", user, code);
    }

    static void unsubscribe(String user, String channel) throws IOException {
        post("unsubscribe", "{\"user\":\"%s\",\"channel\":\"%s\"}", user, channel);
    }

    private static void post(String method, String body, Object... values) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(URL + method).openConnection();
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.getOutputStream().write(String.format(body, values).getBytes(StandardCharsets.UTF_8));
        try (InputStream answer = connection.getInputStream()) {
            while (answer.read() >= 0) continue;
        }
    }
}
