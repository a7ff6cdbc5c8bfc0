import { describe, expect, test } from "bun:test";
import { detectAnalytics, providers } from "./providers";
import { readPage } from "./read-page";

/** The code that each provider's documentation tells people to paste, in each form that is still in use. */
const pasted: Readonly<Record<string, readonly string[]>> = {
  "Google Analytics": [
    `<script async src="https://www.googletagmanager.com/gtag/js?id=G-ABC123"></script>`,
    `<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}
     gtag('js', new Date()); gtag('config', 'G-ABC123');</script>`,
    `<script>(function(i,s,o,g,r,a,m){i['GoogleAnalyticsObject']=r;})(window,document,'script',
     'https://www.google-analytics.com/analytics.js','ga');ga('create','UA-1-1','auto');</script>`,
    `<script async src="https://ssl.google-analytics.com/ga.js"></script>`,
  ],
  "Google Tag Manager": [
    `<script>(function(w,d,s,l,i){w[l]=w[l]||[];var j=d.createElement(s);j.async=true;
     j.src='https://www.googletagmanager.com/gtm.js?id='+i;})(window,document,'script','dataLayer',
     'GTM-ABCD12');</script>`,
    `<script async src="//www.googletagmanager.com/gtm.js?id=GTM-ABCD12"></script>`,
  ],
  Plausible: [
    `<script defer data-domain="example.com" src="https://plausible.io/js/script.outbound-links.js"></script>`,
    `<script defer data-domain="example.com" src="/js/script.js"></script>`,
    `<script defer data-domain="example.com" src="https://stats.example.com/js/plausible.js"></script>`,
    `<script async src="https://plausible.io/js/pa-XYZ.js"></script>`,
    `<script>window.plausible=window.plausible||function(){};plausible.init()</script>`,
  ],
  Matomo: [
    `<script>var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']);</script>`,
    `<script>var _mtm = window._mtm = window._mtm || []; _mtm.push({'event': 'mtm.Start'});</script>`,
    `<script async defer src="//stats.example.com/matomo.js"></script>`,
    `<script async src="https://stats.example.com/piwik.js"></script>`,
    `<script async src="//cdn.matomo.cloud/example.matomo.cloud/container_x.js"></script>`,
  ],
  PostHog: [
    `<script>!function(t,e){}(document,window.posthog||[]);posthog.init('phc_x',
     {api_host:'https://us.i.posthog.com'})</script>`,
    `<script src="https://eu-assets.i.posthog.com/static/array.js"></script>`,
    `<script src="https://e.example.com/static/array.js"></script>`,
  ],
  Mixpanel: [
    `<script>(function(f,b){})(document,window.mixpanel||[]);mixpanel.init("TOKEN",{debug:true})</script>`,
    `<script src="//cdn.mxpnl.com/libs/mixpanel-2-latest.min.js"></script>`,
  ],
  Amplitude: [
    `<script src="https://cdn.amplitude.com/script/abc.js"></script>`,
    `<script>window.amplitude.init('abc', {"autocapture": true});</script>`,
    `<script>amplitude.getInstance().init("abc")</script>`,
  ],
  Segment: [
    `<script>!function(){var analytics=window.analytics=window.analytics||[];analytics.load("abc");
     analytics.page();}();</script>`,
    `<script src="https://cdn.segment.com/analytics.js/v1/abc/analytics.min.js"></script>`,
  ],
  Hotjar: [
    `<script>(function(h,o,t,j,a,r){h._hjSettings={hjid:1,hjsv:6};})(window,document,
     'https://static.hotjar.com/c/hotjar-','.js?sv=');</script>`,
    `<script src="https://static.hotjar.com/c/hotjar-1.js?sv=6"></script>`,
  ],
  "Microsoft Clarity": [
    `<script>(function(c,l,a,r,i,t,y){t=l.createElement(r);t.src="https://www.clarity.ms/tag/"+i;
     })(window,document,"clarity","script","abc");</script>`,
    `<script async src="https://www.clarity.ms/tag/abc"></script>`,
  ],
  Heap: [
    `<script>window.heap=window.heap||[],heap.load=function(e,t){};heap.load("123");</script>`,
    `<script src="https://cdn.us.heap-api.com/config/123/heap_config.js"></script>`,
    `<script src="https://cdn.heapanalytics.com/js/heap-123.js"></script>`,
  ],
  Fathom: [
    `<script src="https://cdn.usefathom.com/script.js" data-site="ABC" defer></script>`,
    `<script>window.addEventListener('load', () => fathom.trackPageview())</script>`,
  ],
  Umami: [
    `<script defer src="https://cloud.umami.is/script.js" data-website-id="1"></script>`,
    `<script defer src="https://count.example.com/script.js" data-website-id="1"></script>`,
    `<script>umami.track('button')</script>`,
  ],
  "Cloudflare Web Analytics": [
    `<script defer src='https://static.cloudflareinsights.com/beacon.min.js' data-cf-beacon='{"token":
     "a"}'></script>`,
    `<script>var s=document.createElement("script");
     s.src="https://static.cloudflareinsights.com/beacon.min.js"</script>`,
  ],
  "Adobe Analytics": [
    `<script src="https://assets.adobedtm.com/launch-EN0.min.js" async></script>`,
    `<script src="/js/AppMeasurement.js"></script>`,
    `<script>_satellite.pageBottom();</script>`,
    `<script>var s_code = s.t(); if (s_code) document.write(s_code)</script>`,
  ],
  "Meta Pixel": [
    `<script>!function(f,b,e,v){}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');
     fbq('init', '1');fbq('track', 'PageView');</script>`,
    `<script src="https://connect.facebook.net/en_US/fbevents.js"></script>`,
  ],
  HubSpot: [
    `<script id="hs-script-loader" async defer src="//js-eu1.hs-scripts.com/1.js"></script>`,
    `<script src="https://js.hs-analytics.net/analytics/1/1.js"></script>`,
    `<script>var _hsq = window._hsq = window._hsq || []; _hsq.push(['trackPageView']);</script>`,
  ],
  "Simple Analytics": [
    `<script async defer src="https://scripts.simpleanalyticscdn.com/latest.js"></script>`,
    `<script>sa_event("click")</script>`,
  ],
  "Yandex Metrica": [
    `<script>(function(m,e,t,r,i,k,a){})(window,document,"script","https://mc.yandex.ru/metrika/tag.js",
     "ym");ym(1,"init",{});</script>`,
    `<script async src="https://mc.yandex.com/metrika/tag.js"></script>`,
  ],
  "Vercel Web Analytics": [
    `<script defer src="/_vercel/insights/script.js"></script>`,
    `<script>var s=document.createElement("script");s.src="/_vercel/insights/script.js"</script>`,
  ],
};

