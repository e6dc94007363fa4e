// Package pdu encodes and decodes the protocol data units of SMPP 3.4.
//
// A unit has a header of 16 octets and a body (SMPP 3.4 §3.2). [Read] reads one from a stream and refuses invalid
// lengths before it allocates memory. The bodies that Griot uses have types: [Bind], [BindResponse], [Message]
// (submit_sm and deliver_sm have the same layout), and [MessageResponse]. The others are empty. Errors never contain
// parts of a unit.
package pdu
