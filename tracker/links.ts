import { attempt } from "./attempt";
import { link } from "./events";
import { anonymousId, isName } from "./identity";
import { setting } from "./settings";
import { isHeld } from "./storage";

/** For a link to another host. Without consent no identifier leaves the page. What else the address says stays. */
export const decorate = (link: HTMLAnchorElement): void => {
  const isListed = domains().some((name) => `.${link.hostname}`.endsWith(`.${name}`));
  if (isHeld || !isListed) return;
  const search = without(link.search);
  link.search = `${search ? `${search}&` : "?"}_aa=${anonymousId()}`;
};

/** Takes the identifier of another domain out of the address bar, before anything else sees it there. */
export const receiveLink = (): void => {
  const { pathname, search, hash } = location;
  const received = new URLSearchParams(search).get("_aa");
  if (!received || !domains().length) return;
  attempt(() => history.replaceState(history.state, "", pathname + without(search) + hash));
  if (isName(received) && received !== anonymousId()) link(received, anonymousId());
};

const domains = (): readonly string[] =>
  setting("link-domains")
    .toLowerCase()
    .match(/[^\s,]+/g) || [];

const without = (search: string): string =>
  search.replace(/([?&])_aa=[^&]*(&|$)/, (_, before: string, after: string) => after && before);
