package virtual

import (
	"net/http"

	"example.com/griot/gateway"
)

const faultMaxCount = 1_000_000

type faultAnswer struct {
	Channel gateway.Channel `json:"channel"`
	Outcome outcome         `json:"outcome"`
	Count   int64           `json:"count"`
}

func (g *Gateway) listFaults(*http.Request) (any, error) {
	var list []faultAnswer
	for _, c := range g.Info().Channels {
		list = append(list, g.fault(c))
	}
	return map[string]any{"faults": list}, nil
}

func (g *Gateway) fault(c gateway.Channel) faultAnswer {
	o, remaining := g.faults.get(c)
	return faultAnswer{c, o, remaining}
}

func (g *Gateway) setFault(r *http.Request, body []byte) (int, any, error) {
	var want outcome
	var count *int64
	if err := decode(body, map[string]any{"outcome": &want, "count": &count}); err != nil {
		return 0, nil, err
	}
	n := int64(1)
	if count != nil {
		n = *count
	}
	channel := gateway.Channel(r.PathValue("channel"))
	switch {
	case g.faults[channel] == nil:
		return 0, nil, badRequest("invalid_channel", "The channel has to be whatsapp, sms, or email.")
	case !want.isFault():
		return 0, nil, badRequest("invalid_outcome", "The outcome has to be none, temporary, permanent, unreachable, timeout, or lost_ack.")
	case n < 0 || n > faultMaxCount:
		return 0, nil, badRequest("invalid_count", "The count has to be 0 to 1000000.")
	}
	g.faults.set(channel, want, n)
	return http.StatusOK, g.fault(channel), nil
}
