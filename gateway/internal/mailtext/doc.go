// Package mailtext is what drivers that carry e-mail share: which addresses they take and how a domain is
// written for DNS, what makes a name or a subject safe for a header, the Message-ID that every attempt at a message has, and List-Unsubscribe.
package mailtext
