package account

import "time"

// SetLookEvery changes the interval at which a directory checks for changes of other processes.
func SetLookEvery(d *Directory, t time.Duration) { d.lookEvery = t }
