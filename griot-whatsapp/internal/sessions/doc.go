// Package sessions keeps the encryption sessions of a whatsmeow device whole, which whatsmeow and libsignal alone don't.
package sessions
