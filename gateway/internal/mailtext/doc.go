// Package mailtext is what email drivers share: which addresses are valid and how a domain is written for DNS, which
// texts are safe in a header, the Message-ID, which is the same for every attempt at a message, and List-Unsubscribe.
package mailtext
