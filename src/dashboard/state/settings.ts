import { account } from "./account";
import { may, mayOpen } from "./rights";
import { linkTo, place } from "./route";

type Tab = readonly [key: string, name: string];

/** The tabs of a project's settings in their order. A reader sees the tabs with settings that their rights allow. */
const allTabs: readonly (readonly [...Tab, isFor: () => boolean])[] = [
  ["tracking", "Tracking", () => account.value !== null],
  ["goals", "Goals", () => true],
  ["sharing", "Sharing", () => account.value !== null],
  ["meaning", "Meaning", () => may("edit")],
  ["privacy", "Privacy", () => may("edit")],
  ["team", "Team", () => account.value !== null],
  ["data", "Data", () => mayOpen("move")],
  ["danger", "Danger", () => may("administer")],
];

export const settingsTabs = (): readonly Tab[] =>
  allTabs.filter(([, , isFor]) => isFor()).map(([key, name]) => [key, name]);

export const linkToSettings = (tab: string, project = place.value.project): string =>
  linkTo("project", project, {}, tab);
