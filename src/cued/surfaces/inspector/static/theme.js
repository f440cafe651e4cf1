// The theme that was chosen, before anything is drawn; without a choice the system says it.
try {
  const chosen = localStorage.getItem("cued-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // without storage the system says it
}
