// Package masterkey rotates the master key of a deployment: the database says which of the keys that the processes have
// seals, and everything that another one has sealed is sealed anew, in small steps that go on after a crash.
//
// A rotation has three parts. First every process is started with both keys; the one before still seals. Then the rotation
// is begun: the row of master_keys names the new key, which every process sees within a second. Once all of them seal with
// it, one walk after another goes through every sealed column, until one has found nothing. Then the processes are
// started with the new key alone.
package masterkey
