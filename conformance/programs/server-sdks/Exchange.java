import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Sends calls as a Java client does: JSON and X-API-Key by java.net.http; a status of 200 is demanded.
 * Arguments: address and key. Standard input: name, method and parameters of each call, separated by tabs.
 */
final class Exchange {
  private Exchange() {}

  public static void main(String[] args) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] parts = line.split("\t");
      HttpResponse<String> response =
          client.send(
              request(args[0] + "/" + parts[1], args[1], parts[2]),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      byte[] written =
          (response.statusCode() == 200
                  ? parts[0] + "\tanswer\t" + response.body() + "\n"
                  : parts[0] + "\tfailed\tstatus " + response.statusCode() + "\n")
              .getBytes(StandardCharsets.UTF_8);
      System.out.write(written);
      System.out.flush();
    }
  }

  private static HttpRequest request(String address, String key, String body) {
    return HttpRequest.newBuilder(URI.create(address))
        .timeout(Duration.ofSeconds(20))
        .header("Content-Type", "application/json")
        .header("X-API-Key", key)
        .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
        .build();
  }
}
