// Package backup writes, checks, and reads backups of a deployment on SQLite: a folder, or the same as a tar, of the
// database's copy, what belongs to it, and a manifest with the checksums of all. The manifest is written last, and a
// folder gets its name last, so that what has both is whole.
package backup
