// Command audit checks the licenses of the modules that Griot's programs link. Each module must have a license, and all
// its licenses must permit the distribution of the program. Otherwise the command exits with 1 and names each violating
// module.
//
// It ignores modules that only tests use, because they are not distributed.
package main
