package webhook

import "time"

// View is an endpoint as operators see it, in either service.
type View struct {
	URL            string     `json:"url" col:"URL"`
	Enabled        bool       `json:"enabled" col:"ENABLED"`
	DisabledAt     *time.Time `json:"disabledAt" row:"disabled"`
	DisabledFor    string     `json:"disabledFor,omitempty" row:"disabled for"` // gone, failing, operator
	PausedUntil    *time.Time `json:"pausedUntil" row:"paused until"`
	FailingSince   *time.Time `json:"failingSince" col:"FAILING SINCE"`
	LastSuccessAt  *time.Time `json:"lastSuccessAt" row:"last success"`
	LastFailureAt  *time.Time `json:"lastFailureAt" row:"last failure"`
	LastStatus     int        `json:"lastStatus" col:"LAST STATUS"`
	Pending        int        `json:"pending" col:"PENDING"` // 1001: more than a thousand
	PreviousSecret *time.Time `json:"previousSecretUntil" row:"old secret until"`
	// Secret is shown once, after its creation.
	Secret string `json:"secret,omitempty" row:"secret,once"`
}

// View returns the state without a secret.
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
