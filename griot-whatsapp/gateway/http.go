package gateway

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

// maxBody is enough for a base64-encoded attachment of 16 MB, which is WhatsApp's limit for most kinds.
const maxBody = 24 << 20

// Handler returns the handler for Griot's requests.
func (g *Gateway) Handler() http.Handler {
	large := newSlots()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /info", g.info)
	mux.HandleFunc("POST /send", g.send)
	mux.HandleFunc("GET /messages/{reference}", g.message)
	mux.HandleFunc("GET /groups", g.groups)
	mux.HandleFunc("GET /media/{id}", g.media)
	mux.HandleFunc("POST /read", g.read)
	mux.HandleFunc("POST /pair", g.startPairing)
	mux.HandleFunc("GET /pair", g.pairingStatus)
	mux.HandleFunc("DELETE /pair", g.cancelPairing)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, &device.Failure{Class: device.SenderDown, Code: "unknown_request"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := protocol.Known(g.config.Keys, r.Header, time.Now())
		if err != nil {
			unauthorized(w)
			return
		}
		if r.ContentLength < 0 || r.ContentLength > largeBody {
			release, ok := large.take(addressOf(r))
			if !ok {
				refuse(w, &device.Failure{Class: device.RateLimited, Code: "too_many_attachments", RetryAfter: 5})
				return
			}
			defer release()
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			answer(w, http.StatusRequestEntityTooLarge, protocol.Refusal{Error: protocol.Failure{Class: device.Permanent, Code: "message_too_large"}})
			return
		}
		if key.Verify(r, body) != nil {
			unauthorized(w)
			return
		}
		large.sign(addressOf(r))
		g.setIDs(protocol.HasFeature(r.Header, protocol.FeatureIDs))
		mux.ServeHTTP(w, r.WithContext(withBody(r.Context(), body)))
	})
}

func unauthorized(w http.ResponseWriter) {
	answer(w, http.StatusUnauthorized, protocol.Refusal{Error: protocol.Failure{Class: device.SenderDown, Code: "credentials_refused"}})
}

func (g *Gateway) info(w http.ResponseWriter, r *http.Request) {
	select {
	case <-g.looked: // Griot treats a missing number as unpaired
	case <-r.Context().Done():
		return
	}
	pace := g.config.Pace
	// People do not write at even intervals. Griot reads the pace every 30 seconds, so it keeps changing.
	pace.Sender += rand.IntN(pace.Sender/2 + 1)
	pace.Pair += rand.IntN(pace.Pair/2 + 1)
	answer(w, http.StatusOK, protocol.Info{
		Protocol: 1, Deduplicates: g.config.Deduplicates, Receipts: true, Groups: true, Pairing: true, Replies: true, Read: true, IDs: true, Media: "bytes", Pace: pace, Connections: g.connections(),
	})
}

// message reports whether the gateway has accepted a reference.
func (g *Gateway) message(w http.ResponseWriter, r *http.Request) {
	known, err := g.config.Store.Reference(r.Context(), r.PathValue("reference"))
	switch {
	case err != nil:
		refuse(w, &device.Failure{Class: device.Temporary, Code: "store_failed"})
	case known == nil:
		answer(w, http.StatusNotFound, protocol.Refusal{Error: protocol.Failure{Class: device.Permanent, Code: "never_seen"}})
	case known.Status == store.Taken:
		answer(w, http.StatusOK, protocol.Accepted{Reference: known.Reference, ProviderID: known.MessageID, Recipient: known.Recipient})
	default:
		answer(w, http.StatusNotFound, protocol.Refusal{Error: protocol.Failure{Class: device.Unknown, Code: "outcome_unknown"}})
	}
}

func (g *Gateway) groups(w http.ResponseWriter, r *http.Request) {
	n, failure := g.held(r.URL.Query().Get("from"))
	if failure != nil {
		refuse(w, failure)
		return
	}
	found, failure := n.device.Groups(r.Context())
	if failure != nil {
		refuse(w, failure)
		return
	}
	list := protocol.GroupList{Groups: make([]protocol.Group, 0, len(found))}
	for _, group := range found {
		list.Groups = append(list.Groups, protocol.Group(group))
	}
	answer(w, http.StatusOK, list)
}

// refuse responds with a failure. Griot uses only its class, and the HTTP status matches the class.
func refuse(w http.ResponseWriter, f *device.Failure) {
	status := http.StatusServiceUnavailable
	switch f.Class {
	case device.Permanent, device.Unreachable:
		status = http.StatusUnprocessableEntity
	case device.RateLimited:
		status = http.StatusTooManyRequests
	case device.Unknown:
		status = http.StatusBadGateway
	}
	answer(w, status, protocol.Refusal{Error: protocol.Failure(*f)})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has disconnected
}
