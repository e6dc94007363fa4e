package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// auto is the requested channel of messages for which the service chose the channel. The choice is not a fallback.
const auto = gateway.Channel("auto")

// The methods below classify a message of a sample.

func (s *sample) wasRead() bool      { return s.status == message.Read }
func (s *sample) wasDelivered() bool { return s.status == message.Delivered || s.wasRead() }
func (s *sample) wasSent() bool {
	return s.status == message.Sent || s.wasDelivered() || !s.sent.IsZero()
}

func (s *sample) hasFailed() bool { return s.status.HasFailed() }

// fellBack reports whether the message was tried on more than one channel, with more than one sender, or on another
// channel than the requested one.
func (s *sample) fellBack() (bool, error) {
	if s.requested != auto && s.channel != s.requested {
		return true, nil
	}
	steps, err := s.timeline.Steps()
	var channel gateway.Channel
	sender := ""
	for _, step := range steps {
		if channel != "" && step.Channel != "" && step.Channel != auto && step.Channel != channel || sender != "" && step.Sender != "" && step.Sender != sender {
			return true, err
		}
		if step.Channel != auto {
			channel = cmp.Or(channel, step.Channel)
		}
		sender = cmp.Or(sender, step.Sender)
	}
	return false, err
}

func summarize(list []sample) (*Summary, error) {
	sum := &Summary{Size: len(list), ByStatus: map[message.Status]int{}, ByChannel: map[gateway.Channel]*Channel{gateway.WhatsApp: {}, gateway.SMS: {}, gateway.Email: {}}}
	for _, s := range message.Statuses() {
		sum.ByStatus[s] = 0
	}
	all, fallbacks := Channel{}, 0
	sent, delivered := map[time.Duration]int{}, map[time.Duration]int{}
	errs, days := map[string]int{}, map[string]*Day{}
	for i := range list {
		s := &list[i]
		sum.ByStatus[s.status]++
		if i == 0 {
			sum.To = s.created
		}
		sum.From = s.created
		if s.status == message.Sandbox {
			continue
		}
		fell, err := s.fellBack()
		if err != nil {
			return nil, err
		}
		if fell {
			fallbacks++
		}
		channel := sum.ByChannel[s.channel]
		if channel == nil {
			channel = &Channel{}
			sum.ByChannel[s.channel] = channel
		}
		channel.add(s)
		all.add(s)
		addDuration(sent, s.due, s.sent)
		addDuration(delivered, s.due, s.delivered)
		if s.hasFailed() && s.failure != nil {
			errs[s.failure.Code]++
		}
		date := s.created.UTC().Format(dayFormat)
		if days[date] == nil {
			days[date] = &Day{Date: date}
		}
		days[date].add(s)
	}
	ended := 0
	for i := range list {
		if s := &list[i]; s.status != message.Sandbox && (s.wasSent() || s.hasFailed()) {
			ended++
		}
	}
	sum.DeliveryRate, sum.ReadRate = rate(all.Delivered, all.Sent), rate(all.Read, all.Delivered)
	sum.FailureRate, sum.FallbackRate = rate(all.Failed, ended), rate(fallbacks, all.Total)
	sum.Sent, sum.Delivered = percentiles(sent), percentiles(delivered)
	sum.Errors, sum.Days = mostFrequent(errs), sortedDays(days)
	return sum, nil
}

func (c *Channel) add(s *sample) {
	c.Total++
	c.Sent += boolInt(s.wasSent())
	c.Delivered += boolInt(s.wasDelivered())
	c.Read += boolInt(s.wasRead())
	c.Failed += boolInt(s.hasFailed())
}

func (d *Day) add(s *sample) {
	d.Total++
	d.Delivered += boolInt(s.wasDelivered())
	d.Failed += boolInt(s.hasFailed())
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rate returns part divided by whole, or nil if whole is 0.
func rate(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := math.Round(float64(part)/float64(whole)*1e4) / 1e4
	return &r
}

// addDuration counts the duration from from to at. A receipt's time comes from its gateway's clock, so a negative
// duration is counted as 0.
func addDuration(times map[time.Duration]int, from, at time.Time) {
	if !at.IsZero() {
		times[max(0, at.Sub(from))]++
	}
}

// percentiles returns the percentiles of times, which contains the number of messages for each duration.
func percentiles(times map[time.Duration]int) Percentiles {
	total := 0
	for _, n := range times {
		total += n
	}
	if total <= 0 {
		return Percentiles{}
	}
	sorted := slices.Sorted(maps.Keys(times))
	at := func(percent int) *time.Duration {
		i, rank := 0, (total*percent+99)/100
		for rank -= times[sorted[0]]; rank > 0; rank -= times[sorted[i]] {
			i++
		}
		return &sorted[i]
	}
	return Percentiles{at(50), at(95), at(99)}
}

func mostFrequent(counts map[string]int) []Error {
	list := make([]Error, 0, len(counts))
	for code, n := range counts {
		if n > 0 { // a failed message can be delivered after all
			list = append(list, Error{code, n})
		}
	}
	slices.SortFunc(list, func(a, b Error) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Code, b.Code)) })
	return list[:min(len(list), maxErrors)]
}

func sortedDays(days map[string]*Day) []Day {
	list := make([]Day, 0, len(days))
	for _, d := range days {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Day) int { return strings.Compare(a.Date, b.Date) })
	return list
}
