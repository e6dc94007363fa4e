// Package db opens the gateway's database, which is an SQLite file or PostgreSQL. Its driver encrypts every binary
// value when it is written and decrypts it when it is read. Keys, sessions, and contents are binary in whatsmeow's
// tables and in the gateway's own, so no other code handles encryption. Texts, such as numbers, names, and IDs, are
// not encrypted.
package db
