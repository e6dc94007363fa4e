// Package mailtext contains code that email drivers share: the validity of addresses, the form of domains for DNS,
// safe texts for headers, the Message-ID, which is the same for every attempt of a message, and List-Unsubscribe.
package mailtext
