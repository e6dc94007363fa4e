// Package chantest receives from channels within a time limit: a test whose sender never comes fails at the line that waits.
package chantest
