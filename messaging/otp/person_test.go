package otp_test

import (
	"context"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/otp"
)

// A code is verified, and requests are counted, for each address of a person: the dialed number, and the ID under
// which WhatsApp acknowledges it.
// Rules: M174.
func TestIssue_ByEachAddressOfAPerson(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const dialed, id = "2250747000001", "22547000001"
		w := newWorld(t, d, "business")
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			return gateway.Ack{ProviderID: "p_" + out.Ref, Recipient: id}, nil
		})
		byWhatsApp := func(r *otp.Request) { r.Channel = gateway.WhatsApp }
		for i, to := range []string{dialed, id, dialed} {
			w.issue(byWhatsApp, withNumber("+"+to))
			other := map[string]string{dialed: id, id: dialed}[to]
			if got := w.verifyTo(other, w.code(to)); got != "" {
				t.Errorf("code %d, sent to %s and verified for %s: %q", i+1, to, other, got)
			}
		}
		w.refuses(apierror.OTPRateLimited, byWhatsApp, withNumber("+"+id))
		w.refuses(apierror.OTPRateLimited, byWhatsApp, withNumber(dialed))
	})
}
