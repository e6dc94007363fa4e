// Package pdu encodes and decodes the protocol data units of SMPP 3.4.
//
// A unit is a header of 16 octets and a body (SMPP 3.4 §3.2). [Read] reads one from a
// stream, and refuses invalid lengths before it allocates anything. The bodies that
// Griot uses have types: [Bind], [BindResponse], [Message] (submit_sm and deliver_sm
// share their layout) and [MessageResponse]; the others are empty. Errors never repeat
// a unit's content.
package pdu
