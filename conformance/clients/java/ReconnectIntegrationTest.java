import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.github.centrifugal.centrifuge.ClientState;
import io.github.centrifugal.centrifuge.PublishResult;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import io.github.centrifugal.centrifuge.SubscriptionState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The cases of the client's own class of this name, in our words. */
public class ReconnectIntegrationTest {
    /** What the suite sends to make a client come back. The protocol has no close frame of this code. */
    private static final int COME_BACK = 3000;
    private static final int STAY_AWAY = 3501;
    private static final int TRANSPORT_CLOSED = 1;
    private static final int QUIET_MS = 500;

    private final String user = Peer.unique("user-");
    private final String name = Peer.unique("ch-");

    @Test(timeout = 30_000)
    public void testReconnectsAfterServerDisconnect() throws Exception {
        try (Peer peer = Peer.of(user)) {
            String first = peer.connect().getClient();
            HttpApi.disconnect(user, COME_BACK);
            assertNotEquals(first, peer.connected.next().getClient());
            assertEquals(ClientState.CONNECTED, peer.client.getState());
            peer.connecting.next();
            peer.connecting.next();
            peer.connected.none(0);
        }
    }

    @Test(timeout = 30_000)
    public void testNoReconnectOnTerminalDisconnect() throws Exception {
        try (Peer peer = Peer.of(user)) {
            peer.connect();
            HttpApi.disconnect(user, STAY_AWAY);
            assertEquals(STAY_AWAY, peer.disconnected.next().getCode());
            peer.connected.none(QUIET_MS);
            assertEquals(ClientState.DISCONNECTED, peer.client.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testSubscriptionRestoredAfterServerDisconnect() throws Exception {
        try (Peer peer = Peer.of(user)) {
            peer.connect();
            Channel channel = peer.channel(name);
            channel.subscribe();
            HttpApi.disconnect(user, COME_BACK);
            channel.subscribed.next();
            assertEquals(SubscriptionState.SUBSCRIBED, channel.subscription.getState());
            HttpApi.publish(name, "after");
            assertEquals("\"after\"", channel.publications.next());
        }
    }

    @Test(timeout = 30_000)
    public void testRecoversMissedPublications() throws Exception {
        SubscriptionOptions options = new SubscriptionOptions();
        options.setRecoverable(true);
        options.setPositioned(true);
        try (Peer peer = Peer.of(user)) {
            peer.connect();
            Channel channel = peer.channel(name, options);
            channel.subscribe();
            HttpApi.disconnect(user, COME_BACK);
            for (int i = 1; i <= 3; i++) HttpApi.publish(name, "missed " + i);
            assertTrue(channel.subscribed.next().getRecovered());
            for (int i = 1; i <= 3; i++) assertEquals("\"missed " + i + "\"", channel.publications.next());
            channel.publications.none(0);
        }
    }

    @Test(timeout = 30_000)
    public void testManySubscriptionsRestoredAfterReconnect() throws Exception {
        try (Peer peer = Peer.of(user)) {
            peer.connect();
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 5; i++) channels.add(peer.channel(name + i));
            for (Channel channel : channels) channel.subscribe();
            HttpApi.disconnect(user, COME_BACK);
            for (Channel channel : channels) channel.subscribed.next();
            for (Channel channel : channels) {
                assertEquals(SubscriptionState.SUBSCRIBED, channel.subscription.getState());
                channel.subscribed.none(0);
            }
        }
    }

    @Test(timeout = 30_000)
    public void testServerSideUnsubscribeTerminatesSubscription() throws Exception {
        try (Peer peer = Peer.of(user)) {
            peer.connect();
            Channel channel = peer.channel(name);
            channel.subscribe();
            HttpApi.unsubscribe(user, name);
            assertTrue(channel.unsubscribed.next().getCode() < 2500);
            assertEquals(SubscriptionState.UNSUBSCRIBED, channel.subscription.getState());
            assertEquals(ClientState.CONNECTED, peer.client.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testPublishQueuedDuringReconnectIsDelivered() throws Exception {
        try (Peer peer = Peer.of(user)) {
            peer.connect();
            peer.connecting.next();
            HttpApi.disconnect(user, COME_BACK);
            assertEquals(TRANSPORT_CLOSED, (int) peer.connecting.next().getCode());
            byte[] data = "queued".getBytes(StandardCharsets.UTF_8);
            Peer.<PublishResult>result(done -> peer.client.publish(name, data, done));
            peer.connected.next();
        }
    }

    @Test(timeout = 30_000)
    public void testAutoReconnectFromInitialFailure() throws Exception {
        try (Peer peer = new Peer("ws://127.0.0.1:1/connection/websocket", Peer.impatient())) {
            peer.client.connect();
            for (int i = 0; i < 3; i++) peer.errors.next();
            assertNotEquals(ClientState.CONNECTED, peer.client.getState());
        }
    }
}
