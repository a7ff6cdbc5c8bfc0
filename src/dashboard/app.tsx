// Several scripts share these files. Without these imports, the bundler makes a script of each, which adds bytes.
import "./pages/changes/state";
import "./state/links";
import "./ui/copy-block";
import "./ui/event-choice";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { keyed, open } from "./frame/commands";
import { Conditions } from "./frame/conditions";
import { Drawer } from "./frame/drawer";
import { Help } from "./frame/help";
import { Nav, nameOfPage, pageGroups } from "./frame/nav";
import { isNavOpen } from "./frame/nav-state";
import { Offline } from "./frame/offline";
import { isPaletteOpen, Palette } from "./frame/palette";
import { SessionEnd } from "./frame/session-end";
import { Over } from "./frame/shared-project";
import { Toolbar, type Tools } from "./frame/toolbar";
import { listen, type Shortcut } from "./lib/keys";
import { OverviewPage } from "./pages/overview/page";
import { account, projects, remember } from "./state/account";
import { choices, earlier, later } from "./state/period";
import { mayOpen } from "./state/rights";
import { compareMode, go, isPersonal, linkTo, period, place, set, setPeriod } from "./state/route";
import { isOver, shared } from "./state/share";
import { Question } from "./ui/question";
import { Empty, Waiting } from "./ui/states";

const all: Tools = { hasPeriod: true, hasCompare: true, hasFilters: true };
const windowed: Tools = { ...all, hasCompare: false };
const dated: Tools = { ...windowed, hasFilters: false };
const bare: Tools = { ...dated, hasPeriod: false };

/** The tools of each page with numbers. */
const tools: Readonly<Record<string, Tools>> = {
  ...{ overview: all, pages: all, sources: all },
  ...{ changes: windowed, explore: windowed, funnels: windowed, retention: windowed },
  ...{ paths: windowed, speed: windowed, sessions: windowed, people: windowed },
  ...{ events: windowed, replays: windowed, bots: dated, sites: dated },
  ...{ live: bare, experiments: bare },
};
const isSettings = (page: string): boolean =>
  isPersonal(page) || page === "project" || page === "move";
const isPage = (page: string): boolean => isSettings(page) || Object.hasOwn(tools, page);

type Pages = Readonly<Record<string, ComponentType>>;
const reports = async (): Promise<Pages> => (await import("./pages/reports")).reports;
const settings = async (): Promise<Pages> => (await import("./pages/settings")).settings;

/** The first script has the overview. The browser loads the other two when it opens the first of their pages. */
async function load(page: string): Promise<ComponentType> {
  const shared = import("./ui/recording-settings");
  const [pages] = await (isSettings(page)
    ? Promise.all([settings(), shared])
    : Promise.all([reports(), shared, import("./ui/details")]));
  return pages[page] ?? OverviewPage;
}

const shortcuts = (): Shortcut[] => [
  ...pageGroups()
    .flatMap(([, list]) => list)
    .map(([page, name, key]) => ({ keys: `g ${key}`, text: name, run: () => go(linkTo(page)) })),
  ...choices.flatMap(({ key, label, letter }) =>
    letter === undefined ? [] : [{ keys: letter, text: label, run: () => setPeriod(key) }],
  ),
  { keys: "ArrowLeft", text: "Previous period", run: () => setPeriod(earlier(period.value)) },
  {
    keys: "ArrowRight",
    text: "Next period",
    run: () => {
      const next = later(period.value);
      if (next !== null) setPeriod(next);
    },
  },
  {
    keys: "c",
    text: "Turn comparison on or off",
    run: () => set({ compare: compareMode.value === "none" ? null : "none" }),
  },
  { keys: "p", text: "Switch project", run: open("project-menu") },
  { keys: "t", text: "Choose a period", run: open("period-menu") },
  {
    keys: "/",
    text: "Search",
    run: () => {
      isPaletteOpen.value = true;
    },
  },
  ...keyed,
];

export function App() {
  useEffect(() => {
    listen(shortcuts);
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
    });
  }, []);
  const { page, project } = place.value;
  const isOpen = mayOpen(page) && isPage(page);
  useEffect(() => {
    isNavOpen.value = false;
    const isOwn = shared === null && projects.value.some(({ name }) => name === project);
    if (isOwn) remember(project);
    const about = isPersonal(page) ? "Sightline" : project;
    document.title = `${nameOfPage(page) ?? "Sightline"} · ${about}`;
  }, [page, project]);
  if (isOver.value) return <Over />;
  return (
    <div class="app" data-nav={isNavOpen.value}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Nav />
      <button
        type="button"
        class="shade"
        aria-label="Close the navigation"
        tabIndex={-1}
        onClick={() => {
          isNavOpen.value = false;
        }}
      />
      <div class="stage">
        <Toolbar tools={(isOpen && tools[page]) || bare} />
        <main id="main" tabIndex={-1}>
          <Offline />
          <Conditions />
          {!isOpen ? (
            <Absent page={page} />
          ) : !isPersonal(page) && !isKnown(project) ? (
            <Missing what="project" />
          ) : (
            <Loaded key={isPersonal(page) ? page : page + project} page={page} />
          )}
        </main>
      </div>
      <Drawer />
      <Palette />
      <Question />
      <SessionEnd />
      <Help shortcuts={shortcuts()} />
    </div>
  );
}

const isKnown = (project: string): boolean =>
  projects.value.some(({ id, name }) => name === project || id === project);

/** An old link, or one of somebody else: the overview of the project that was looked at last is a way on. */
const Missing = ({ what }: { readonly what: "page" | "project" }) => (
  <Empty>
    <strong>
      This {what} does not exist{what === "project" && ", or you have no access to it"}
    </strong>
    <p>{what === "page" ? "The navigation lists all pages." : waysIn()}</p>
    <a class="button" href="/app">
      Open the overview
    </a>
  </Empty>
);

/** Says how to reach a project that the reader cannot see. */
function waysIn(): string {
  const { email, memberships = [] } = account.value ?? {};
  if (email === undefined) return "Log in to see a project of your own.";
  const others = memberships.length > 1 ? ", or switch to another account in the menu" : "";
  return `If somebody sent you this address, ask them to invite ${email} to their account${others}.`;
}

/** A share has the pages that it names; members lack those for which they need the right to see single visitors. */
const Absent = ({ page }: { readonly page: string }) =>
  shared === null && isPage(page) ? <OfVisitors /> : <Missing what="page" />;

const OfVisitors = () => (
  <Empty>
    <strong>This page shows single visitors</strong>
    <p>You may not see them in this account. An administrator of the account can allow it.</p>
    <a class="button" href="/app">
      Open the overview
    </a>
  </Empty>
);

/** The connection broke, or the server was upgraded meanwhile and has other scripts now: the document knows which. */
const Lost = () => (
  <div class="state" role="alert">
    <strong>This page could not be loaded</strong>
    <p>The connection was lost, or Sightline was upgraded in the meantime.</p>
    <button type="button" onClick={() => location.reload()}>
      Reload
    </button>
  </div>
);

function Loaded({ page }: { readonly page: string }) {
  const [Found, setFound] = useState<{ readonly page: ComponentType } | null>(
    page === "overview" ? { page: OverviewPage } : null,
  );
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (Found !== null) return;
    void load(page).then(
      (loaded) => setFound({ page: loaded }),
      () => setLost(true),
    );
  }, []);
  if (isLost) return <Lost />;
  return Found === null ? <Waiting rows={10} /> : <Found.page />;
}
