// Package masterkey knows which master key a deployment uses, and rotates it.
//
// The first process stores the name of its key in the row of master_keys, and every later one compares: a wrong key is refused
// before anything is opened or sealed with it.
//
// In a rotation, the database says which of the keys that the processes have seals, and everything that another one has
// sealed is sealed again, in small steps that continue after a crash.
//
// A rotation has three parts. First every process is started with both keys; the one before still seals. Then the rotation
// is begun: the row of master_keys names the new key, which every process sees within a second. Once all of them seal with
// it, one walk after another goes through every sealed column, until one has found nothing. Then the processes are
// started with the new key alone.
package masterkey
