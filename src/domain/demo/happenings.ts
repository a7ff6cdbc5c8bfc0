import type { Choices, Draw } from "./draw";
import { newsletter, searchAd, type Visitor } from "./visitor";

/** An event of the tracker on a page of the demo: an error, a dead link, an outgoing link, a download. */
interface Happening {
  readonly name: string;
  readonly properties: Readonly<Record<string, string | number>>;
}

/** Returns the percentage of visits with an order, among returning visitors who see the prices. */
export function buyPercentOf({ campaign, device }: Visitor): number {
  const most = campaign === newsletter ? 45 : campaign === searchAd ? 9 : 26;
  return device === "mobile" ? Math.round(most / 2) : most;
}

const amounts: Choices<number> = [
  [19, 50],
  [49, 32],
  [129, 14],
  [490, 4],
];
export const amountOf = (draw: Draw): number => draw.pick(amounts);

const script = "https://demo.example.com/assets/app.js";
const paymentError = {
  ...{ message: "TypeError: undefined is not an object (evaluating 'wallet.pay')" },
  ...{ source: script, line: 812, col: 17 },
};
const commonError = {
  ...{ message: "ReferenceError: Chart is not defined", source: script, line: 94, col: 5 },
};
const files: Choices<string> = [
  ["price-list.pdf", 70],
  ["invoice-template.docx", 30],
];

/** The number of each event in a thousand page views. */
const perThousand = { commonError: 4, missing: 6, outgoing: 20, download: 15 };
const paymentErrorPercent = 25;

/** Draws the errors, dead links, outgoing links and downloads of a page view. */
export function troublesOf(draw: Draw, { os }: Visitor, path: string): readonly Happening[] {
  const happened: Happening[] = [];
  const isOneOf = (count: number): boolean => draw.below(1_000) < count;
  if (path === "/checkout" && os === "iOS" && draw.percent(paymentErrorPercent)) {
    happened.push({ name: "$error", properties: paymentError });
  }
  if (isOneOf(perThousand.commonError)) {
    happened.push({ name: "$error", properties: commonError });
  }
  if (path === "/docs" && isOneOf(10 * perThousand.missing)) {
    happened.push({ name: "$404", properties: { path: "/docs/old-api" } });
  }
  if (path.startsWith("/blog") && isOneOf(5 * perThousand.outgoing)) {
    const href = "https://www.example.org/late-payment-act";
    happened.push({ name: "outgoing_link", properties: { href, hostname: "www.example.org" } });
  }
  if (path === "/features" && isOneOf(5 * perThousand.download)) {
    const filename = draw.pick(files);
    const extension = filename.slice(filename.lastIndexOf(".") + 1);
    const href = `https://demo.example.com/files/${filename}`;
    happened.push({ name: "$download", properties: { href, filename, extension } });
  }
  return happened;
}

/** The blog is slow for 40 dates and fast for the next 40, so that reports show a page that became slower, and when. */
const slowDates = 40;

export function vitalsOf(draw: Draw, { device }: Visitor, path: string, day: number) {
  const isSlow = path.startsWith("/blog") && Math.floor(day / slowDates) % 2 === 1;
  const share = (device === "mobile" ? 1.7 : 1) * (isSlow ? 1.9 : 1);
  return {
    cwv_lcp: Math.round(draw.between(900, 2_200) * share),
    cwv_cls: draw.between(0, path === "/pricing" ? 260 : 90) / 1_000,
    cwv_inp: Math.round(draw.between(40, 180) * share),
  };
}
