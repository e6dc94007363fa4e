// Package webtest drives the pages of tests in a real browser: [NewBrowser] gives a test a browser of its own in the
// Chromium of the test binary, which [Main] ends. [Open] shows an address in a
// [Tab], which fails the test when the page breaks its policy or a script throws. [Tab.Axe] and [Tab.Fits] hold what
// every page must keep: no finding of axe-core, and nothing wider than the window.
// [Send] asks for a page without a browser, and [Page] holds what it must show; [Weigh] counts what a page costs who opens it for the first time.
package webtest
