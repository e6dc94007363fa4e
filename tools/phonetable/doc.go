// Command phonetable writes what internal/phone knows about the numbers of each country: the table of calling codes and
// countries, and the examples of its tests. Its source is the metadata of Google's libphonenumber (Apache-2.0) in a Go
// module. Only this command imports the module, because it would add 4.9 MB to the program.
package main

//go:generate go run . -to ../../internal/phone
