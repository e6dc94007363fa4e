// Package sender tells callers the state of the senders that their account can use: connection, health, warm-up, and queue.
package sender
