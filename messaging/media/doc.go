// Package media fetches the attachments of messages. It fetches an attachment once for all messages that contain it
// at about the same time, limits its size and the time, and determines its type from the bytes. Only if the bytes
// allow several types, the file name and the server's declared type decide.
package media
