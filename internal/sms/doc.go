// Package sms encodes text for SMS: in which alphabet, in how many segments, and where a long text is cut.
//
// A segment has 140 octets. They hold 160 septets of the GSM alphabet (3GPP
// TS 23.038 §6.2.1, with its extension table, whose characters take two), or 70
// units of UTF-16 once a single character is outside that alphabet. A text that
// needs more than one segment gives some octets of each to a header (TS 23.040
// §9.2.3.24.1), which leaves 153 septets or 67 units. A cut never falls between
// an escape and its character, nor between two surrogates.
package sms
