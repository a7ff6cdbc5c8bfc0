import posthog from "posthog-js";

posthog.init("phc_abcdef0123456789", {
  api_host: window.source,
  disable_surveys: true,
  request_queue_config: { flush_interval_ms: 250 },
});
posthog.capture("signup", { plan: "pro" });
posthog.identify("u1", { plan: "pro" });
