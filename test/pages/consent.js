document.querySelector("#yes").addEventListener("click", () => window.aa.grantConsent());
document.querySelector("#no").addEventListener("click", () => window.aa.revokeConsent());
document.addEventListener("aa:consent", (event) => {
  document.querySelector("#state").textContent = event.detail.state;
});
