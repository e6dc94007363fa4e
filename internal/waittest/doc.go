// Package waittest waits in tests for the effects of what runs beside them. Each wait ends when its effect is there, and all
// waits have one limit, [Limit], which only ends hangs: it is far from the time that anything takes on a busy machine. A time
// limit that the code promises is tested with a fake clock or in a testing/synctest bubble instead.
package waittest
