// Package console formats output for people: tables that fit the terminal, colors and progress on a terminal, local
// times, and questions. [Plain] makes text from other sources safe for a terminal.
package console
