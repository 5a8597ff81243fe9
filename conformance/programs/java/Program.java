import io.github.centrifugal.centrifuge.Client;
import io.github.centrifugal.centrifuge.ClientInfo;
import io.github.centrifugal.centrifuge.ConnectedEvent;
import io.github.centrifugal.centrifuge.EventListener;
import io.github.centrifugal.centrifuge.HistoryOptions;
import io.github.centrifugal.centrifuge.HistoryResult;
import io.github.centrifugal.centrifuge.Options;
import io.github.centrifugal.centrifuge.PresenceResult;
import io.github.centrifugal.centrifuge.PublicationEvent;
import io.github.centrifugal.centrifuge.ResultCallback;
import io.github.centrifugal.centrifuge.SubscribedEvent;
import io.github.centrifugal.centrifuge.Subscription;
import io.github.centrifugal.centrifuge.SubscriptionEventListener;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Runs one session with a release of centrifuge-java and prints what it saw, a line for each step: see ../README.md. */
public final class Program {
    private static final long PATIENCE_SECONDS = 20;
    private static final BlockingQueue<ConnectedEvent> CONNECTED = new LinkedBlockingQueue<>();
    private static final BlockingQueue<SubscribedEvent> SUBSCRIBED = new LinkedBlockingQueue<>();
    private static final BlockingQueue<String> NUMBERS = new LinkedBlockingQueue<>();

    /** The second argument names the encoding: this client knows Protobuf alone. */
    public static void main(String[] args) throws Exception {
        Options options = new Options();
        options.setToken(args[3]);
        options.setMinReconnectDelay(50);
        options.setMaxReconnectDelay(200);
        Client client = new Client(args[0], options, new EventListener() {
            @Override
            public void onConnected(Client source, ConnectedEvent event) {
                CONNECTED.add(event);
            }
        });
        SubscriptionOptions subscriptionOptions = new SubscriptionOptions();
        subscriptionOptions.setToken(args[4]);
        Subscription subscription = client.newSubscription(args[2], subscriptionOptions, new SubscriptionEventListener() {
            @Override
            public void onSubscribed(Subscription source, SubscribedEvent event) {
                SUBSCRIBED.add(event);
            }

            @Override
            public void onPublication(Subscription source, PublicationEvent event) {
                NUMBERS.add(decode(event.getData()));
            }
        });

        client.connect();
        next(CONNECTED);
        System.out.println("connect");
        subscription.subscribe();
        next(SUBSCRIBED);
        System.out.println("subscribe");
        System.out.println("receive " + next(NUMBERS));
        Program.<io.github.centrifugal.centrifuge.PublishResult>result(
            callback -> subscription.publish("{\"n\":2}".getBytes(StandardCharsets.UTF_8), callback));
        System.out.println("publish " + next(NUMBERS));
        HistoryOptions latest = new HistoryOptions.Builder().withLimit(10).build();
        HistoryResult history = Program.<HistoryResult>result(callback -> subscription.history(latest, callback));
        System.out.println("history " + history.getPublications().stream()
            .map(publication -> decode(publication.getData())).collect(Collectors.joining(" ")));
        PresenceResult presence = Program.<PresenceResult>result(subscription::presence);
        System.out.println("presence " + presence.getClients().values().stream()
            .map(ClientInfo::getUser).collect(Collectors.joining(" ")));
        SubscribedEvent back = next(SUBSCRIBED);
        String outcome = back.getRecovered() ? "recovered" : "not recovered";
        System.out.println(String.join(" ", "recovery", outcome, next(NUMBERS), next(NUMBERS), next(NUMBERS)));
        client.close(1000);
        // The client's HTTP stack keeps threads that would let the program wait for a minute.
        System.exit(0);
    }

    /** The number in {@code {"n":1}}. */
    private static String decode(byte[] data) {
        return new String(data, StandardCharsets.UTF_8).replaceAll("\\D", "");
    }

    private static <T> T next(BlockingQueue<T> events) throws Exception {
        T event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (event == null) throw new TimeoutException("nothing came");
        return event;
    }

    private static <T> T result(Consumer<ResultCallback<T>> call) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        call.accept((error, result) -> {
            if (error == null) done.complete(result);
            else done.completeExceptionally(error);
        });
        return done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
