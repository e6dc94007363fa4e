// Package npmtest packs the TypeScript client and installs it in the same way as applications do.
package npmtest
