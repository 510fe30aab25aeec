// What the theme builds while a page loads, made usable by keyboard and screen reader: wide tables can be scrolled, and the
// copy buttons of code blocks are no landmarks.
const mended = () => {
  for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap:not([role])")) {
    wrap.tabIndex = 0
    wrap.setAttribute("role", "group")
    wrap.setAttribute("aria-label", "Table")
  }
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) {
    bar.setAttribute("role", "none")
  }
}
new MutationObserver(mended).observe(document.documentElement, { childList: true, subtree: true })
mended()
