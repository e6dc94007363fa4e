// Package media fetches what is to be attached to messages: once for all messages
// that carry it at about the same time, bounded in size and time, and typed by
// looking at the bytes. Only where they allow several types do the name of the file
// and the server's word say which.
package media
