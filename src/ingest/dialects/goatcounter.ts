import { atReceipt, type ForeignPage } from "../foreign/item";
import { numberIn } from "../foreign/json";
import { isOfPage } from "../foreign/page";
import { brokenRule, isRefusal, type Refusal } from "../refusal";
import {
  type Answer,
  type Dialect,
  type ForeignItem,
  type ForeignRequest,
  pixelAnswer,
  type Refused,
} from "./dialect";
import { pageScript } from "./page-script";
import { type Parameters, readParameters } from "./reading/parameters";
import script from "./scripts/goatcounter.js" with { type: "text" };

/** GoatCounter: count.js, whose requests are images and beacons. One view or event a request. */
export const goatcounter: Dialect = {
  kind: "goatcounter",
  judgesServers: true,
  endpoints: [
    { path: "/count", methods: ["GET", "POST"], read, answer: () => pixelAnswer(200) },
    pageScript("/count.js", script),
  ],
  refuse,
};

const pathCharsMax = 2_048;
/** From here on count.js says by `b` that a program drives the browser. */
const drivenMin = 150;
const webDriver = { category: "headless_browser", actor: "WebDriver" } as const;

function read(request: ForeignRequest): readonly ForeignItem[] | Refusal {
  const isInQuery = request.body === "" || request.query.has("p");
  const sent = isInQuery ? request.query : readParameters(request.body);
  if (isRefusal(sent)) return sent;
  return [{ keys: [hostAsked(request)], content: contentOf(sent, request) }];
}

/** The name of this server under which the client asked: at the root it says whose event it is. */
const hostAsked = ({ headers }: ForeignRequest): string =>
  (headers.get("host") ?? "").replace(/:\d+$/, "");

function contentOf(sent: Parameters, request: ForeignRequest): ForeignItem["content"] {
  const path = sent.get("p") ?? "";
  if (path === "") return brokenRule("p", "is required: the path, or the event's name");
  if (path.length > pathCharsMax) return brokenRule("p", `has at most ${pathCharsMax} characters`);
  const isEvent = sent.get("e") === "true";
  const page = pageOf(sent, isEvent ? null : path, request);
  if (!isEvent && !isOfPage(path, "")) return brokenRule("p", "must be the path of a page");
  const hasNoSession = sent.get("ns") === "true";
  return {
    kind: "event",
    name: isEvent ? path : "page_view",
    page,
    facts: {
      title: sent.get("t"),
      screen_width: numberIn(sent.get("s")?.split(",")[0]),
      no_session: hasNoSession ? true : null,
    },
    own: {},
    automated: (numberIn(sent.get("b")) ?? 0) >= drivenMin ? webDriver : null,
    session: hasNoSession ? { id: null } : "by time",
    ...{ agent: null, userId: null, time: atReceipt, eventId: null },
  };
}

function pageOf(sent: Parameters, url: string | null, request: ForeignRequest): ForeignPage {
  const { headers } = request;
  const host = hostIn(headers.get("origin")) ?? hostIn(headers.get("referer"));
  return { url, host, referrer: sent.get("r"), query: sent.get("q") };
}

const hostIn = (address: string | null): string | null =>
  (address === null ? null : URL.parse(address)?.host) || null;

function refuse({ refusal: { message }, status }: Refused): Answer {
  return pixelAnswer(status, { "x-goatcounter": message.replace(/[^\x20-\x7e]/g, "?") });
}
