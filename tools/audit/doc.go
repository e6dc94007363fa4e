// Command audit checks the licenses of what Griot's programs link: each module must have a license, and only licenses under
// which the program may be passed on. It exits 1 and names each module that does not fit.
//
// What only tests use is not passed on, and not looked at.
package main
