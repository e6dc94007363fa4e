// Package console shows things to people: tables that fit the terminal, colors, and progress where there is one, times of
// this machine, and questions. What comes from elsewhere is made safe for a terminal by [Plain].
package console
