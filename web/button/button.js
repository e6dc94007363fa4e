// The button "Sign in by message", for pages of other sites: docs/button.md. It writes the text of each link that has none of its
// own, and keeps a second click from starting a second login.
(function () {
  const texts = { en: "TEXT_en", fr: "TEXT_fr" };
  const written = new WeakSet();

  // The language of the link or of what it stands in; where Griot does not know that, the browser's.
  function languageOf(link) {
    const near = link.closest("[lang]");
    const known = [near && near.lang].concat(navigator.languages, "DEFAULT_LANG").map((tag) => String(tag).slice(0, 2).toLowerCase());
    return known.find((lang) => texts[lang]);
  }

  function write() {
    document.querySelectorAll(".griot-button").forEach((link) => {
      if (!written.has(link) && link.textContent.trim()) return;
      written.add(link);
      const lang = languageOf(link);
      if (link.textContent === texts[lang]) return;
      link.textContent = texts[lang];
      if (!link.matches(`:lang(${lang})`)) link.lang = lang;
    });
  }

  function idle() {
    document.querySelectorAll(".griot-button").forEach((link) => link.removeAttribute("aria-busy"));
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.griot-button");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.target) return;
    if (link.hasAttribute("aria-busy")) event.preventDefault();
    link.setAttribute("aria-busy", "true");
    setTimeout(idle, 5000);
  });
  window.addEventListener("pageshow", idle); // the page came back out of the browser's memory

  write();
  new MutationObserver(write).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["lang"] });
})();
