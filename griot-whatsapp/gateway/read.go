package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
)

const (
	maxRead  = 100 // messages per request
	maxID    = 256 // in bytes
	readTime = 10 * time.Second
)

// read sends a person a read receipt. A repeated request is harmless because WhatsApp accepts it again.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request) {
	body, _ := r.Context().Value(bodyKey{}).([]byte)
	var m protocol.Read
	if json.Unmarshal(body, &m) != nil || m.Channel != "whatsapp" || m.To == "" && m.ToID == "" || m.To != "" && !protocol.IsNumber(m.To) || m.ToID != "" && !protocol.IsLID(m.ToID) || len(m.IDs) == 0 || len(m.IDs) > maxRead || m.At.IsZero() ||
		slices.ContainsFunc(m.IDs, func(id string) bool { return id == "" || len(id) > maxID }) {
		refuse(w, &device.Failure{Class: device.Permanent, Code: "message_invalid"})
		return
	}
	n, f := g.held(m.From)
	if f == nil {
		ctx, cancel := context.WithTimeout(r.Context(), readTime)
		defer cancel()
		f = n.device.MarkRead(ctx, device.Person{Number: m.To, ID: m.ToID}, m.IDs, m.At)
	}
	if f != nil {
		refuse(w, f)
		return
	}
	answer(w, http.StatusOK, struct{}{})
}
