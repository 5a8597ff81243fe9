import io.github.centrifugal.centrifuge.Client;
import io.github.centrifugal.centrifuge.DuplicateSubscriptionException;
import io.github.centrifugal.centrifuge.JoinEvent;
import io.github.centrifugal.centrifuge.LeaveEvent;
import io.github.centrifugal.centrifuge.PublicationEvent;
import io.github.centrifugal.centrifuge.SubscribedEvent;
import io.github.centrifugal.centrifuge.Subscription;
import io.github.centrifugal.centrifuge.SubscriptionErrorEvent;
import io.github.centrifugal.centrifuge.SubscriptionEventListener;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import io.github.centrifugal.centrifuge.UnsubscribedEvent;
import java.nio.charset.StandardCharsets;

/** A subscription with its events. */
final class Channel {
    final Events<SubscribedEvent> subscribed = new Events<>("subscribed");
    final Events<UnsubscribedEvent> unsubscribed = new Events<>("unsubscribed");
    final Events<String> publications = new Events<>("publication");
    final Events<JoinEvent> joins = new Events<>("join");
    final Events<LeaveEvent> leaves = new Events<>("leave");
    final Events<SubscriptionErrorEvent> errors = new Events<>("subscription error");
    final Subscription subscription;

    Channel(Client client, String name, SubscriptionOptions options) throws DuplicateSubscriptionException {
        options.setMinResubscribeDelay(20);
        options.setMaxResubscribeDelay(200);
        subscription = client.newSubscription(name, options, new SubscriptionEventListener() {
            @Override
            public void onSubscribed(Subscription source, SubscribedEvent event) {
                subscribed.add(event);
            }

            @Override
            public void onUnsubscribed(Subscription source, UnsubscribedEvent event) {
                unsubscribed.add(event);
            }

            @Override
            public void onPublication(Subscription source, PublicationEvent event) {
                publications.add(new String(event.getData(), StandardCharsets.UTF_8));
            }

            @Override
            public void onJoin(Subscription source, JoinEvent event) {
                joins.add(event);
            }

            @Override
            public void onLeave(Subscription source, LeaveEvent event) {
                leaves.add(event);
            }

            @Override
            public void onError(Subscription source, SubscriptionErrorEvent event) {
                errors.add(event);
            }
        });
    }

    /** Subscribes and waits for it. */
    SubscribedEvent subscribe() throws InterruptedException {
        subscription.subscribe();
        return subscribed.next();
    }
}
