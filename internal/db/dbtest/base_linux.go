package dbtest

import (
	"os"
	"syscall"
)

// minShared is more bytes than all the databases of the packages that are tested at once.
const minShared = 2 << 30

// base returns the folder for databases: shared memory where it is writable and has room, else the usual temporary folder.
func base() string {
	const memory = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < minShared || syscall.Access(memory, 2) != nil { // 2: to write (access(2))
		return os.TempDir()
	}
	return memory
}
