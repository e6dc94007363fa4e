package smpp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/smscreport"
	"example.com/griot/gateway/smpp/pdu"
)

// optOuts are the center's refusals that mean that the recipient has opted out. No status or error code of SMPP does.
type optOuts struct {
	statuses []pdu.Status
	receipts []string // state and error code, as in reported
}

// parseOptOuts parses opted_out.
func parseOptOuts(list []string) (o optOuts, err error) {
	for i, text := range list {
		word, code, hasCode := strings.Cut(strings.ToUpper(strings.TrimSpace(text)), " ")
		code = strings.TrimSpace(code)
		if digits, isHex := strings.CutPrefix(word, "0X"); isHex && !hasCode {
			if status, err := strconv.ParseUint(digits, 16, 32); err == nil {
				if class := statusError(pdu.Status(status)).Class; status == 0 || class != gateway.Permanent && class != gateway.Unreachable {
					return o, fmt.Errorf("settings: opted_out[%d] is a status that isn't about the recipient", i)
				}
				o.statuses = append(o.statuses, pdu.Status(status))
				continue
			}
		}
		state := smscreport.State(word)
		out, _ := smscreport.Receipt(state, code)
		if out.Err == nil || out.Err.ProviderCode != state+" "+code || reported("", code) == " " {
			return o, fmt.Errorf("settings: opted_out[%d] must be a status, such as 0x00000455, or the state and the error code of a failed receipt, such as REJECTD 1037", i)
		}
		o.receipts = append(o.receipts, reported(state, code))
	}
	return o, nil
}

// reported returns the state and the error code of a receipt in the form for comparisons: the code without zeros at its
// start.
func reported(state, code string) string {
	return state + " " + strings.TrimLeft(strings.ToUpper(code), "0X")
}

// setOptedOut changes the failure of a recipient who has opted out.
func setOptedOut(e *gateway.Error) { e.Class, e.Code = gateway.Unreachable, gateway.CodeOptedOut }

// submitRefused converts a status of submit_sm_resp to an error.
func (s settings) submitRefused(status pdu.Status) *gateway.Error {
	e := statusError(status)
	if slices.Contains(s.optOuts.statuses, status) {
		setOptedOut(e)
	}
	return e
}

// receipt converts a report. ok is false if its state is unknown.
func (s settings) receipt(r report) (out gateway.Receipt, ok bool) {
	out, ok = smscreport.Receipt(r.state, r.err)
	if out.Err != nil && slices.Contains(s.optOuts.receipts, reported(r.state, r.err)) {
		setOptedOut(out.Err)
	}
	return out, ok
}
