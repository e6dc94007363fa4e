package httpcall

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Times for which a connection can be idle and still be used. If the peer closes it just when a request arrives, the
// outcome of that request is unknown.
const (
	defaultIdle = 4 * time.Second  // without a Keep-Alive header; many peers close after 5 s
	idleMargin  = time.Second      // subtracted from the peer's timeout, for the network
	maxIdle     = 20 * time.Second // even if the peer keeps it longer
)

// idleFrom reads the header Keep-Alive (RFC 2068 §19.7.1.1): "timeout=5, max=100".
func idleFrom(h http.Header) time.Duration {
	for parameter := range strings.SplitSeq(h.Get("Keep-Alive"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "timeout") {
			continue
		}
		if seconds, err := strconv.ParseUint(strings.Trim(value, ` "`), 10, 31); err == nil {
			return min(max(time.Duration(seconds)*time.Second-idleMargin, 0), maxIdle)
		}
	}
	return defaultIdle
}
