// Counts page views and events as Plausible's script does, for a site that has moved. Options are in the file's name:
// script.hash.outbound-links.file-downloads.tagged-events.pageview-props.revenue.exclusions.manual.local.js
const me = document.currentScript;
const file = me.src.replace(/.*\/js\//, "");
const has = (option) => file.split(".").includes(option);
const api = me.getAttribute("data-api") || me.src.replace(/\/js\/.*/, "/api/event");
const domain = me.getAttribute("data-domain");
const before = window.plausible?.q || [];
const state = { url: "", from: 0, visibleMs: 0, depth: 0 };

const matches = (list, path) =>
  list.split(",").some((one) => {
    const pattern = one.trim().replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    const form = pattern.replace(/\*\*/g, "\0").replace(/\*/g, "[^/]*").replace(/\0/g, ".*");
    return new RegExp(`^${form}/?$`).test(path);
  });

const isSilent = () => {
  const isLocal = /^(localhost|127(\.\d+){0,3}|\[::1?\])$/.test(location.hostname);
  if ((isLocal || location.protocol === "file:") && !has("local")) return true;
  if (navigator.webdriver || window._phantom || window.__nightmare || window.Cypress) return true;
  try {
    if (localStorage.plausible_ignore === "true") return true;
  } catch {
    // Without storage nobody has opted out.
  }
  const path = location.pathname + (has("hash") ? location.hash : "");
  const [include, exclude] = ["data-include", "data-exclude"].map((name) => me.getAttribute(name));
  return !!(include && !matches(include, path)) || !!(exclude && matches(exclude, path));
};

const propsOfPage = () => {
  const props = {};
  for (const { name, value } of me.attributes) {
    if (name.startsWith("event-")) props[name.slice(6)] = value;
  }
  return props;
};

const send = (payload, callback) => {
  const d = domain === null ? undefined : domain;
  const body = JSON.stringify({ d, h: has("hash") ? 1 : undefined, ...payload });
  const headers = { "Content-Type": "text/plain" };
  fetch(api, { method: "POST", headers, body, keepalive: true })
    .then(({ status }) => callback?.({ status }))
    .catch((error) => callback?.({ error }));
};

const plausible = (name, { props, meta, revenue, callback, u, interactive } = {}) => {
  if (isSilent()) return callback?.();
  const p = { ...(has("pageview-props") ? propsOfPage() : {}), ...(props || meta) };
  const event = { n: name, u: u || location.href, r: document.referrer || null };
  if (Object.keys(p).length > 0) event.p = p;
  if (revenue) event.$ = revenue;
  if (interactive === false) event.i = false;
  if (name === "pageview") begin(event.u);
  send({ ...event, w: window.innerWidth }, callback);
};

const look = () => {
  const { scrollHeight } = document.documentElement;
  const seen = ((window.scrollY + window.innerHeight) / scrollHeight) * 100;
  state.depth = Math.max(state.depth, Math.min(100, Math.round(seen) || 0));
};
const begin = (url) => {
  Object.assign(state, { url, from: document.hidden ? 0 : Date.now(), visibleMs: 0, depth: 0 });
  look();
};
const tellEngagement = () => {
  if (state.from) state.visibleMs += Date.now() - state.from;
  state.from = 0;
  const { url, visibleMs, depth } = state;
  if (url === "" || visibleMs < 3000 || isSilent()) return;
  state.visibleMs = 0;
  send({ n: "engagement", u: url, e: visibleMs, sd: depth });
};

let shown = "";
const view = () => {
  const place = location.pathname + (has("hash") ? location.hash : "");
  if (place === shown) return;
  if (shown !== "") tellEngagement();
  shown = place;
  plausible("pageview");
};

const download =
  /\.(pdf|xlsx?|docx?|txt|rtf|csv|exe|key|pp[st]x?|7z|pkg|rar|gz|zip|avi|mov|mp4|mpeg|wmv|midi?|mp3|wav|wma|dmg)$/i;
const tagsOf = (element) => {
  const tag = { props: {} };
  for (const one of element.classList) {
    const [, key, value] = /^plausible-event-(.+?)(?:=|--)(.+)$/.exec(one) || [];
    if (key === "name") tag.name = value.replace(/\+/g, " ");
    else if (key) tag.props[key] = value.replace(/\+/g, " ");
  }
  return tag;
};
const onClick = ({ target }) => {
  const tagged = has("tagged-events") && target.closest?.('[class*="plausible-event-name"]');
  if (tagged) return plausible(tagsOf(tagged).name, tagsOf(tagged));
  const link = target.closest?.("a[href]");
  if (!link || !/^https?:$/.test(link.protocol)) return;
  const props = { url: link.href.split("?")[0] };
  if (has("file-downloads") && download.test(link.pathname)) plausible("File Download", { props });
  else if (has("outbound-links") && link.host !== location.host)
    plausible("Outbound Link: Click", { props: { url: link.href } });
};

window.plausible = plausible;
for (const call of before) plausible(...call);
addEventListener("scroll", look, { passive: true });
document.addEventListener("click", onClick);
document.addEventListener("auxclick", onClick);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) tellEngagement();
  else state.from = Date.now();
});
addEventListener("pagehide", tellEngagement);
const followRoutes = () => {
  if (has("hash")) addEventListener("hashchange", view);
  const { pushState } = history;
  history.pushState = function (...given) {
    pushState.apply(this, given);
    view();
  };
  addEventListener("popstate", view);
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    shown = "";
    view();
  });
  if (document.visibilityState === "prerender")
    document.addEventListener("visibilitychange", view, { once: true });
  else view();
};
if (!has("manual")) followRoutes();
