// Package pdu writes and reads the protocol data units of SMPP 3.4.
//
// A unit is a header of 16 octets and a body (SMPP 3.4 §3.2). [Read] takes one from
// a stream, and refuses lengths that no unit has before it allocates anything. The
// bodies that Griot uses have types of their own: [Bind], [BindResponse], [Message]
// (submit_sm and deliver_sm share their layout) and [MessageResponse]; the others
// are empty. The package knows the wire and nothing else: no connection, no
// alphabet, no meaning of a status. Its errors say what is wrong with a unit, and
// repeat nothing of it.
package pdu
