// Package backup writes, checks, and reads backups of a deployment on SQLite. A backup is a directory, or the same
// as a tar file, with a copy of the database, its related files, and a manifest with the checksums of all files. The
// manifest is written last, and a directory gets its name last, so a directory that has both is complete.
package backup
