// Dist builds the parts of a release: static programs in archives, Debian packages, a container image, SBOMs, the
// TypeScript client, and checksums. It needs no daemon, and the same commit always produces the same bytes. It is a
// separate module, so that Griot doesn't depend on the libraries for writing images and SBOMs.
package main
