import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.github.centrifugal.centrifuge.ClientState;
import io.github.centrifugal.centrifuge.ConnectionTokenEvent;
import io.github.centrifugal.centrifuge.ConnectionTokenGetter;
import io.github.centrifugal.centrifuge.DuplicateSubscriptionException;
import io.github.centrifugal.centrifuge.Options;
import io.github.centrifugal.centrifuge.RPCResult;
import io.github.centrifugal.centrifuge.ReplyError;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import io.github.centrifugal.centrifuge.SubscriptionState;
import io.github.centrifugal.centrifuge.SubscriptionTokenEvent;
import io.github.centrifugal.centrifuge.SubscriptionTokenGetter;
import io.github.centrifugal.centrifuge.TokenCallback;
import io.github.centrifugal.centrifuge.UnauthorizedException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

/** The cases of the client's own class of this name, in our words. */
public class AdvancedClientIntegrationTest {
    private static final int UNAUTHORIZED = 1;
    private static final int QUIET_MS = 200;

    @Test(timeout = 30_000)
    public void testTokenRefreshAfterServerRejectsExpiredToken() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Options options = Peer.impatient();
        options.setToken(Tokens.connection("user-42", -10));
        options.setTokenGetter(new ConnectionTokenGetter() {
            @Override
            public void getConnectionToken(ConnectionTokenEvent event, TokenCallback answer) {
                asked.incrementAndGet();
                answer.Done(null, Tokens.connection("user-42", 60));
            }
        });
        try (Peer peer = new Peer(options)) {
            peer.connect();
            assertTrue(asked.get() >= 1);
            assertEquals(ClientState.CONNECTED, peer.client.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testTokenGetterUnauthorizedDisconnects() throws Exception {
        Options options = Peer.impatient();
        options.setTokenGetter(new ConnectionTokenGetter() {
            @Override
            public void getConnectionToken(ConnectionTokenEvent event, TokenCallback answer) {
                answer.Done(new UnauthorizedException(), null);
            }
        });
        try (Peer peer = new Peer(options)) {
            peer.client.connect();
            assertEquals(UNAUTHORIZED, peer.disconnected.next().getCode());
            peer.connected.none(QUIET_MS);
            assertEquals(ClientState.DISCONNECTED, peer.client.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testSubscriptionTokenAutoRefresh() throws Exception {
        SubscriptionOptions options = new SubscriptionOptions();
        options.setTokenGetter(new SubscriptionTokenGetter() {
            @Override
            public void getSubscriptionToken(SubscriptionTokenEvent event, TokenCallback answer) {
                answer.Done(null, Tokens.subscription("user-42", event.getChannel()));
            }
        });
        try (Peer peer = Peer.of("user-42")) {
            peer.connect();
            Channel channel = peer.channel(Peer.unique("ch-"), options);
            channel.subscribe();
            assertEquals(SubscriptionState.SUBSCRIBED, channel.subscription.getState());
            channel.errors.none(0);
        }
    }

    @Test(timeout = 30_000)
    public void testRpcUnknownMethodReturnsError() throws Exception {
        try (Peer peer = new Peer()) {
            peer.connect();
            Throwable cause = assertThrows(
                ExecutionException.class,
                () -> Peer.<RPCResult>result(done -> peer.client.rpc("nothing", new byte[0], done))
            ).getCause();
            assertNotEquals(0, ((ReplyError) cause).getCode());
        }
    }

    @Test(timeout = 30_000)
    public void testSubscribeBeforeConnect() throws Exception {
        try (Peer peer = new Peer()) {
            Channel channel = peer.channel(Peer.unique("ch-"));
            channel.subscription.subscribe();
            Events.until("subscribing", () -> channel.subscription.getState() == SubscriptionState.SUBSCRIBING);
            peer.client.connect();
            channel.subscribed.next();
            assertEquals(SubscriptionState.SUBSCRIBED, channel.subscription.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testDuplicateSubscriptionThrows() throws Exception {
        try (Peer peer = new Peer()) {
            // Closing one that never connected fails in this release.
            peer.connect();
            peer.channel("twice");
            assertThrows(DuplicateSubscriptionException.class, () -> peer.channel("twice"));
        }
    }

    @Test(timeout = 30_000)
    public void testRemoveSubscriptionUnsubscribesAndDeregisters() throws Exception {
        String name = Peer.unique("ch-");
        try (Peer peer = new Peer()) {
            peer.connect();
            Channel channel = peer.channel(name);
            channel.subscribe();
            peer.client.removeSubscription(channel.subscription);
            channel.unsubscribed.next();
            assertEquals(SubscriptionState.UNSUBSCRIBED, channel.subscription.getState());
            assertNull(peer.client.getSubscription(name));
            assertNotSame(channel.subscription, peer.channel(name).subscription);
        }
    }

    @Test(timeout = 30_000)
    public void testBurstPublicationsArriveInOrder() throws Exception {
        String name = Peer.unique("ch-");
        try (Peer peer = new Peer()) {
            peer.connect();
            Channel channel = peer.channel(name);
            channel.subscribe();
            for (int i = 0; i < 50; i++) HttpApi.publish(name, "message " + i);
            for (int i = 0; i < 50; i++) assertEquals("\"message " + i + "\"", channel.publications.next());
        }
    }
}
