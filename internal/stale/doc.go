// Package stale detects forms that would overwrite values which changed after the form was shown.
//
// A form carries the [Version] of the stored values that it shows. The transaction that saves the form reads these
// values again and calls [Check] with both versions. A version is derived from the values, so every writer counts,
// and a table needs no column for it.
package stale
