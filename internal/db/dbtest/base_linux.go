package dbtest

import (
	"os"
	"syscall"
)

// minShared is more than the size of all databases of packages that are tested at the same time, in bytes.
const minShared = 2 << 30

// base returns the directory for databases: shared memory if it is writable and has room, otherwise the usual temporary
// directory.
func base() string {
	const memory = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < minShared || syscall.Access(memory, 2) != nil { // 2: to write (access(2))
		return os.TempDir()
	}
	return memory
}
