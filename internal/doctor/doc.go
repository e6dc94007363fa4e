// Package doctor looks at a deployment from outside, whether its server runs or not: a list of checks that run side by side,
// each for a bounded time. A check finds what is right and what is wrong, says it in one line, and says how to repair it. It
// changes nothing, and its lines have no secrets.
package doctor
