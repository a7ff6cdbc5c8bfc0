import { AnalyticsBrowser } from "@segment/analytics-next";

const analytics = AnalyticsBrowser.load({ writeKey: "WriteKey0123456789", cdnURL: window.source });
analytics.page("Home");
analytics.track("signup", { plan: "pro" });
analytics.identify("u1", { plan: "pro" });
