// Package phone reads telephone numbers once, at the edge.
//
// A [Number] is the digits of an E.164 number: 8 to 15 of them, the first 1 to 9
// (document 1, §2: phone_e164). A leading plus is accepted and never kept.
package phone
