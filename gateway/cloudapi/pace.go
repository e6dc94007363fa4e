package cloudapi

import (
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
)

// slowFor is the time for which a number is paced down after Meta has refused a message because of its throughput.
const slowFor = 10 * time.Minute

// paces are the paces of a number, from fast to slow. Meta allows a number 80 messages per second, and 20 if it is also
// used with the WhatsApp Business app; sent and received messages count together, so the second pace leaves half to
// received ones. To one person, Meta allows a message every 6 seconds, with bursts of up to 45.
var paces = []gateway.Pace{
	{Sender: time.Second / 80, Pair: 6 * time.Second, Burst: 45},
	{Sender: time.Second / 10, Pair: 6 * time.Second, Burst: 10},
	{Sender: time.Second / 5, Pair: 6 * time.Second, Burst: 5},
}

// PaceOf implements [gateway.Pacer]. A number that is also used with the WhatsApp Business app has the second pace. For
// [slowFor] after a message was refused because of the throughput, it has the next slower one.
func (s *sender) PaceOf(from string) gateway.Pace {
	from = strings.TrimPrefix(from, "+")
	level := 0
	if s.settings.coexistence[from] {
		level++
	}
	if until := s.slowUntil[from]; until != nil && s.now().UnixNano() < until.Load() {
		level++
	}
	return paces[level]
}

// slowDown paces one of our numbers down if a message was refused because of the number's throughput.
func (s *sender) slowDown(ours string, failure *gateway.Error) {
	if until := s.slowUntil[ours]; until != nil && failure.ProviderCode == strconv.Itoa(throughputReached) {
		until.Store(s.now().Add(slowFor).UnixNano())
	}
}
