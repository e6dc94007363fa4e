// Package doctor checks a deployment from the outside, whether its server runs or not. It runs a list of checks in
// parallel, each with a time limit. A check reports each result in one line, with a fix for each problem. It changes
// nothing, and its lines contain no secrets.
package doctor
