import { type Match, matchesOf, type Section, wordsOf } from "./matches";

/** The search of the documentation: it loads the text of all pages when it is first used, and asks nobody else. */
export function startSearch(): void {
  const search = document.querySelector<HTMLElement>("search");
  const input = search?.querySelector("input");
  const list = search?.querySelector<HTMLElement>("#matches");
  if (!search || !input || !list) return;
  search.hidden = false;
  const { index = "", root = "" } = search.dataset;

  let sections: Promise<readonly Section[]> | null = null;
  const load = (): Promise<readonly Section[]> => {
    sections ??= fetch(index).then((response) => response.json());
    // After a failure the next key press loads the text again.
    sections.catch(() => {
      sections = null;
    });
    return sections;
  };
  const show = async (): Promise<void> => {
    const text = input.value;
    const words = wordsOf(text);
    if (words.length === 0) return close();
    const known = await load().catch(() => null);
    if (input.value !== text) return;
    list.hidden = false;
    if (known === null) list.replaceChildren(note("The server cannot be reached."));
    else list.replaceChildren(...shown(matchesOf(known, words), words, root));
  };
  const close = (): void => {
    list.hidden = true;
    list.replaceChildren();
  };

  input.onfocus = () => void load().catch(() => null);
  input.oninput = () => void show();
  search.onkeydown = (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link.matches(":focus"));
    if (event.key === "Escape") {
      input.value = "";
      close();
      input.focus();
    } else if (event.key === "Enter" && at === -1) links[0]?.click();
    else if (event.key === "ArrowDown") links[at + 1]?.focus();
    else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  };
  // A link to another section of this page loads nothing.
  list.onclick = ({ target }) => {
    if (target instanceof Element && target.closest("a")) close();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
}

function shown(matches: readonly Match[], words: readonly string[], root: string): Node[] {
  if (matches.length === 0) return [note("No results")];
  const items = document.createElement("ul");
  items.append(...matches.map((match) => itemOf(match, words, root)));
  return [note(matches.length === 1 ? "1 result" : `${matches.length} results`), items];
}

function note(text: string): HTMLElement {
  const element = document.createElement("p");
  element.role = "status";
  element.textContent = text;
  return element;
}

function itemOf({ section, excerpt }: Match, words: readonly string[], root: string): HTMLElement {
  const { path, title, anchor, heading } = section;
  const link = document.createElement("a");
  link.href = `${root}${path === "" ? "" : `/${path}`}${anchor === "" ? "" : `#${anchor}`}`;
  const name = document.createElement("strong");
  name.append(...marked(heading === "" ? title : `${title} › ${heading}`, words));
  const text = document.createElement("span");
  text.append(...marked(excerpt, words));
  link.append(name, text);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** The text, with the words that were looked for in mark elements. */
function marked(text: string, words: readonly string[]): readonly (string | HTMLElement)[] {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "gi"));
  return parts.map((part, at) => {
    if (at % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}
