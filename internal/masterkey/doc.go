// Package masterkey checks which master key a deployment uses, and rotates it.
//
// The first process stores the name of its key in the row of master_keys, and every later process compares it. So a
// wrong key is refused before anything is opened or sealed with it.
//
// In a rotation, the database names the key that seals, out of the keys that the processes have. All data that another
// key has sealed is sealed again, in small steps that continue after a crash.
//
// A rotation has three parts. First, every process is started with both keys, and the previous one still seals. Then
// the rotation is started: the row of master_keys names the new key, which every process sees within a second. After
// all of them seal with it, one walk after another goes through every sealed column, until a walk has found nothing.
// Then the processes are started with only the new key.
package masterkey
