// The clock of a session, and Ctrl+Enter to send. Everything works without this file.
function tick() {
  for (const one of document.querySelectorAll("[data-begun]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(one.dataset.begun)) / 1000));
    one.textContent = Math.floor(seconds / 60) + " min";
  }
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea[name=said]")) event.target.form.requestSubmit();
});
document.addEventListener("htmx:afterSettle", () => { tick(); document.querySelector("#last")?.scrollIntoView({ block: "center" }); });
setInterval(tick, 15000);
