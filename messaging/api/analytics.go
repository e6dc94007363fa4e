package api

import (
	"net/http"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/stats"
)

type analyticsAnswer struct {
	Success      bool                                `json:"success"`
	SampleSize   int                                 `json:"sampleSize"`
	From         *string                             `json:"from"`
	To           *string                             `json:"to"`
	ByStatus     map[message.Status]int              `json:"byStatus"`
	ByChannel    map[gateway.Channel]channelOfSample `json:"byChannel"`
	DeliveryRate *float64                            `json:"deliveryRate"`
	ReadRate     *float64                            `json:"readRate"`
	FailureRate  *float64                            `json:"failureRate"`
	FallbackRate *float64                            `json:"fallbackRate"`
	LatencyMs    latencies                           `json:"latencyMs"`
	TopErrors    []errorOfSample                     `json:"topErrors"`
	ByDay        []dayOfSample                       `json:"byDay"`
	MessagesUsed int64                               `json:"messagesUsed"`
	Limit        *int64                              `json:"limit"`
}

type channelOfSample struct {
	Total     int `json:"total"`
	Sent      int `json:"sent"`
	Delivered int `json:"delivered"`
	Read      int `json:"read"`
	Failed    int `json:"failed"`
}

type latencies struct {
	Sent      percentiles `json:"sent"`
	Delivered percentiles `json:"delivered"`
}

type percentiles struct {
	P50 *int64 `json:"p50"`
	P95 *int64 `json:"p95"`
	P99 *int64 `json:"p99"`
}

type errorOfSample struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
}

type dayOfSample struct {
	Date      string `json:"date"`
	Total     int    `json:"total"`
	Delivered int    `json:"delivered"`
	Failed    int    `json:"failed"`
}

// analytics handles GET /api/svc-analytics.
func (a *API) analytics(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	n := stats.DefaultSample
	if s := q.Get("sample"); s != "" {
		if n, err = strconv.Atoi(s); err != nil || n < stats.MinSample || n > stats.MaxSample {
			return apierror.InvalidRequest.On("sample").Detailf("sample must be %d to %d.", stats.MinSample, stats.MaxSample)
		}
	}
	sum, err := a.o.Stats.Summarize(r.Context(), c, n)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, analyticsOf(sum))
}

func analyticsOf(s *stats.Summary) *analyticsAnswer {
	out := &analyticsAnswer{
		Success: true, SampleSize: s.Size, From: formatTimeOrNull(s.From), To: formatTimeOrNull(s.To), ByStatus: s.ByStatus, ByChannel: map[gateway.Channel]channelOfSample{},
		DeliveryRate: s.DeliveryRate, ReadRate: s.ReadRate, FailureRate: s.FailureRate, FallbackRate: s.FallbackRate,
		LatencyMs: latencies{percentilesOf(s.Sent), percentilesOf(s.Delivered)}, TopErrors: []errorOfSample{}, ByDay: []dayOfSample{},
		MessagesUsed: s.Used, Limit: limitOf(s.Limit),
	}
	for name, c := range s.ByChannel {
		out.ByChannel[name] = channelOfSample(*c)
	}
	for _, e := range s.Errors {
		out.TopErrors = append(out.TopErrors, errorOfSample(e))
	}
	for _, d := range s.Days {
		out.ByDay = append(out.ByDay, dayOfSample(d))
	}
	return out
}

func percentilesOf(p stats.Percentiles) percentiles {
	ms := func(d *time.Duration) *int64 {
		if d == nil {
			return nil
		}
		n := d.Milliseconds()
		return &n
	}
	return percentiles{ms(p.P50), ms(p.P95), ms(p.P99)}
}
