// Package seal keeps secrets: keys derived from the master key, AES-GCM for what
// must be read again (signing keys, credentials, sensitive text), HMAC for what
// must only be recognized, and SHA-256 for random tokens of which a hash is enough.
package seal
