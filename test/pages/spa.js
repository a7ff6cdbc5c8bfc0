/** A single-page site in a few lines: links change the address and the content, and never load a page. */
const main = document.querySelector("main");

function show() {
  const [, , name = "home"] = location.pathname.split("/");
  document.title = name[0].toUpperCase() + name.slice(1);
  main.innerHTML = `<h1>${document.title}</h1><p data-aa-impression="${name}">Seen once on each page.</p>`;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  history.pushState({}, "", link.href);
  show();
});
addEventListener("popstate", show);
show();
