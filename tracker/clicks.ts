import { cutUrl, type Properties } from "./clean";
import { track } from "./events";
import { decorated, isLinked } from "./links";
import { listen } from "./listen";
import { markedProperties, read } from "./marks";
import { feature, isOn } from "./settings";
import { isHeld } from "./storage";

const mark = "data-aa-event";
const classesCharsMax = 200;
const addressCharsMax = 500;
const file = new RegExp(
  "([^/]+\\.(7z|avi|csv|dmg|docx?|exe|gz|iso|key|m(idi|ov|p[34]|peg|si)|p(df|kg|ps|ptx?)|r(ar|tf)|txt|" +
    "w(av|m[av])|xlsx?|zip))$",
  "i",
);

export const watchClicks = (): void => {
  listen("click", tellClick);
  feature("forms", () => listen("submit", tellSubmit));
};

/** What a link says about its address is undefined or empty for a button. */
const tellClick = ({ target }: Event): void => {
  const marked = (target as Element).closest(`[${mark}]`);
  if (marked) track(read(marked, mark), markedProperties(marked, mark));
  const element = (target as Element).closest<HTMLAnchorElement>("a,button");
  if (!element) return;
  const { hostname, protocol, localName: tag, type } = element;
  const href = cutUrl(element.href);
  const is_external = !!href && hostname !== location.hostname;
  const download = file.exec(href);
  // Without consent no identifier leaves the page. The rest of the address stays as it was.
  if (is_external && !isHeld && isLinked(hostname)) {
    element.search = decorated(element.search);
  }
  if (marked) return;
  if (is_external && isOn("track-outgoing")) track("outgoing_link", { href, hostname });
  if (download && isOn("track-downloads")) {
    track("$download", { href, filename: download[1], extension: download[2].toLowerCase() });
  }
  if (isOn("track-clicks") && !/^(mailto|tel|javascript):/.test(protocol)) {
    track("$click", {
      tag,
      ...namesOf(element),
      ...(tag === "a" ? { href, is_external } : { type }),
    });
  }
};

const tellSubmit = ({ target }: Event): void => {
  const form = target as HTMLFormElement;
  if (form.closest(`[${mark}]`) || (!form.noValidate && form.matches(":invalid"))) return;
  track("$form_submit", {
    ...namesOf(form),
    name: read(form, "name"),
    action: cutUrl(read(form, "action"), document.baseURI).slice(0, addressCharsMax),
    method: read(form, "method").toLowerCase() || "get",
  });
};

/** Attributes and not properties: a field that is called "id" hides its form's own. */
const namesOf = (element: Element): Properties => ({
  id: read(element, "id"),
  classes: read(element, "class").slice(0, classesCharsMax),
});
