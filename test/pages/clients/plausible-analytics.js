import { init, track } from "@plausible-analytics/tracker";

init({ domain: "garten.example", endpoint: `${window.source}/api/event` });
track("signup", { props: { plan: "pro" } });
