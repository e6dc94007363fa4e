package api

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/stats"
)

type statsAnswer struct {
	Success     bool            `json:"success"`
	From        string          `json:"from"`
	To          string          `json:"to"`
	Step        string          `json:"step"`
	Complete    bool            `json:"complete"`
	CountedFrom string          `json:"countedFrom"`
	Buckets     []bucketItem    `json:"buckets"`
	LatencyMs   latencies       `json:"latencyMs"`
	TopErrors   []errorOfSample `json:"topErrors"`
	Pricing     []priceOfMonth  `json:"pricing"`
}

type priceOfMonth struct {
	Month    string `json:"month"`
	Category string `json:"category"`
	Charged  int    `json:"charged"`
	Free     int    `json:"free"`
}

type bucketItem struct {
	At string `json:"at"`
	channelOfSample
	Fallback int `json:"fallback"`
}

const (
	stepHour = "hour"
	stepDay  = "day"

	statsRange = 24 * time.Hour     // the default range if from is missing
	hoursUntil = 3 * 24 * time.Hour // longer ranges are counted by day, unless step is set
)

// seriesStats handles GET /api/stats.
func (a *API) seriesStats(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	in, step, err := a.seriesQuery(q)
	if err != nil {
		return err
	}
	s, err := a.o.Stats.Series(r.Context(), c, in)
	if err != nil {
		return err
	}
	out := statsAnswer{
		Success: true, From: formatTime(in.From), To: formatTime(in.To), Step: step, Complete: s.Complete, CountedFrom: formatTime(s.CountedFrom), Buckets: []bucketItem{},
		LatencyMs: latencies{percentilesOf(s.Sent), percentilesOf(s.Delivered)}, TopErrors: []errorOfSample{}, Pricing: []priceOfMonth{},
	}
	for _, b := range s.Buckets {
		out.Buckets = append(out.Buckets, bucketItem{formatTime(b.At), channelOfSample(b.Channel), b.Fallback})
	}
	for _, e := range s.Errors {
		out.TopErrors = append(out.TopErrors, errorOfSample(e))
	}
	for _, p := range s.Prices {
		out.Pricing = append(out.Pricing, priceOfMonth(p))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// seriesQuery parses the query of a series.
func (a *API) seriesQuery(q url.Values) (in *stats.SeriesQuery, step string, err error) {
	in = &stats.SeriesQuery{ProjectID: q.Get("projectId"), Channel: gateway.Channel(q.Get("channel"))}
	if in.Channel != "" && !in.Channel.Valid() {
		return nil, "", apierror.InvalidChannel.On("channel")
	}
	if in.To, err = timeFilter(q, "to", parseTime); err != nil {
		return nil, "", err
	}
	if in.To.IsZero() {
		in.To = a.o.Now().Add(time.Millisecond) // include messages that were accepted just now
	}
	if in.From, err = timeFilter(q, "from", parseTime); err != nil {
		return nil, "", err
	}
	if in.From.IsZero() {
		in.From = in.To.Add(-statsRange)
	}
	length := in.To.Sub(in.From)
	if length <= 0 {
		return nil, "", apierror.InvalidRequest.On("from").Detailf("from must be before to.")
	}
	step = stepHour
	if length > hoursUntil {
		step = stepDay
	}
	switch step = cmp.Or(q.Get("step"), step); step {
	case stepHour:
		in.Step = stats.StepHour
	case stepDay:
		in.Step = stats.StepDay
	default:
		return nil, "", apierror.InvalidRequest.On("step").Detailf("step must be hour or day.")
	}
	if length > (stats.MaxBuckets-1)*in.Step {
		return nil, "", apierror.InvalidRequest.On("from").Detailf("There can be at most %d steps between from and to.", stats.MaxBuckets-1)
	}
	return in, step, nil
}
