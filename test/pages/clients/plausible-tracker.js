import Plausible from "plausible-tracker";

const { trackPageview, trackEvent } = Plausible({
  domain: "garten.example",
  apiHost: window.source,
});
trackPageview();
trackEvent("signup", { props: { plan: "pro" } });
