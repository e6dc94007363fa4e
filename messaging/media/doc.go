// Package media fetches what is to be attached to messages: once for all messages
// that carry it at about the same time, bounded in size and time, and typed by
// looking at the bytes and not by what the server says of them.
package media
