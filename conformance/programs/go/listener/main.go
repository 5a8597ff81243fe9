// Listens to a channel and prints what its application sees, a line of JSON each, until it is killed.
// The argument is the invitation as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/centrifugal/centrifuge-go"
)

type invitation struct {
	URL     string `json:"url"`
	Channel string `json:"channel"`
	// Channels is for several in place of one.
	Channels []string `json:"channels"`
	Access   string   `json:"access"`
	Refresh  string   `json:"refresh"`
	TokenOf  string   `json:"tokenOf"`
	LeastMs  int      `json:"leastMs"`
	MostMs   int      `json:"mostMs"`
}

func main() {
	var to invitation
	must(json.Unmarshal([]byte(os.Args[1]), &to))
	least := time.Duration(to.LeastMs) * time.Millisecond
	most := time.Duration(to.MostMs) * time.Millisecond
	config := centrifuge.Config{
		MinReconnectDelay: least,
		MaxReconnectDelay: most,
		// The library's own second is too short for a machine that runs every client at once.
		HandshakeTimeout: 20 * time.Second,
	}
	own := centrifuge.SubscriptionConfig{MinResubscribeDelay: least, MaxResubscribeDelay: most}
	tokens := &tokens{url: to.URL, token: to.Refresh}
	if to.TokenOf == "subscription" {
		own.Token = to.Access
		if to.Refresh != "" {
			own.GetToken = func(centrifuge.SubscriptionTokenEvent) (string, error) { return tokens.redeem() }
		}
	} else {
		config.Token = to.Access
		if to.Refresh != "" {
			config.GetToken = func(centrifuge.ConnectionTokenEvent) (string, error) { return tokens.redeem() }
		}
	}
	client := centrifuge.NewJsonClient(strings.Replace(to.URL, "http", "ws", 1)+"/connection/websocket", config)
	client.OnDisconnected(func(event centrifuge.DisconnectedEvent) { told("disconnected", event.Code) })
	// An error of the first attempt is a report: the client goes on trying.
	if err := client.Connect(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if len(to.Channels) == 0 {
		to.Channels = []string{to.Channel}
	}
	for _, channel := range to.Channels {
		listen(client, channel, own)
	}
	select {}
}

func listen(client *centrifuge.Client, channel string, config centrifuge.SubscriptionConfig) {
	subscription, err := client.NewSubscription(channel, config)
	must(err)
	subscription.OnUnsubscribed(func(event centrifuge.UnsubscribedEvent) { told("unsubscribed", event.Code) })
	subscription.OnSubscribed(func(event centrifuge.SubscribedEvent) {
		if event.WasRecovering {
			fmt.Printf("{\"recovered\":%t}\n", event.Recovered)
		}
	})
	subscription.OnPublication(func(event centrifuge.PublicationEvent) { fmt.Println(lineOf(channel, event.Publication)) })
	must(subscription.Subscribe())
}

// lineOf says channel, offset and number: the payload's, or that of a payload which is not UTF-8: 0xff and its digits.
func lineOf(channel string, publication centrifuge.Publication) string {
	var number string
	if publication.Tags["msg-encoding"] != "base64" {
		var payload struct {
			N json.Number `json:"n"`
		}
		if json.Unmarshal(publication.Data, &payload) != nil || payload.N == "" {
			return "{}"
		}
		number = payload.N.String()
	} else {
		// JSON holds bytes as base64, as encoding/json reads them.
		var payload []byte
		must(json.Unmarshal(publication.Data, &payload))
		if len(payload) == 0 || payload[0] != 0xff {
			return "{}"
		}
		number = string(payload[1:])
	}
	return fmt.Sprintf("{\"n\":%s,\"channel\":%q,\"offset\":%d}", number, channel, publication.Offset)
}

// tokens is a token callback: it redeems the refresh token.
type tokens struct {
	mu    sync.Mutex
	url   string
	token string
}

func (t *tokens) redeem() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	body, _ := json.Marshal(map[string]string{"refresh_token": t.token})
	answer, err := http.Post(t.url+"/twirp/msg.MsgService/RefreshToken", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden {
		return "", centrifuge.ErrUnauthorized
	}
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("RefreshToken answered %d", answer.StatusCode)
	}
	var pair struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&pair); err != nil {
		return "", err
	}
	t.token = pair.RefreshToken
	return pair.AccessToken, nil
}

func told(what string, code uint32) {
	fmt.Printf("{\"told\":\"%s %d\"}\n", what, code)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
