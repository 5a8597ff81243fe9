// Sends calls as the Go client does: the older form of the API, `Authorization: apikey`, commands written by
// json.Encoder one after the other, replies read by json.Decoder until the end; as many of them as commands.
// usage: exchange <address> <key>; standard input: name, method and parameters of each call, separated by tabs.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

type command struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type reply struct {
	Error  json.RawMessage `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

var client = &http.Client{Timeout: 20 * time.Second}

func send(address, key string, commands []command) ([]reply, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for _, each := range commands {
		if err := encoder.Encode(each); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequest(http.MethodPost, address, &body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "apikey "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	return read(response.Body, len(commands))
}

func read(body io.Reader, wanted int) ([]reply, error) {
	var replies []reply
	decoder := json.NewDecoder(body)
	for {
		var next reply
		if err := decoder.Decode(&next); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		replies = append(replies, next)
	}
	if len(replies) != wanted {
		return nil, fmt.Errorf("%d replies to %d commands", len(replies), wanted)
	}
	return replies, nil
}

// answer carries out one call: a pipe of several commands, or a single one whose reply stands alone.
func answer(address, key, method, params string) (string, error) {
	if method != "pipe" {
		replies, err := send(address, key, []command{{method, json.RawMessage(params)}})
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(replies[0])
		return string(text), err
	}
	var pipe struct {
		Commands []command `json:"commands"`
	}
	if err := json.Unmarshal([]byte(params), &pipe); err != nil {
		return "", err
	}
	replies, err := send(address, key, pipe.Commands)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(replies)
	return string(text), err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		value, err := answer(os.Args[1], os.Args[2], parts[1], parts[2])
		if err != nil {
			fmt.Printf("%s\tfailed\t%s\n", parts[0], err)
		} else {
			fmt.Printf("%s\tanswer\t%s\n", parts[0], value)
		}
	}
}
