package verb

import "time"

// Each converts a list. The result is never null in JSON.
func Each[From, To any](list []From, show func(*From) To) []To {
	out := make([]To, 0, len(list))
	for i := range list {
		out = append(out, show(&list[i]))
	}
	return out
}

// TimeOrNull returns nil for the zero time.
func TimeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
