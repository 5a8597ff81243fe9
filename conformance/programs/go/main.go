// Runs one session with a release of centrifuge-go and prints what it saw, a line for each step: see ../README.md.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/centrifugal/centrifuge-go"
)

const patience = 20 * time.Second

func main() {
	url, encoding, channel, token, channelToken := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	newClient := centrifuge.NewJsonClient
	if encoding == "protobuf" {
		newClient = centrifuge.NewProtobufClient
	}
	client := newClient(url, centrifuge.Config{Token: token, HandshakeTimeout: 20 * time.Second})
	defer client.Close()
	subscription, err := client.NewSubscription(channel, centrifuge.SubscriptionConfig{Token: channelToken})
	must(err)

	connected := make(chan struct{}, 10)
	subscribed := make(chan centrifuge.SubscribedEvent, 10)
	numbers := make(chan string, 100)
	client.OnConnected(func(centrifuge.ConnectedEvent) { connected <- struct{}{} })
	subscription.OnSubscribed(func(event centrifuge.SubscribedEvent) { subscribed <- event })
	subscription.OnPublication(func(event centrifuge.PublicationEvent) { numbers <- decode(event.Data) })

	must(client.Connect())
	await(connected)
	fmt.Println("connect")
	must(subscription.Subscribe())
	await(subscribed)
	fmt.Println("subscribe")
	fmt.Println("receive", await(numbers))

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = subscription.Publish(ctx, []byte(`{"n":2}`))
	must(err)
	fmt.Println("publish", await(numbers))
	history, err := subscription.History(ctx, centrifuge.WithHistoryLimit(10))
	must(err)
	var stored []string
	for _, publication := range history.Publications {
		stored = append(stored, decode(publication.Data))
	}
	fmt.Println("history", strings.Join(stored, " "))
	presence, err := subscription.Presence(ctx)
	must(err)
	var users []string
	for _, info := range presence.Clients {
		users = append(users, info.User)
	}
	fmt.Println("presence", strings.Join(users, " "))

	outcome := ""
	if event := await(subscribed); event.WasRecovering {
		outcome = "not recovered"
		if event.Recovered {
			outcome = "recovered"
		}
	}
	fmt.Println("recovery", outcome, await(numbers), await(numbers), await(numbers))
}

func decode(data []byte) string {
	var value struct{ N int }
	must(json.Unmarshal(data, &value))
	return fmt.Sprint(value.N)
}

func await[T any](values <-chan T) T {
	select {
	case value := <-values:
		return value
	case <-time.After(patience):
		panic("nothing came")
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
