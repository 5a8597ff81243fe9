// Reads one message that grows: exits with 1 when a state contradicts one that came before, prints the text at the end.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/centrifugal/centrifuge-go"
)

type document struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

func main() {
	config := centrifuge.Config{MinReconnectDelay: 20 * time.Millisecond, MaxReconnectDelay: 200 * time.Millisecond}
	open := centrifuge.NewJsonClient
	if os.Getenv("MSG_ENCODING") == "protobuf" {
		open = centrifuge.NewProtobufClient
	}
	client := open(os.Getenv("MSG_URL"), config)
	defer client.Close()
	options := centrifuge.SubscriptionConfig{}
	if os.Getenv("MSG_DELTA") == "fossil" {
		options.Delta = centrifuge.DeltaTypeFossil
	}
	subscription, err := client.NewSubscription(os.Getenv("MSG_CHANNEL"), options)
	if err != nil {
		panic(err)
	}
	ended := make(chan struct{})
	longest := ""
	connections := 0
	client.OnConnected(func(centrifuge.ConnectedEvent) { connections++ })
	subscription.OnPublication(func(event centrifuge.PublicationEvent) {
		var message document
		if err := json.Unmarshal(event.Data, &message); err != nil {
			panic(err)
		}
		if !strings.HasPrefix(message.Text, longest) && !strings.HasPrefix(longest, message.Text) {
			fmt.Fprintf(os.Stderr, "after %q came %q\n", longest, message.Text)
			os.Exit(1)
		}
		if len(message.Text) > len(longest) {
			longest = message.Text
		}
		if message.Status != "streaming" {
			close(ended)
		}
	})
	if err := subscription.Subscribe(); err != nil {
		panic(err)
	}
	if err := client.Connect(); err != nil {
		panic(err)
	}
	<-ended
	fmt.Print(longest)
	fmt.Fprintf(os.Stderr, "%d connections\n", connections)
}
