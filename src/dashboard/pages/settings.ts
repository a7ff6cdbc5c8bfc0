import { AccountPage } from "./account/page";
import { BackupsPage } from "./administration/backups";
import { DiskPage } from "./administration/disk";
import { AdministrationPage } from "./administration/page";
import { MovePage } from "./move/page";
import { PlanPage } from "./plan/page";
import { UpgradePage } from "./plan/upgrade";
import { ProjectPage } from "./project/page";
import { StartPage } from "./start/page";

/** The settings of a project, a person and the server are one script, together with import and export of data. */
export const settings = {
  account: AccountPage,
  administration: AdministrationPage,
  backups: BackupsPage,
  disk: DiskPage,
  move: MovePage,
  plan: PlanPage,
  project: ProjectPage,
  start: StartPage,
  upgrade: UpgradePage,
};
