import { mayOpen } from "../state/rights";
import { linkTo, place } from "../state/route";
import { shared } from "../state/share";
import { Icon, Mark } from "../ui/icons";
import { AccountMenu } from "./account-menu";
import { ProjectMenu } from "./project-menu";
import { SharedProject } from "./shared-project";

type PageGroup = readonly [
  group: string,
  pages: readonly (readonly [page: string, name: string, key: string])[],
];

/** The pages in the order of the questions: what happens, why, who, what next. */
const allGroups: readonly PageGroup[] = [
  [
    "",
    [
      ["overview", "Overview", "o"],
      ["live", "Live", "l"],
    ],
  ],
  [
    "Analyse",
    [
      ["changes", "What changed", "w"],
      ["explore", "Explore", "e"],
      ["funnels", "Funnels", "f"],
      ["retention", "Retention", "r"],
      ["paths", "Paths", "h"],
      ["pages", "Pages", "p"],
      ["sources", "Sources", "u"],
    ],
  ],
  [
    "Activity",
    [
      ["sessions", "Sessions", "s"],
      ["people", "Visitors", "i"],
      ["events", "Events", "v"],
      ["replays", "Replays", "y"],
    ],
  ],
  [
    "Improve",
    [
      ["speed", "Speed and errors", "g"],
      ["experiments", "Experiments", "x"],
    ],
  ],
  [
    "Project",
    [
      ["bots", "Bot traffic", "b"],
      ["project", "Project settings", "j"],
      ["move", "Move in and out", "m"],
      ["sites", "All sites", "a"],
    ],
  ],
];

/** The pages that whoever is looking may open. */
export const pageGroups = (): readonly PageGroup[] =>
  allGroups
    .map(([group, pages]): PageGroup => [group, pages.filter(([page]) => mayOpen(page))])
    .filter(([, pages]) => pages.length > 0);

const personalNames: Readonly<Record<string, string>> = {
  start: "Getting started",
  account: "Account",
  administration: "Administration",
  backups: "Backups",
  disk: "Disk",
  plan: "Plan and billing",
  upgrade: "Upgrade to Pro",
};

export const nameOfPage = (wanted: string): string | undefined =>
  personalNames[wanted] ??
  allGroups.flatMap(([, pages]) => pages).find(([page]) => page === wanted)?.[1];

export function Nav() {
  return (
    <nav class="side" aria-label="Pages">
      <div class="brand">
        <Mark />
        <strong>Sightline</strong>
      </div>
      {shared === null ? <ProjectMenu /> : <SharedProject />}
      <div class="side-pages">
        {/* Without a project there is nothing that these pages could show. */}
        {(place.value.project === "" ? [] : pageGroups()).map(([group, pages]) => (
          <ul key={group} aria-label={group || undefined}>
            {group !== "" && (
              <li class="group" aria-hidden="true">
                {group}
              </li>
            )}
            {pages.map(([page, name, key]) => (
              <li key={page}>
                <a
                  href={linkTo(page)}
                  aria-current={place.value.page === page ? "page" : undefined}
                  title={name}
                >
                  <Icon name={page} />
                  <span>{name}</span>
                  <kbd>g {key}</kbd>
                </a>
              </li>
            ))}
          </ul>
        ))}
      </div>
      {shared === null && <AccountMenu />}
    </nav>
  );
}
