import { attempt } from "./attempt";
import { link } from "./events";
import { anonymousId, isName } from "./identity";
import { setting } from "./settings";

/** Tells whether a host is one of the site's other domains, or below one of them. */
export const isLinked = (hostname: string): boolean =>
  domains().some((name) => `.${hostname}`.endsWith(`.${name}`));

const domains = (): readonly string[] =>
  setting("link-domains")
    .toLowerCase()
    .match(/[^\s,]+/g) || [];

/** The query string of a link to another domain, with the identifier that is taken up there. */
export const decorated = (search: string): string =>
  `${without(search).replace(/.$/, "$&&") || "?"}_aa=${anonymousId()}`;

const without = (search: string): string =>
  search.replace(/\b_aa=[^&]*&?/, "").replace(/[?&]$/, "");

/** Takes the identifier of another domain out of the address bar, before anything else sees it there. */
export const receiveLink = (): void => {
  const { pathname, search, hash } = location;
  const received = new URLSearchParams(search).get("_aa");
  if (!received || !domains().length) return;
  attempt(() => history.replaceState(history.state, "", pathname + without(search) + hash));
  if (isName(received) && received !== anonymousId()) link(received, anonymousId());
};
