package pdu

// Bind is the body of the three bind requests (§4.1).
type Bind struct {
	SystemID   string
	Password   string
	SystemType string
	Version    byte // 0x34
	Range      Address
}

// Maximum lengths of strings, in octets without the final NUL. SMPP allows 8 octets for a password and 40 for an
// address range. Centers with longer passwords are common.
const (
	maxSystemID   = 64
	maxPassword   = 64
	maxSystemType = 64
	maxRange      = 64
)

// ParseBind reads a body. It fails with [ErrBody].
func ParseBind(body []byte) (Bind, error) {
	r := reader{b: body}
	b := Bind{SystemID: r.text(maxSystemID), Password: r.text(maxPassword), SystemType: r.text(maxSystemType), Version: r.octet(), Range: r.address(maxRange)}
	if r.bad || len(r.b) > 0 {
		return Bind{}, ErrBody
	}
	return b, nil
}

// Body returns the body. It fails with [ErrTooLarge].
func (b Bind) Body() ([]byte, error) {
	var w writer
	w.text(b.SystemID, maxSystemID)
	w.text(b.Password, maxPassword)
	w.text(b.SystemType, maxSystemType)
	w.octets(b.Version)
	w.address(b.Range, maxRange)
	return w.done()
}

// BindResponse is the body of the bind responses (§4.1). A refusal has none.
type BindResponse struct {
	SystemID string // of the center
	TLVs     []TLV
}

// ParseBindResponse reads a body. It fails with [ErrBody].
func ParseBindResponse(body []byte) (BindResponse, error) {
	r := reader{b: body}
	b := BindResponse{SystemID: r.text(maxSystemID), TLVs: r.tlvs()}
	if r.bad {
		return BindResponse{}, ErrBody
	}
	return b, nil
}

// Body returns the body. It fails with [ErrTooLarge].
func (b BindResponse) Body() ([]byte, error) {
	var w writer
	w.text(b.SystemID, maxSystemID)
	w.tlvs(b.TLVs)
	return w.done()
}
