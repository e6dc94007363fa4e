// Package connlimit limits the open connections of a server: in total, for each address, and in bytes of incomplete
// headers. At a limit, it closes the connection that has been unfinished for the longest time before it refuses a new
// one.
package connlimit
