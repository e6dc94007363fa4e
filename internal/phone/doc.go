// Package phone parses phone numbers once, at the edge.
//
// A [Number] is the digits of an E.164 number: 8 to 15 of them, the first from 1 to 9. A leading plus is accepted and
// removed. Programs write this format, which [Parse] reads. People write numbers in many ways, which [Read] and
// [Region.Read] read or refuse, and [Region.Sender] reads the senders of SMS. tools/phonetable writes
// table.go, which has the properties of each country's numbers.
package phone
