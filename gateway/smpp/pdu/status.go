package pdu

import "fmt"

// Status is a command_status (§5.1.3). 0x400 to 0x4ff are vendor-specific.
type Status uint32

// Statuses.
const (
	OK                  Status = 0x00
	InvalidMessageLen   Status = 0x01
	InvalidCommandLen   Status = 0x02
	InvalidCommandID    Status = 0x03
	InvalidBindStatus   Status = 0x04
	AlreadyBound        Status = 0x05
	SystemError         Status = 0x08
	InvalidSource       Status = 0x0a
	InvalidDestination  Status = 0x0b
	BindFailed          Status = 0x0d
	InvalidPassword     Status = 0x0e
	InvalidSystemID     Status = 0x0f
	MessageQueueFull    Status = 0x14
	InvalidServiceType  Status = 0x15
	SubmitFailed        Status = 0x45
	InvalidSourceTON    Status = 0x48
	InvalidSourceNPI    Status = 0x49
	InvalidDestTON      Status = 0x50
	InvalidDestNPI      Status = 0x51
	InvalidSystemType   Status = 0x53
	Throttled           Status = 0x58
	InvalidExpiry       Status = 0x62
	TemporaryAppError   Status = 0x64
	PermanentAppError   Status = 0x65
	RejectedByApp       Status = 0x66
	DeliveryFailure     Status = 0xfe
	UnknownError        Status = 0xff
	firstVendorSpecific Status = 0x400
	lastVendorSpecific  Status = 0x4ff
)

// String returns the status as documents write it: 0x00000058.
func (s Status) String() string { return fmt.Sprintf("0x%08x", uint32(s)) }

// VendorSpecific reports whether s is a vendor-specific status.
func (s Status) VendorSpecific() bool { return s >= firstVendorSpecific && s <= lastVendorSpecific }
