// Remote-gateway is a whole gateway for Griot in one file and the standard library, to be read beside
// docs/gateway-protocol.md and copied. Its only phone is the terminal: it prints what it is given, reports it
// delivered, and lets the recipient answer with -reply.
package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type object = map[string]any

// gateway keeps the references that it has taken in a file, so that it knows them after a restart too.
type gateway struct {
	griot, key, secret, reply string
	mu                        sync.Mutex
	file                      *os.File
	seen                      map[string]bool
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9090", "where Griot finds this gateway")
	griot := flag.String("griot", "http://127.0.0.1:8080/gateways/remote", "where events go: Griot's API, /gateways/, and the gateway's name")
	key := flag.String("key", "k1", "the key's id")
	secretFile := flag.String("secret-file", "", "a file that holds the key's secret")
	path := flag.String("journal", "carried.txt", "where the references of the messages that were taken are kept")
	reply := flag.String("reply", "", "what the phone answers to each message")
	flag.Parse()
	secret, err := os.ReadFile(*secretFile)
	must(err)
	file, err := os.OpenFile(*path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	must(err)
	g := &gateway{griot: *griot, key: *key, secret: strings.TrimSpace(string(secret)), reply: *reply, file: file, seen: map[string]bool{}}
	known, err := io.ReadAll(file)
	must(err)
	for _, reference := range strings.Fields(string(known)) {
		g.seen[reference] = true
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", *listen)
	must(err)
	server := &http.Server{Handler: g, ReadTimeout: 30 * time.Second}
	fmt.Fprintln(os.Stderr, "listening on", listener.Addr())
	must(server.Serve(listener))
}

// ServeHTTP checks the signature before it looks at anything else (§2).
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
	target, timestamp := r.URL.RequestURI(), r.Header.Get("Griot-Timestamp")
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	given, _ := hex.DecodeString(r.Header.Get("Griot-Signature"))
	if err != nil || r.Header.Get("Griot-Key") != g.key || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute ||
		!hmac.Equal(given, g.mac(r.Method, target, timestamp, body)) {
		answer(w, http.StatusUnauthorized, object{"error": object{"class": "sender_down", "code": "credentials_refused"}})
		return
	}
	reference, isQuery := strings.CutPrefix(target, "/messages/")
	switch {
	case r.Method == http.MethodGet && target == "/info":
		answer(w, http.StatusOK, object{"protocol": 1, "deduplicates": true, "receipts": true})
	case r.Method == http.MethodGet && isQuery && g.taken(reference):
		answer(w, http.StatusOK, object{"reference": reference, "providerId": "terminal-" + reference})
	case r.Method == http.MethodGet && isQuery:
		answer(w, http.StatusNotFound, object{"error": object{"class": "permanent", "code": "never_seen"}})
	case r.Method == http.MethodPost && target == "/send":
		g.send(w, body)
	default:
		answer(w, http.StatusNotFound, object{"error": object{"class": "sender_down", "code": "unknown_request"}})
	}
}

// send delivers a message (§4). The reference is on disk before the message is printed: after a crash in between the
// message is lost rather than doubled, and no receipt will come for it.
func (g *gateway) send(w http.ResponseWriter, body []byte) {
	var m struct{ Reference, Channel, From, To, Text string }
	if err := json.Unmarshal(body, &m); err != nil || m.Reference == "" || m.Channel != "sms" {
		answer(w, http.StatusUnprocessableEntity, object{"error": object{"class": "permanent", "code": "message_invalid"}})
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.seen[m.Reference] {
		if _, err := fmt.Fprintln(g.file, m.Reference); err != nil || g.file.Sync() != nil {
			answer(w, http.StatusServiceUnavailable, object{"error": object{"class": "temporary", "code": "disk"}})
			return
		}
		g.seen[m.Reference] = true
		fmt.Printf("%s -> %s: %s\n", m.From, m.To, m.Text)
		at := time.Now().UTC()
		go g.event(object{"type": "receipt", "receipt": object{"reference": m.Reference, "status": "delivered", "at": at}})
		if g.reply != "" {
			go g.event(object{"type": "inbound", "inbound": object{
				"id": "reply-" + m.Reference, "channel": m.Channel, "from": m.To, "to": m.From, "text": g.reply, "replyTo": m.Reference, "at": at,
			}})
		}
	}
	answer(w, http.StatusOK, object{"reference": m.Reference, "providerId": "terminal-" + m.Reference})
}

// event sends an event until Griot has it or refuses it (§8). A real gateway keeps it on disk.
func (g *gateway) event(e object) {
	body, err := json.Marshal(e)
	must(err)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, time.Minute) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, g.griot+"/events", bytes.NewReader(body))
		must(err)
		timestamp := strconv.FormatInt(time.Now().Unix(), 10)
		r.Header.Set("Griot-Key", g.key)
		r.Header.Set("Griot-Timestamp", timestamp)
		r.Header.Set("Griot-Signature", hex.EncodeToString(g.mac(http.MethodPost, "/events", timestamp, body)))
		if response, err := http.DefaultClient.Do(r); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK || response.StatusCode == http.StatusBadRequest {
				return
			}
		}
		time.Sleep(wait)
	}
}

// mac is the signature of a request (§2).
func (g *gateway) mac(method, target, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(g.secret))
	fmt.Fprintf(h, "griot-v1\n%s\n%s\n%s\n%s\n", method, target, timestamp, g.key)
	h.Write(body)
	return h.Sum(nil)
}

func (g *gateway) taken(reference string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[reference]
}

func answer(w http.ResponseWriter, status int, v object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
