// Dist builds what a release consists of: static programs in archives, Debian packages, an image of containers, lists of
// their parts (SBOM), the TypeScript client, and checksums. It needs no daemon, and the same commit gives the same bytes. It is a module of its own,
// so that the libraries which write images and lists are not in Griot's.
package main
