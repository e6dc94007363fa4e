// Package behaviour checks every client of Griot against one list of behaviors, cases.json: the requests that it sends,
// the number of attempts and the pauses between them, and its handling of each response. README.md explains the cases,
// and how to add a client.
package behaviour
