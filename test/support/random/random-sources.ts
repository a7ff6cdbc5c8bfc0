import type { Random } from "./random";

/** The referrers and machines of visits, from which fields of sessions are told. */

const referrers: readonly unknown[] = [
  ...[
    "https://www.google.de/search?q=x",
    "http://GOOGLE.co.uk",
    "https://mail.google.com/mail/u/0/",
  ],
  ...["https://google.evil.com/", "https://google.com.evil.com/", "https://evil.com/google.com"],
  ...["https://l.facebook.com/l.php?u=1", "https://out.reddit.com/t3", "https://chatgpt.com/"],
  ...[
    "android-app://com.google.android.gm/",
    "android-app://org.telegram.messenger",
    "https://t.co/a",
  ],
  ...[
    "https://news.example:8443/a",
    "https://user:secret@news.example/",
    "https://news.example./b",
  ],
  ...["https://m.youtube.com/watch", "https://www.amazon.com.br/dp/1", "https://bücher.example/ü"],
  ...[
    "https://own.example/a",
    "https://shop.own.example/",
    "https://www.own.example.org",
    "HTTPS://OWN.EXAMPLE",
  ],
  ...[
    "https://notown.example/",
    "https://own.example.evil.org/",
    "https://[2001:db8::1]:80/x",
    "https://1.2.3.4/",
    "http://google/",
    "http://direct:8080/",
  ],
  ...[
    "",
    "/relative",
    "about:blank",
    "google.com",
    "https://",
    "https:///x",
    "https://a b/",
    "http://\\x",
  ],
  ...[
    "https://www.com/",
    "https://www..",
    "https://\t/www.bing.com",
    `https://${"a".repeat(300)}.example/`,
  ],
  ...[
    "javascript:alert(1)",
    "https://xn--/",
    "https://\ud800.example/",
    "http:google.com",
    7,
    null,
    ["https://x.example"],
  ],
];
const sources = [
  ...["google", " Google ", "www.google.de", "facebook", "FB-Group", "ig", "chatgpt.com"],
  ...["newsletter", "Newsletter", "hacker_news", "Direct", "direct", "", " ", 7, null],
];
const mediums = [
  ...["cpc", "PPC", "gclid", "paid-social", "email", "sms", "affiliate", "banner", "podcast"],
  ...["video", "organic", "", null],
];

export function randomSource({ chance, pick }: Random): Record<string, unknown> {
  return {
    ...(chance(0.5) && { referrer: pick(referrers) }),
    ...(chance(0.15) && { utm_source: pick(sources) }),
    ...(chance(0.15) && { utm_medium: pick(mediums) }),
    ...(chance(0.1) && { utm_campaign: pick(["spring", "ü", "", null, 7]) }),
    ...(chance(0.05) && { utm_content: pick(["a", true]), utm_term: pick(["shoes", ""]) }),
    ...(chance(0.3) && { device: pick(["mobile", "desktop", null]), os: pick(["iOS", ""]) }),
    ...(chance(0.3) && { browser: pick(["Safari", "Chrome"]), language: pick(["de", "en-US"]) }),
  };
}

/** What fields of sessions are compared with. */
export const sessionTexts = [
  ...[
    "google.de",
    "Google",
    "google",
    "GOOGLE.com ",
    "HackerNews",
    "Newsletter",
    "Direct",
    "DIRECT",
    "Referral",
    "Organic Search",
    "Paid Search",
    "news.example",
  ],
  ...["/", "/a", "mobile", "Safari", "de", "DE", "spring", "7", "e", "M", ""],
];
