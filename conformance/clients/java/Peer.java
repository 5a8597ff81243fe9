import io.github.centrifugal.centrifuge.Client;
import io.github.centrifugal.centrifuge.ConnectedEvent;
import io.github.centrifugal.centrifuge.ConnectingEvent;
import io.github.centrifugal.centrifuge.DisconnectedEvent;
import io.github.centrifugal.centrifuge.DuplicateSubscriptionException;
import io.github.centrifugal.centrifuge.ErrorEvent;
import io.github.centrifugal.centrifuge.EventListener;
import io.github.centrifugal.centrifuge.Options;
import io.github.centrifugal.centrifuge.ResultCallback;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A client of the suite's server with its events. */
final class Peer implements AutoCloseable {
    static final String URL = "ws://localhost:8000/connection/websocket";

    final Events<ConnectingEvent> connecting = new Events<>("connecting");
    final Events<ConnectedEvent> connected = new Events<>("connected");
    final Events<DisconnectedEvent> disconnected = new Events<>("disconnected");
    final Events<ErrorEvent> errors = new Events<>("error");
    final Client client;

    Peer(String url, Options options) {
        client = new Client(url, options, new EventListener() {
            @Override
            public void onConnecting(Client source, ConnectingEvent event) {
                connecting.add(event);
            }

            @Override
            public void onConnected(Client source, ConnectedEvent event) {
                connected.add(event);
            }

            @Override
            public void onDisconnected(Client source, DisconnectedEvent event) {
                disconnected.add(event);
            }

            @Override
            public void onError(Client source, ErrorEvent event) {
                errors.add(event);
            }
        });
    }

    Peer(Options options) {
        this(URL, options);
    }

    /** An anonymous one. */
    Peer() {
        this(new Options());
    }

    /** One of a user, that comes back quickly. */
    static Peer of(String user) {
        Options options = impatient();
        options.setToken(Tokens.connection(user));
        return new Peer(options);
    }

    static Options impatient() {
        Options options = new Options();
        options.setMinReconnectDelay(20);
        options.setMaxReconnectDelay(200);
        return options;
    }

    /** Connects and waits for it. */
    ConnectedEvent connect() throws InterruptedException {
        client.connect();
        return connected.next();
    }

    Channel channel(String name) throws DuplicateSubscriptionException {
        return channel(name, new SubscriptionOptions());
    }

    Channel channel(String name, SubscriptionOptions options) throws DuplicateSubscriptionException {
        return new Channel(client, name, options);
    }

    /** Waits for what a call answers; its error is thrown. */
    static <T> T result(Consumer<ResultCallback<T>> call) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        call.accept((error, result) -> {
            if (error == null) done.complete(result);
            else done.completeExceptionally(error);
        });
        return done.get(10, TimeUnit.SECONDS);
    }

    /** A name that nobody has used. */
    static String unique(String prefix) {
        return prefix + UUID.randomUUID();
    }

    @Override
    public void close() throws InterruptedException {
        client.close(2000);
    }
}
