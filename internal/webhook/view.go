package webhook

import "time"

// View is an endpoint as operators see it, in either service.
type View struct {
	URL            string     `json:"url"`
	Enabled        bool       `json:"enabled"`
	DisabledAt     *time.Time `json:"disabledAt"`
	DisabledFor    string     `json:"disabledFor,omitempty"` // gone, failing, operator
	PausedUntil    *time.Time `json:"pausedUntil"`
	FailingSince   *time.Time `json:"failingSince"`
	LastSuccessAt  *time.Time `json:"lastSuccessAt"`
	LastFailureAt  *time.Time `json:"lastFailureAt"`
	LastStatus     int        `json:"lastStatus"`
	Pending        int        `json:"pending"` // 1001: more than a thousand
	PreviousSecret *time.Time `json:"previousSecretUntil"`
	// Secret is shown once, when it is made.
	Secret string `json:"secret,omitempty"`
}

// View shows the state, without a secret.
func (s *State) View() View {
	orNull := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return View{
		URL: s.URL, Enabled: s.URL != "" && s.DisabledAt.IsZero(), DisabledAt: orNull(s.DisabledAt), DisabledFor: s.DisabledFor,
		PausedUntil: orNull(s.PausedUntil), FailingSince: orNull(s.FailingSince), LastSuccessAt: orNull(s.LastSuccessAt), LastFailureAt: orNull(s.LastFailureAt),
		LastStatus: s.LastStatus, Pending: s.Pending, PreviousSecret: orNull(s.PreviousUntil),
	}
}
