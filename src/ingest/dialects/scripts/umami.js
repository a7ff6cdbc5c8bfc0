// Counts page views and events as Umami's script does, for a site that has moved: same attributes, same `umami`.
const me = document.currentScript;
const website = me?.getAttribute("data-website-id");
const attribute = (name) => me.getAttribute(`data-${name}`);
const isOn = (name) => attribute(name) === "true";
const host = (attribute("host-url") || me.src.replace(/\/[^/]*$/, "")).replace(/\/$/, "");
const domains = (attribute("domains") || "").split(",").map((one) => one.trim());
let cache = "";
let identity;

const isSilent = () => {
  try {
    if (localStorage.getItem("umami.disabled")) return true;
  } catch {
    // Without storage nobody has opted out.
  }
  const asked = navigator.doNotTrack || window.doNotTrack;
  if (isOn("do-not-track") && (asked === "1" || asked === 1 || asked === "yes")) return true;
  return domains[0] !== "" && !domains.includes(location.hostname);
};

const shorten = (address) => {
  const url = new URL(address, location.href);
  if (isOn("exclude-search")) url.search = "";
  if (isOn("exclude-hash")) url.hash = "";
  return url.toString();
};
let current = shorten(location.href);
let referrer = document.referrer.startsWith(location.origin) ? "" : document.referrer;

const payloadOf = () => ({
  website,
  screen: `${screen.width}x${screen.height}`,
  language: navigator.language,
  title: document.title,
  hostname: location.hostname,
  url: current,
  referrer,
  tag: attribute("tag") || undefined,
  id: identity,
});

const send = async (payload, type = "event") => {
  if (isSilent()) return;
  const change = window[attribute("before-send")];
  const sent = typeof change === "function" ? change(type, payload) : payload;
  if (!sent) return;
  const headers = { "Content-Type": "application/json" };
  if (cache) headers["x-umami-cache"] = cache;
  const body = JSON.stringify({ type, payload: sent });
  try {
    const answer = await fetch(`${host}/api/send`, {
      method: "POST",
      keepalive: true,
      headers,
      body,
    });
    cache = (await answer.json()).cache || cache;
  } catch {
    // What did not arrive is not sent again, as with Umami's own script.
  }
};

const track = (what, data) => {
  if (typeof what === "string") return send({ ...payloadOf(), name: what, data });
  if (typeof what === "function") return send(what(payloadOf()));
  return send(typeof what === "object" ? { ...what } : payloadOf());
};
const identify = (id, data) => {
  if (typeof id === "string") identity = id;
  return send({ ...payloadOf(), data: typeof id === "object" ? id : data }, "identify");
};

const onRoute = (address) => {
  if (!address) return;
  const next = shorten(new URL(address, location.href));
  if (next === current) return;
  referrer = current;
  current = next;
  // The page's own code changes the title after the address.
  setTimeout(track, 300);
};
const hook = (name) => {
  const own = history[name];
  history[name] = function (...given) {
    own.apply(this, given);
    onRoute(given[2]);
  };
};

const dataOf = (element) => {
  const data = {};
  for (const { name, value } of element.attributes) {
    const [, key] = /^data-umami-event-([\w-]+)$/.exec(name) || [];
    if (key) data[key] = value;
  }
  return data;
};
const onClick = ({ target }) => {
  const element = target.closest?.("[data-umami-event]");
  if (element) track(element.getAttribute("data-umami-event"), dataOf(element));
};

const measurePage = () => {
  const vitals = {};
  const observe = (type, note) => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
        type,
        buffered: true,
      });
    } catch {
      // The browser does not measure this.
    }
  };
  observe("largest-contentful-paint", ({ startTime }) => {
    vitals.lcp = Math.round(startTime);
  });
  observe("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") vitals.fcp = Math.round(startTime);
  });
  observe("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) vitals.cls = (vitals.cls || 0) + value;
  });
  observe("event", ({ duration, interactionId }) => {
    if (interactionId) vitals.inp = Math.max(vitals.inp || 0, duration);
  });
  observe("navigation", ({ responseStart }) => {
    vitals.ttfb = responseStart;
  });
  let isTold = false;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && !isTold && Object.keys(vitals).length > 0) {
      isTold = true;
      send({ ...payloadOf(), ...vitals }, "performance");
    }
  });
};

const followRoutes = () => {
  hook("pushState");
  hook("replaceState");
  addEventListener("popstate", () => onRoute(location.href));
  const start = () => document.readyState === "complete" && track();
  document.addEventListener("readystatechange", start);
  start();
};

if (website) {
  if (!window.umami) window.umami = { track, identify };
  document.addEventListener("click", onClick, true);
  if (isOn("performance")) measurePage();
  if (attribute("auto-track") !== "false") followRoutes();
}
