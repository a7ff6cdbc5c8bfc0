import { useEffect } from "preact/hooks";
import type { LiveAnswer } from "../data/answers";
import { isGuest, mayPoll } from "../data/api";
import * as queries from "../data/queries";
import { prepare, useRead } from "../data/reads";
import { exact } from "../lib/format";
import { isPersonal, linkTo, place, unreadable } from "../state/route";
import { Icon } from "../ui/icons";
import { Unreadable } from "../ui/unreadable";
import { isDrawerOpen, toggleDrawer } from "./drawer";
import { Chips, FilterMenu } from "./filter-bar";
import { nameOfPage } from "./nav";
import { isNavOpen } from "./nav-state";
import { isPaletteOpen } from "./palette";
import { PeriodMenu } from "./period-menu";
import { SharedBy } from "./shared-project";
import { ViewMenu } from "./view-menu";

/** The filters that each page offers: those that the API cannot apply are left out. */
export interface Tools {
  readonly hasPeriod: boolean;
  readonly hasCompare: boolean;
  readonly hasFilters: boolean;
}

export function Toolbar({ tools }: { readonly tools: Tools }) {
  const { page, project } = place.value;
  const name = nameOfPage(page) ?? "Not found";
  return (
    <header class="toolbar">
      <div class="toolbar-row">
        <button
          type="button"
          class="tool square nav-button"
          aria-label="Pages"
          aria-expanded={isNavOpen.value}
          onClick={() => {
            isNavOpen.value = !isNavOpen.value;
          }}
        >
          <Icon name="menu" />
        </button>
        <h1>
          {name}
          {!isPersonal(page) && <span class="visually-hidden"> of {project}</span>}
        </h1>
        {!isGuest.value && !isPersonal(page) && page !== "live" && <LiveCount project={project} />}
        <span class="spring" />
        <button
          type="button"
          class="tool find"
          title="Search (Ctrl K)"
          onClick={() => {
            isPaletteOpen.value = true;
          }}
        >
          <Icon name="search" />
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <button
          type="button"
          class="tool"
          id="api-button"
          aria-pressed={isDrawerOpen.value}
          title="API requests of this page (A)"
          onClick={toggleDrawer}
        >
          <Icon name="code" />
          <span>API</span>
        </button>
        {!isGuest.value && !isPersonal(page) && project !== "" && <ViewMenu />}
        {tools.hasFilters && <FilterMenu />}
        {tools.hasPeriod && <PeriodMenu hasCompare={tools.hasCompare} />}
      </div>
      <SharedBy />
      {tools.hasFilters && <Chips />}
      {(tools.hasFilters || tools.hasPeriod) && <Unreadable texts={unreadable.value} />}
    </header>
  );
}

const everyMs = 15_000;

function LiveCount({ project }: { readonly project: string }) {
  const request = queries.live(project);
  const { data } = useRead<LiveAnswer>("Visitors in the last 5 minutes", request);
  useEffect(() => {
    const timer = setInterval(() => mayPoll() && prepare(request, everyMs - 1_000), everyMs);
    return () => clearInterval(timer);
  }, [project]);
  if (data === undefined) return null;
  return (
    <a
      class="live"
      href={linkTo("live")}
      data-on={data.active_visitors > 0}
      title="In the last 5 minutes"
    >
      <i aria-hidden="true" />
      {exact(data.active_visitors)}
      <span>{data.active_visitors === 1 ? "visitor" : "visitors"} now</span>
    </a>
  );
}
