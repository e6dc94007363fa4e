// Package wire makes requests of a Griot, and makes them again where that is safe. The clients of both services stand on it.
package wire
