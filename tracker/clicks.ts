import { attempt } from "./attempt";
import { cutUrl, type Properties } from "./clean";
import { tell, track } from "./events";
import { decorated, isLinked } from "./links";
import { listen } from "./listen";
import { markedProperties, read } from "./marks";
import { feature, isOn } from "./settings";
import { isHeld } from "./storage";

const mark = "data-aa-event";
const file = new RegExp(
  "([^/]+\\.(7z|avi|csv|dmg|docx?|exe|gz|iso|key|m(idi|ov|p[34]|peg|si)|p(df|kg|ps|ptx?)|r(ar|tf)|txt|" +
    "w(av|m[av])|xlsx?|zip))$",
  "i",
);

export const watchClicks = (): void => {
  listen("click", tellClick);
  listen("auxclick", tellClick);
  feature("forms", () => listen("submit", tellSubmit));
};

/** The last click on a label, if it is passed on: to which control, what it counted for, and where it was. */
let passedOn: readonly unknown[] = [];

/** The path leads through open shadow roots, where `closest` would end. */
const tellClick = (event: MouseEvent): void => {
  // The middle button opens links too, the others do not.
  if (event.button > 1) return;
  const path = event.composedPath() as Element[];
  const find = <E extends Element>(selector: string): E =>
    path.find((node) => attempt(() => node.matches(selector))) as E;

  const marked = find(`[${mark}]`);
  // The click that arrives is in the same place, and not always at the same time.
  const click = [marked, event.clientX, event.clientY];
  const isRepeated =
    path.includes(passedOn[3] as Element) &&
    click.every((value, index) => value === passedOn[index]);
  if (marked && !isRepeated) track(read(marked, mark), markedProperties(marked, mark));
  const label = find<HTMLLabelElement>("label");
  passedOn = label && !path.includes(label.control as Element) ? [...click, label.control] : [];

  const element = find<HTMLAnchorElement>("a,area,button");
  if (element) tellLink(element, !!marked);
};

/** What a link says about its address is undefined or empty for a button. */
const tellLink = (element: HTMLAnchorElement, isMarked: boolean): void => {
  const { localName: tag, type } = element;
  // In a drawing the address is in an object of its own.
  const { href: given } = element as { href?: string | { baseVal: string } };
  const drawn = typeof given === "object" && given;
  const address = drawn ? drawn.baseVal : given;
  const link = (attempt(() => new URL(address || "//", document.baseURI)) || {}) as URL;
  const { hostname, protocol } = link;
  const href = cutUrl(link.href);
  const is_external = !!href && hostname !== location.hostname;
  const download = file.exec(href);
  // Without consent no identifier leaves the page. The rest of the address stays as it was.
  if (is_external && !isHeld && isLinked(hostname)) {
    link.search = decorated(link.search);
    if (drawn) drawn.baseVal = link.href;
    else element.href = link.href;
  }
  if (isMarked) return;
  if (is_external && isOn("track-outgoing")) tell("outgoing_link", { href, hostname });
  if (download && isOn("track-downloads")) {
    tell("$download", { href, filename: download[1], extension: download[2].toLowerCase() });
  }
  if (isOn("track-clicks") && !/^(mailto|tel|javascript):/.test(protocol)) {
    tell("$click", {
      tag,
      ...namesOf(element),
      ...(tag === "button" ? { type } : { href, is_external }),
    });
  }
};

const tellSubmit = ({ target }: Event): void => {
  const form = target as HTMLFormElement;
  if (form.closest(`[${mark}]`) || (!form.noValidate && form.matches(":invalid"))) return;
  tell("$form_submit", {
    ...namesOf(form),
    name: read(form, "name"),
    action: cutUrl(read(form, "action"), document.baseURI),
    method: read(form, "method").toLowerCase() || "get",
  });
};

/** Attributes and not properties: a field that is called "id" hides its form's own. */
const namesOf = (element: Element): Properties => ({
  id: read(element, "id"),
  classes: read(element, "class"),
});
