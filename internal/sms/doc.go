// Package sms encodes text for SMS. It selects the alphabet, counts the segments, and splits long texts.
//
// A segment has 140 octets. They hold 160 septets of the GSM alphabet (3GPP TS 23.038 §6.2.1, with its
// extension table, whose characters take two), or 70 units of UTF-16 once a single character is outside
// that alphabet. If a text needs more than one segment, each segment has a header (TS 23.040 §9.2.3.24.1),
// which leaves 153 septets or 67 units. A text is never split between an escape and its character, nor
// between two surrogates.
package sms
