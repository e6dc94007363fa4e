package dbtest

import (
	"os"
	"syscall"
)

// enough is more than the databases of all the packages that are tested at once come to.
const enough = 2 << 30

// base is where databases are made: in the machine's shared memory, if it has room.
func base() string {
	const memory = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < enough || syscall.Access(memory, 2) != nil { // 2: to write (access(2))
		return os.TempDir()
	}
	return memory
}
