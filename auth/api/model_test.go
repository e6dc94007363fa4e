package api_test

import "time"

// model is a second implementation of the status table for one login: small,
// sequential, and in memory. Error codes are "" if a step is made.
type model struct {
	status     string // of the last step; time alone makes the first three read as EXPIRED
	proveBy    time.Time
	handBackBy time.Time
	redeemBy   time.Time // zero before the first hand-back
	phone      string
	wrongTries int
	tokens     int
}

func newModel(now time.Time) *model {
	return &model{status: "PENDING", proveBy: now.Add(90 * time.Second)}
}

// at returns the status at a time.
func (m *model) at(now time.Time) string {
	by := m.proveBy
	switch {
	case m.status == "CONSUMED" || m.status == "EXPIRED":
		return m.status
	case m.status == "VERIFIED" && m.redeemBy.IsZero():
		by = m.handBackBy
	case m.status == "VERIFIED":
		by = m.redeemBy
	}
	if now.Before(by) {
		return m.status
	}
	return "EXPIRED"
}

func (m *model) activate(now time.Time) (code string) {
	switch m.at(now) {
	case "PENDING", "ACTIVATED":
		m.status = "ACTIVATED"
		return ""
	case "EXPIRED":
		return "login_expired"
	default:
		return "login_not_pending"
	}
}

// prove applies matching words; used reports whether the message proved a login before.
func (m *model) prove(now time.Time, phone string, used bool) (duplicate bool, code string) {
	switch waits := m.status == "PENDING" || m.status == "ACTIVATED"; {
	case waits && m.at(now) == "EXPIRED", m.status == "EXPIRED":
		return false, "login_expired"
	case waits && used:
		return false, "message_replayed"
	case waits:
		m.status, m.phone, m.handBackBy = "VERIFIED", phone, now.Add(120*time.Second)
		if m.proveBy.After(m.handBackBy) {
			m.handBackBy = m.proveBy
		}
		return false, ""
	case m.phone == phone:
		return true, ""
	case m.status == "VERIFIED":
		m.status = "EXPIRED"
	}
	return false, "phone_conflict"
}

// poll applies a browser's poll. The first one that gets the code starts its lifetime.
func (m *model) poll(now time.Time) string {
	status := m.at(now)
	if status == "VERIFIED" && m.redeemBy.IsZero() {
		m.redeemBy = now.Add(60 * time.Second)
	}
	return status
}

// redeem applies an exchange of a code that was handed back. misfit is the error for a mismatch, or "".
func (m *model) redeem(now time.Time, misfit string) (code string) {
	switch {
	case m.status == "CONSUMED":
		return "code_already_used"
	case m.at(now) == "EXPIRED":
		return "code_expired"
	case misfit == "":
		m.status = "CONSUMED"
		m.tokens++
		return ""
	}
	if m.wrongTries++; m.wrongTries == 5 {
		m.status = "EXPIRED"
	}
	return misfit
}
