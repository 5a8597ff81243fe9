import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tokens of the suite: HS256 with its secret. */
final class Tokens {
    private static final String SECRET = "secret";
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private Tokens() {}

    static String connection(String user) {
        return sign(String.format("{\"sub\":\"%s\"}", user));
    }

    /** One that ends this many seconds from now. */
    static String connection(String user, long seconds) {
        return sign(String.format("{\"sub\":\"%s\",\"exp\":%d}", user, System.currentTimeMillis() / 1000 + seconds));
    }

    static String subscription(String user, String channel) {
        return sign(String.format("{\"sub\":\"%s\",\"channel\":\"%s\"}", user, channel));
    }

    private static String sign(String claims) {
        String input = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + encode(claims);
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return input + "." + BASE64.encodeToString(mac.doFinal(input.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String encode(String text) {
        return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
