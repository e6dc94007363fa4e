package pdu

// Message is the body of submit_sm and deliver_sm (§4.4.1, §4.6.1).
type Message struct {
	ServiceType        string // at most 5 characters
	Source             Address
	Destination        Address
	ESMClass           byte // bits: see the ESM constants
	ProtocolID         byte
	Priority           byte
	Schedule           string // "": immediately
	Validity           string // §7.1.1; "": the center's default
	RegisteredDelivery byte   // 1: a receipt for every final outcome
	Replace            byte
	DataCoding         byte
	DefaultMessage     byte
	Short              []byte // at most 254 octets
	TLVs               []TLV
}

// Bits of ESMClass (§5.2.12).
const (
	ESMTypeMask     = 0x3c // mask for the type of deliver_sm
	ESMReceipt      = 0x04
	ESMDeviceAck    = 0x08 // the recipient's phone acknowledges a message
	ESMIntermediate = 0x20 // a receipt before the final one
	ESMHeader       = 0x40 // the text starts with a user data header
)

// MaxShort is the maximum length of Short, in octets. Longer texts use [MessagePayload].
const MaxShort = 254

const (
	maxService = 5
	maxAddress = 64 // SMPP allows 20, but longer sender names exist
	maxTime    = 16
)

// ParseMessage reads a body. The result shares the body's memory. It fails with [ErrBody].
func ParseMessage(body []byte) (Message, error) { return parseMessage(reader{b: body}) }

// ParseDelivery reads the body of a deliver_sm like [ParseMessage], or that of a data_sm (§4.7.1), in which the text is an
// optional parameter. So that no text is lost, strings can be longer than SMPP permits, and a wrong length of the text or
// of an optional parameter means the rest of the body.
func ParseDelivery(command Command, body []byte) (Message, error) {
	r := reader{b: body, loose: true}
	if command != DataSM {
		return parseMessage(r)
	}
	m := Message{
		ServiceType: r.text(maxService), Source: r.address(maxAddress), Destination: r.address(maxAddress),
		ESMClass: r.octet(), RegisteredDelivery: r.octet(), DataCoding: r.octet(), TLVs: r.tlvs(),
	}
	if r.bad {
		return Message{}, ErrBody
	}
	return m, nil
}

func parseMessage(r reader) (Message, error) {
	m := Message{
		ServiceType: r.text(maxService), Source: r.address(maxAddress), Destination: r.address(maxAddress),
		ESMClass: r.octet(), ProtocolID: r.octet(), Priority: r.octet(),
		Schedule: r.text(maxTime), Validity: r.text(maxTime),
		RegisteredDelivery: r.octet(), Replace: r.octet(), DataCoding: r.octet(), DefaultMessage: r.octet(),
	}
	m.Short = r.octets(int(r.octet()))
	m.TLVs = r.tlvs()
	if r.bad {
		return Message{}, ErrBody
	}
	return m, nil
}

// Body returns the body. It fails with [ErrTooLarge].
func (m *Message) Body() ([]byte, error) {
	w := writer{b: make([]byte, 0, 128+len(m.Short))}
	w.text(m.ServiceType, maxService)
	w.address(m.Source, maxAddress)
	w.address(m.Destination, maxAddress)
	w.octets(m.ESMClass, m.ProtocolID, m.Priority)
	w.text(m.Schedule, maxTime)
	w.text(m.Validity, maxTime)
	w.octets(m.RegisteredDelivery, m.Replace, m.DataCoding, m.DefaultMessage, byte(len(m.Short)))
	w.bad = w.bad || len(m.Short) > 0xff
	w.octets(m.Short...)
	w.tlvs(m.TLVs)
	return w.done()
}

// Text returns the message's text with its header, from the payload parameter or the short message. Only one of them
// should have it. If both do, it is the longer one, because some centers repeat the beginning in the short message.
func (m *Message) Text() []byte {
	if payload, ok := Find(m.TLVs, MessagePayload); ok && len(payload) > len(m.Short) {
		return payload
	}
	return m.Short
}

// MessageResponse is the body of submit_sm_resp and deliver_sm_resp (§4.4.2, §4.6.2).
type MessageResponse struct {
	MessageID string // of submit_sm_resp; at most 64 characters
	TLVs      []TLV
}

const maxMessageID = 64

// ParseMessageResponse reads a body, which may be empty. It fails with [ErrBody].
func ParseMessageResponse(body []byte) (MessageResponse, error) {
	if len(body) == 0 {
		return MessageResponse{}, nil
	}
	r := reader{b: body}
	m := MessageResponse{MessageID: r.text(maxMessageID), TLVs: r.tlvs()}
	if r.bad {
		return MessageResponse{}, ErrBody
	}
	return m, nil
}

// Body returns the body. It fails with [ErrTooLarge].
func (m MessageResponse) Body() ([]byte, error) {
	var w writer
	w.text(m.MessageID, maxMessageID)
	w.tlvs(m.TLVs)
	return w.done()
}
