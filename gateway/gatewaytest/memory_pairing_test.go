package gatewaytest

import (
	"context"

	"example.com/griot/gateway"
)

func (m *memory) StartPairing(ctx context.Context, _ gateway.Channel, _ string, method gateway.PairingMethod) (gateway.PairingProgress, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed, ctx.Err() != nil && m.flaw != "pairs when the context has ended":
		return gateway.PairingProgress{}, fail(gateway.Temporary, "closed")
	case !m.pairing.State.UnderWay():
		m.pairing = gateway.PairingProgress{State: gateway.PairingStarting}
	case m.flaw == "refuses to go on pairing":
		return gateway.PairingProgress{}, fail(gateway.Permanent, "under_way")
	}
	started := m.pairing
	m.pairing.State = gateway.PairingWaiting
	if method == gateway.PairByCode && m.flaw != "shows a code to scan" {
		m.pairing.Code = "WXYZ-1234"
	} else {
		m.pairing.QR = "2@wxyz"
	}
	switch m.flaw {
	case "shows nothing to scan":
		m.pairing.QR = ""
	case "pairs by itself":
		m.pairing = gateway.PairingProgress{State: gateway.PairingDone}
	case "logs what is shown":
		m.Deps().Log.Debug("pairing", "qr", m.pairing.QR, "code", m.pairing.Code)
	}
	return started, nil
}

func (m *memory) PairingStatus(context.Context, gateway.Channel, string) (gateway.PairingProgress, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed && m.flaw != "says how a pairing is after Close" {
		return gateway.PairingProgress{}, fail(gateway.Temporary, "closed")
	}
	return m.pairing, nil
}

func (m *memory) CancelPairing(context.Context, gateway.Channel, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flaw != "pairs on after it was canceled" {
		m.pairing = gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingCancelled}
	}
	return nil
}

func (m *memory) linkPhone(shown string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flaw != "never sees the phone" && shown != "" {
		m.pairing = gateway.PairingProgress{State: gateway.PairingDone}
	}
}
