// Package connlimit bounds the open connections of a server: in all, for each address, and in bytes of headers that have not
// ended. At a bound, it closes the connection that has been unfinished for the longest time, before it refuses a new one.
package connlimit
