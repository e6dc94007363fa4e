// Package webtest requests pages without a browser. [Send] requests a page as a browser does, [Page] checks the content
// of the page, and [Weigh] measures the size of a page for a first-time visitor.
package webtest