const found = async (html: string) =>
  detectAnalytics([await readPage(new URL("https://example.com/"), Buffer.from(html))]);

test("there are more than fifteen providers, and each has what people paste for it", () => {
  expect(providers.length).toBeGreaterThan(15);
  expect(Object.keys(pasted)).toEqual(providers.map(({ name }) => name));
});

describe.each(Object.entries(pasted))("%s", (name, snippets) => {
  test.each(snippets.map((snippet) => [snippet]))(
    "is known by what is pasted for it, and nothing else is, %#",
    async (snippet) => {
      expect(await found(`<head>${snippet}</head><h1>Shop</h1>`)).toEqual({
        providers: [name],
        sightline: false,
      });
    },
  );
});

test.each([
  `<script src="/js/script.js"></script>`,
  `<script src="/script.js"></script>`,
  `<script src="/js/script.min.js" defer></script>`,
  `<script data-domain="example.com" src="/menu.js"></script>`,
  `<script src="https://cdn.example.com/notposthog.com/a.js"></script>`,
  `<script src="https://notposthog.com/a.js"></script>`,
  `<a href="https://plausible.io/js/script.js">we use gtag('config', 'G-ABC')</a>`,
  `<pre>&lt;script src="https://cdn.usefathom.com/script.js">&lt;/script></pre>`,
  `<!-- <script src="https://static.hotjar.com/c/hotjar-1.js"></script> -->`,
  `<script type="application/json">{"html": "fbq('init', '1')"}</script>`,
  `<script src="https://[bad"></script><script src=""></script>`,
  `<script src="/tracker.js"></script>`,
])("nothing is found in look-alikes, %#", async (html) => {
  expect(await found(`<head>${html}</head><h1>Shop</h1>`)).toEqual({
    providers: [],
    sightline: false,
  });
});

test("the state of an application before them does not hide snippets", async () => {
  const state = `<script id="state" type="application/json">${'{"a":1}'.repeat(50_000)}</script>`;
  expect((await found(`${state}<script>umami.track("x")</script>`)).providers).toEqual(["Umami"]);
});

test("our own snippet is known wherever it is served from", async () => {
  const own = `<script defer src="https://stats.example.net/tracker.js" data-project="shop"
     data-token="aat_0"></script>`;
  expect(await found(own)).toEqual({ providers: [], sightline: true });
});
