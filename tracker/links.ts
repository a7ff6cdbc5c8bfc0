import { attempt } from "./attempt";
import { link } from "./events";
import { anonymousId, isName } from "./identity";
import { setting } from "./settings";
import { isHeld } from "./storage";

const parameter = /([?&])_aa=[^&]*(&|$)/;

const domains = (): string[] =>
  (setting("link-domains") || "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name);

/** Without consent no identifier leaves the page. The rest of the address stays as the page wrote it. */
export function decorate(element: Element, url: URL): void {
  const { hostname } = url;
  const isListed = domains().some((name) => `.${hostname}`.endsWith(`.${name}`));
  if (isHeld || !isListed || hostname === location.hostname) return;
  const search = without(url.search);
  url.search = `${search ? `${search}&` : "?"}_aa=${anonymousId()}`;
  element.setAttribute("href", url.href);
}

/** Takes the identifier of another domain out of the address bar, before anything else sees it there. */
export function receiveLink(): void {
  const received = new URLSearchParams(location.search).get("_aa");
  if (!received || !domains().length) return;
  attempt(() =>
    history.replaceState(
      history.state,
      "",
      location.pathname + without(location.search) + location.hash,
    ),
  );
  if (isName(received) && received !== anonymousId()) link(received, anonymousId());
}

const without = (search: string): string =>
  search.replace(parameter, (_, before: string, after: string) => (after ? before : ""));
