// Package npmtest packs the TypeScript client, and installs it where tests use it as applications do.
package npmtest
