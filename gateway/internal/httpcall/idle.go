package httpcall

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How long a connection may be idle and still be used: a peer that hangs up at the moment at which a request comes in
// leaves its outcome unknown.
const (
	idleUnsaid = 4 * time.Second  // where the peer says nothing: many keep connections for 5
	idleMargin = time.Second      // less than the peer says, for the way there
	idleMost   = 20 * time.Second // whatever it says
)

// idleOf reads Keep-Alive (RFC 2068 §19.7.1.1): "timeout=5, max=100".
func idleOf(h http.Header) time.Duration {
	for parameter := range strings.SplitSeq(h.Get("Keep-Alive"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "timeout") {
			continue
		}
		if seconds, err := strconv.ParseUint(strings.Trim(value, ` "`), 10, 31); err == nil {
			return min(max(time.Duration(seconds)*time.Second-idleMargin, 0), idleMost)
		}
	}
	return idleUnsaid
}
