// Counts page views and events as GoatCounter's count.js does, for a site that has moved: same settings, same
// `goatcounter`.
const me = document.currentScript;
const goatcounter = window.goatcounter || {};
window.goatcounter = goatcounter;
const element = document.querySelector("script[data-goatcounter]") || me;
try {
  const settings = JSON.parse(element?.dataset.goatcounterSettings || "{}");
  for (const key of [
    "no_onload",
    "no_events",
    "allow_local",
    "allow_frame",
    "path",
    "title",
    "referrer",
    "event",
  ])
    if (settings[key] !== undefined && goatcounter[key] === undefined)
      goatcounter[key] = settings[key];
} catch {
  // Settings that are no JSON set nothing.
}
const ofScript = me?.src ? me.src.replace(/\/[^/]*$/, "/count") : "";
const endpoint = () => element?.dataset.goatcounter || goatcounter.endpoint || ofScript;

/** A number from 150 on says that a program drives the browser. */
const driver = () => {
  if (window.callPhantom || window._phantom || window.phantom) return 150;
  if (window.__nightmare) return 151;
  const { document: page } = window;
  if (page.__selenium_unwrapped || page.__webdriver_evaluate || page.__driver_evaluate) return 152;
  return navigator.webdriver ? 153 : 0;
};

const isLocal = () =>
  /^(localhost$|.*\.localhost$|127\.|10\.|172\.(1[6-9]|2\d|3[01])\.|192\.168\.|0\.0\.0\.0$)/.test(
    location.hostname,
  );

goatcounter.filter = () => {
  if (document.visibilityState === "prerender") return "visibilityState";
  if (!goatcounter.allow_frame && location !== parent.location) return "frame";
  if (!goatcounter.allow_local && isLocal()) return "localhost";
  if (!goatcounter.allow_local && location.protocol === "file:") return "localfile";
  try {
    if (localStorage.getItem("skipgc") === "t") return "disabled with #toggle-goatcounter";
  } catch {
    // Without storage nobody has opted out.
  }
  return false;
};

const pathOfPage = () => {
  const link = document.querySelector('link[rel="canonical"][href]');
  const canonical = link && new URL(link.href, location.href);
  const isOwn =
    canonical &&
    canonical.hostname.replace(/^www\./, "") === location.hostname.replace(/^www\./, "");
  const { pathname, search } = isOwn ? canonical : location;
  return pathname + search || "/";
};
const chosen = (value, usual) =>
  typeof value === "function" ? value(usual) : value === undefined ? usual : value;

goatcounter.get_data = (vars = {}) => {
  const of = (key, usual) => chosen(vars[key] === undefined ? goatcounter[key] : vars[key], usual);
  return {
    p: of("path", pathOfPage()),
    r: of("referrer", document.referrer),
    t: of("title", document.title),
    e: !!(vars.event || goatcounter.event),
    ns: vars.no_session ? true : undefined,
    s: screen.width,
    b: driver(),
    q: location.search,
  };
};

goatcounter.url = (vars) => {
  const data = goatcounter.get_data(vars);
  if (data.p === null || !endpoint()) return undefined;
  const sent = new URLSearchParams();
  data.rnd = Math.random().toString(36).slice(2, 7);
  for (const [key, value] of Object.entries(data))
    if (value !== "" && value !== null && value !== undefined && value !== false)
      sent.set(key, value);
  return `${endpoint()}?${sent}`;
};

goatcounter.count = (vars) => {
  if (goatcounter.filter()) return;
  const url = goatcounter.url(vars);
  if (!url) return;
  if (navigator.sendBeacon?.(url)) return;
  const image = new Image();
  image.src = url;
};

goatcounter.get_query = (name) => new URLSearchParams(location.search).get(name) || undefined;

goatcounter.bind_events = () => {
  for (const one of document.querySelectorAll("*[data-goatcounter-click]")) {
    if (one.dataset.goatcounterBound) continue;
    const { goatcounterClick, goatcounterTitle, goatcounterReferrer } = one.dataset;
    const count = () =>
      goatcounter.count({
        event: true,
        path: goatcounterClick || one.name || one.id || "",
        title: goatcounterTitle || one.title || (one.innerHTML || "").slice(0, 200) || "",
        referrer: goatcounterReferrer || "",
      });
    one.addEventListener("click", count);
    one.addEventListener("auxclick", count);
    one.dataset.goatcounterBound = "true";
  }
};

const toggle = () => {
  try {
    const isOff = localStorage.getItem("skipgc") === "t";
    if (isOff) localStorage.removeItem("skipgc");
    else localStorage.setItem("skipgc", "t");
    alert(`GoatCounter tracking is now ${isOff ? "ENABLED" : "DISABLED"} in this browser.`);
  } catch {
    alert("This browser keeps nothing, so the choice cannot be stored.");
  }
};
if (location.hash === "#toggle-goatcounter") toggle();

const start = () => {
  if (!goatcounter.no_onload) {
    if (document.visibilityState === "visible" || document.visibilityState === undefined)
      goatcounter.count();
    else {
      const whenSeen = () => {
        if (document.visibilityState !== "visible") return;
        document.removeEventListener("visibilitychange", whenSeen);
        goatcounter.count();
      };
      document.addEventListener("visibilitychange", whenSeen);
    }
  }
  if (!goatcounter.no_events) goatcounter.bind_events();
};
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
