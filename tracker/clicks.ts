import { attempt } from "./attempt";
import { cutUrl, type Properties } from "./clean";
import { track } from "./events";
import { decorate } from "./links";
import { listen } from "./listen";
import { markedProperties } from "./marks";
import { isOn } from "./settings";

const mark = "data-aa-event";
const classesCharsMax = 200;
const addressCharsMax = 500;
const fileTypes =
  "pdf|xlsx?|docx?|txt|rtf|csv|exe|key|pps|pptx?|7z|pkg|rar|gz|zip|avi|mov|mp4|mpeg|wmv|midi|mp3|wav|" +
  "wma|dmg|iso|msi";
const file = new RegExp(`([^/]+\\.(${fileTypes}))$`, "i");

export function watchClicks(): void {
  listen(document, "click", ({ target }) => {
    const clicked = target as Element;
    const element = clicked.closest("a,button");
    const url = element && addressOf(element);
    const marked = clicked.closest(`[${mark}]`);
    if (marked) track(marked.getAttribute(mark), markedProperties(marked, `${mark}-`));
    else if (element) tellClick(element, url);
    if (element && url) decorate(element, url);
  });
  listen(document, "submit", ({ target }) => {
    if (isOn("track-forms")) tellSubmit(target as HTMLFormElement);
  });
}

function tellClick(element: Element, url: URL | null | undefined): void {
  const href = url ? cutUrl(url.href) : "";
  const isExternal = !!url && href !== "" && url.hostname !== location.hostname;
  const download = url && file.exec(url.pathname);
  if (isExternal && isOn("track-outgoing")) {
    track("outgoing_link", { href, hostname: url.hostname });
  }
  if (download && isOn("track-downloads")) {
    track("$download", { href, filename: download[1], extension: download[2].toLowerCase() });
  }
  if (isOn("track-clicks") && !(url && /^(mailto|tel|javascript):/.test(url.protocol))) {
    track("$click", {
      tag: element.tagName.toLowerCase(),
      ...namesOf(element),
      ...(element instanceof HTMLButtonElement
        ? { type: element.type }
        : { href, is_external: isExternal }),
    });
  }
}

function tellSubmit(form: HTMLFormElement): void {
  // A field may be called "id" or "action" and hide the form's own property, so attributes are read.
  if (form.closest(`[${mark}]`) || (!form.noValidate && form.matches(":invalid"))) return;
  track("$form_submit", {
    ...namesOf(form),
    name: form.getAttribute("name") || "",
    action: cutUrl(form.getAttribute("action") || location.href).slice(0, addressCharsMax),
    method: (form.getAttribute("method") || "get").toLowerCase(),
  });
}

const namesOf = (element: Element): Properties => ({
  id: element.getAttribute("id") || "",
  classes: (element.getAttribute("class") || "").slice(0, classesCharsMax),
});

function addressOf(element: Element): URL | null | undefined {
  const href = element.tagName.toLowerCase() === "a" ? element.getAttribute("href") : null;
  return href === null ? null : attempt(() => new URL(href, document.baseURI));
}
