import { isGuest } from "../data/api";
import type { GoalNamesAnswer } from "../data/goal-rows";
import type { Shortcut } from "../lib/keys";
import { isAdmin, projects } from "../state/account";
import { choices } from "../state/period";
import { may, mayOpen } from "../state/rights";
import { addFilter, go, linkTo, place, set, setPeriod } from "../state/route";
import { shared } from "../state/share";
import { type Destination, destinations, pageWords } from "./destinations";
import { toggleDrawer } from "./drawer";
import { isHelpOpen } from "./help";
import { pageGroups } from "./nav";
import { toggleTheme } from "./theme";

/** A line of the palette. */
export interface Command {
  readonly kind: string;
  readonly text: string;
  readonly words?: string;
  readonly icon: string;
  readonly run: () => void;
}

const icons: Readonly<Record<Destination["kind"], string>> = {
  ...{ Card: "table", Setting: "settings", Action: "plus" },
};

/** Returns the commands that the reader may use here, in the order in which the palette offers them. */
export const commandsOf = (
  events: readonly string[],
  goals: GoalNamesAnswer["goals"],
): readonly Command[] => [
  ...pageGroups()
    .flatMap(([, pages]) => pages)
    .map(([page, text]) => ({
      ...{ kind: "Go to", text, words: pageWords[page] ?? "", icon: page },
      run: () => go(linkTo(page)),
    })),
  ...choices.map(({ key, label: text }) => ({
    ...{ kind: "Period", text, icon: "calendar", run: () => setPeriod(key) },
  })),
  ...(shared === null ? projects.value : []).map(({ name: text }) => ({
    ...{ kind: "Project", text, icon: "sites" },
    run: () => go(linkTo(place.value.page, text)),
  })),
  ...destinations.filter(isOpen).map((to) => ({
    ...{ kind: to.kind, text: to.text, words: `${to.words} ${to.tab ?? ""}` },
    ...{ icon: icons[to.kind], run: () => visit(to) },
  })),
  ...goals.map(({ id: goal, name: text }) => ({
    ...{ kind: "Sessions with the goal", text, icon: "filter" },
    run: () => addFilter({ session_did: { goal } }),
  })),
  ...events.map((text) => ({
    ...{ kind: "Sessions with the event", text, icon: "filter" },
    run: () => addFilter({ session_did: text }),
  })),
  ...keyed,
  ...(isGuest.value ? [] : [saveView]),
];

/** Opens a menu as a press on its button does. */
export const open = (menu: string) => () => document.getElementById(menu)?.click();

/** The commands that keys run on every page, too. */
export const keyed: readonly (Command & Shortcut)[] = [
  {
    ...{ keys: "f", kind: "Action", text: "Add a filter", icon: "filter", words: "segment where" },
    run: open("filter-menu"),
  },
  {
    ...{ keys: "x", kind: "Action", text: "Remove all filters", icon: "close" },
    ...{ words: "clear reset", run: () => set({ filter: null }) },
  },
  {
    ...{ keys: "a", kind: "Show", text: "API requests of this page", icon: "code" },
    ...{ words: "curl developer", run: toggleDrawer },
  },
  {
    ...{ keys: "?", kind: "Show", text: "Keyboard shortcuts", icon: "table", words: "keys help" },
    run: () => {
      isHelpOpen.value = true;
    },
  },
  {
    ...{ keys: "n", kind: "Action", text: "Switch between light and dark", icon: "theme" },
    ...{ words: "mode night theme", run: toggleTheme },
  },
];

const saveView: Command = {
  ...{ kind: "Action", text: "Save this view", icon: "note", words: "bookmark views" },
  run: open("view-menu"),
};

const isOfPerson = ({ page }: Destination): boolean => page.startsWith("/");

/** Tells whether the reader may see the destination. */
function isOpen(to: Destination): boolean {
  if (to.right !== undefined && !may(to.right)) return false;
  if (to.page.startsWith("/app/admin")) return isAdmin.value;
  if (isOfPerson(to)) return !isGuest.value;
  return mayOpen(to.page) && !(isGuest.value && to.kind !== "Card");
}

function visit(to: Destination): void {
  go(isOfPerson(to) ? to.page : linkTo(to.page, place.value.project, to.own ?? {}, to.tab ?? ""));
  if (to.card !== undefined) reveal(to.card);
}

const lookEveryMs = 100;
const looksMax = 50;

/** Puts the focus on the heading of a card, once the page shows it. */
function reveal(title: string, looks = 0): void {
  setTimeout(() => {
    const headings = [...document.querySelectorAll<HTMLElement>("main h2")];
    const heading = headings.find(({ textContent }) => textContent === title);
    if (heading === undefined) {
      if (looks < looksMax) reveal(title, looks + 1);
      return;
    }
    heading.tabIndex = -1;
    heading.focus();
    heading.scrollIntoView({ block: "start" });
  }, lookEveryMs);
}
