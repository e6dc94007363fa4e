// Package skeleton is a driver to copy (docs/adding-a-gateway.md). Its provider does not exist, and no configuration can use it.
//
// A driver's doc.go explains how a message is sent and acknowledged, when the outcome is unknown, how receipts
// arrive, and how they are authenticated.
package skeleton
