package gateway

import (
	"encoding/json"
	"errors"
	"net/http"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/protocol"
)

// startPairing handles POST /pair.
func (g *Gateway) startPairing(w http.ResponseWriter, r *http.Request) {
	body, _ := r.Context().Value(bodyKey{}).([]byte)
	var request protocol.PairRequest
	if json.Unmarshal(body, &request) != nil || request.Method != protocol.PairByQR && request.Method != protocol.PairByCode {
		refuse(w, &device.Failure{Class: device.Permanent, Code: "request_invalid"})
		return
	}
	if failure := pairable(request.Channel, request.From); failure != nil {
		refuse(w, failure)
		return
	}
	progress, err := g.pairs.Start(r.Context(), request.From, request.Method)
	switch {
	case errors.Is(err, pairing.ErrTooMany):
		refuse(w, &device.Failure{Class: device.RateLimited, Code: "too_many_pairings", RetryAfter: 30})
	case errors.Is(err, pairing.ErrStore):
		refuse(w, &device.Failure{Class: device.Temporary, Code: "store_failed"})
	case err != nil: // an older pairing or the process is still ending
		refuse(w, &device.Failure{Class: device.Temporary, Code: "under_way"})
	default:
		answer(w, http.StatusOK, progress)
	}
}

func (g *Gateway) pairingStatus(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if failure := pairable(q.Get("channel"), q.Get("from")); failure != nil {
		refuse(w, failure)
		return
	}
	answer(w, http.StatusOK, g.pairs.Status(q.Get("from")))
}

func (g *Gateway) cancelPairing(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if failure := pairable(q.Get("channel"), q.Get("from")); failure != nil {
		refuse(w, failure)
		return
	}
	answer(w, http.StatusOK, g.pairs.Cancel(r.Context(), q.Get("from")))
}

func pairable(channel, number string) *device.Failure {
	switch {
	case channel != "whatsapp":
		return &device.Failure{Class: device.Permanent, Code: "channel_unsupported"}
	case !protocol.IsNumber(number):
		return &device.Failure{Class: device.Permanent, Code: "number_invalid"}
	}
	return nil
}
