import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;

import io.github.centrifugal.centrifuge.ClientState;
import io.github.centrifugal.centrifuge.HistoryOptions;
import io.github.centrifugal.centrifuge.HistoryResult;
import io.github.centrifugal.centrifuge.Options;
import io.github.centrifugal.centrifuge.PresenceStatsResult;
import io.github.centrifugal.centrifuge.PublishResult;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import io.github.centrifugal.centrifuge.SubscriptionState;
import java.nio.charset.StandardCharsets;
import org.junit.Test;

/** The cases of the client's own class of this name, in our words. */
public class ClientIntegrationTest {
    private static final int CALLED = 0;

    @Test(timeout = 30_000)
    public void testConnectAndDisconnect() throws Exception {
        try (Peer peer = new Peer()) {
            assertFalse(peer.connect().getClient().isEmpty());
            assertEquals(ClientState.CONNECTED, peer.client.getState());
            peer.client.disconnect();
            assertEquals(CALLED, peer.disconnected.next().getCode());
            assertEquals(ClientState.DISCONNECTED, peer.client.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testSubscribeAndUnsubscribe() throws Exception {
        try (Peer peer = new Peer()) {
            peer.connect();
            Channel channel = peer.channel(Peer.unique("sub-"));
            channel.subscribe();
            assertEquals(SubscriptionState.SUBSCRIBED, channel.subscription.getState());
            channel.subscription.unsubscribe();
            assertEquals(CALLED, (int) channel.unsubscribed.next().getCode());
            assertEquals(SubscriptionState.UNSUBSCRIBED, channel.subscription.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testPublishAndReceive() throws Exception {
        String name = Peer.unique("pub-");
        try (Peer receiver = new Peer(); Peer publisher = new Peer()) {
            receiver.connect();
            publisher.connect();
            Channel channel = receiver.channel(name);
            channel.subscribe();
            publish(publisher, name, "hello");
            assertEquals("hello", channel.publications.next());
        }
    }

    @Test(timeout = 30_000)
    public void testHistory() throws Exception {
        String name = Peer.unique("hist-");
        try (Peer peer = new Peer()) {
            peer.connect();
            Channel channel = peer.channel(name);
            channel.subscribe();
            for (int i = 0; i < 5; i++) publish(peer, name, "message " + i);
            HistoryOptions all = new HistoryOptions.Builder().withLimit(5).build();
            HistoryResult history = Peer.<HistoryResult>result(done -> channel.subscription.history(all, done));
            assertEquals(5, history.getPublications().size());
        }
    }

    @Test(timeout = 30_000)
    public void testPresence() throws Exception {
        String name = Peer.unique("pres-");
        try (Peer one = new Peer(); Peer other = new Peer()) {
            one.connect();
            other.connect();
            Channel channel = one.channel(name);
            channel.subscribe();
            other.channel(name).subscribe();
            PresenceStatsResult stats = Peer.<PresenceStatsResult>result(channel.subscription::presenceStats);
            assertEquals(2, (int) stats.getNumClients());
        }
    }

    @Test(timeout = 30_000)
    public void testJoinLeave() throws Exception {
        String name = Peer.unique("jl-");
        try (Peer watcher = new Peer(); Peer guest = new Peer()) {
            watcher.connect();
            String id = guest.connect().getClient();
            Channel watched = watcher.channel(name, joinLeave());
            watched.subscribe();
            Channel visited = guest.channel(name, joinLeave());
            visited.subscribe();
            String joined;
            // Its own join comes first.
            do joined = watched.joins.next().getInfo().getClient(); while (!joined.equals(id));
            visited.subscription.unsubscribe();
            assertEquals(id, watched.leaves.next().getInfo().getClient());
        }
    }

    @Test(timeout = 30_000)
    public void testConnectsWithToken() throws Exception {
        try (Peer peer = Peer.of("user-42")) {
            assertFalse(peer.connect().getClient().isEmpty());
        }
    }

    @Test(timeout = 30_000)
    public void testConnectsWithBadTokenIsUnauthorized() throws Exception {
        Options options = new Options();
        options.setToken("not.a.token");
        try (Peer peer = new Peer(options)) {
            peer.client.connect();
            assertNotEquals(CALLED, peer.disconnected.next().getCode());
        }
    }

    @Test(timeout = 30_000)
    public void testSubscribesWithToken() throws Exception {
        String name = Peer.unique("tok-");
        SubscriptionOptions options = new SubscriptionOptions();
        options.setToken(Tokens.subscription("user-42", name));
        try (Peer peer = Peer.of("user-42")) {
            peer.connect();
            Channel channel = peer.channel(name, options);
            channel.subscribe();
            assertEquals(SubscriptionState.SUBSCRIBED, channel.subscription.getState());
        }
    }

    @Test(timeout = 30_000)
    public void testConnectDisconnectLoop() throws Exception {
        for (int i = 0; i < 5; i++) {
            try (Peer peer = new Peer()) {
                peer.connect();
                peer.client.disconnect();
                peer.disconnected.next();
            }
        }
    }

    private static SubscriptionOptions joinLeave() {
        SubscriptionOptions options = new SubscriptionOptions();
        options.setJoinLeave(true);
        return options;
    }

    private static void publish(Peer peer, String channel, String text) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Peer.<PublishResult>result(done -> peer.client.publish(channel, bytes, done));
    }
}
