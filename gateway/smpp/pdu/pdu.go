package pdu

import (
	"encoding/binary"
	"errors"
	"io"
)

// Command is a command_id (§5.1.2.1).
type Command uint32

// Commands. A response has the highest bit set.
const (
	GenericNack       Command = 0x80000000
	BindReceiver      Command = 0x00000001
	BindTransmitter   Command = 0x00000002
	SubmitSM          Command = 0x00000004
	DeliverSM         Command = 0x00000005
	Unbind            Command = 0x00000006
	BindTransceiver   Command = 0x00000009
	EnquireLink       Command = 0x00000015
	AlertNotification Command = 0x00000102
	DataSM            Command = 0x00000103
)

// Response returns the command of the response to c.
func (c Command) Response() Command { return c | GenericNack }

// IsResponse reports whether c is a response.
func (c Command) IsResponse() bool { return c&GenericNack != 0 }

const (
	headerSize = 16
	// MaxSize is the maximum size of a unit, in octets. A message_payload can have 64 KiB.
	MaxSize = 68 << 10
)

// PDU is a unit with its undecoded body.
type PDU struct {
	Command  Command
	Status   Status // of responses
	Sequence uint32 // 1 to 0x7fffffff; a response has the number of its request
	Body     []byte
}

// Errors of reading and writing.
var (
	ErrLength   = errors.New("pdu: invalid length")
	ErrBody     = errors.New("pdu: invalid body")
	ErrTooLarge = errors.New("pdu: a field is too long, or holds a NUL")
)

// Read reads the next unit. At the end of the stream, it returns io.EOF between units and io.ErrUnexpectedEOF within
// one. After [ErrLength], the stream cannot be read any further.
func Read(r io.Reader) (PDU, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return PDU{}, err
	}
	size := binary.BigEndian.Uint32(header[:])
	if size < headerSize || size > MaxSize {
		return PDU{}, ErrLength
	}
	p := PDU{
		Command:  Command(binary.BigEndian.Uint32(header[4:])),
		Status:   Status(binary.BigEndian.Uint32(header[8:])),
		Sequence: binary.BigEndian.Uint32(header[12:]),
	}
	if size == headerSize {
		return p, nil
	}
	p.Body = make([]byte, size-headerSize)
	if _, err := io.ReadFull(r, p.Body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return PDU{}, err
	}
	return p, nil
}

// Append appends the encoded unit to b. It fails only with [ErrTooLarge].
func (p PDU) Append(b []byte) ([]byte, error) {
	if len(p.Body) > MaxSize-headerSize {
		return b, ErrTooLarge
	}
	b = binary.BigEndian.AppendUint32(b, uint32(headerSize+len(p.Body)))
	b = binary.BigEndian.AppendUint32(b, uint32(p.Command))
	b = binary.BigEndian.AppendUint32(b, uint32(p.Status))
	b = binary.BigEndian.AppendUint32(b, p.Sequence)
	return append(b, p.Body...), nil
}
