import mixpanel from "mixpanel-browser";

mixpanel.init("mptoken0123456789", {
  api_host: window.source,
  track_pageview: true,
  persistence: "localStorage",
  batch_flush_interval_ms: 250,
});
mixpanel.track("signup", { plan: "pro" });
mixpanel.identify("u1");
mixpanel.people.set({ plan: "pro" });
