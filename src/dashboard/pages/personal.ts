import { AccountPage } from "./account/page";
import { BackupsPage } from "./administration/backups";
import { DiskPage } from "./administration/disk";
import { AdministrationPage } from "./administration/page";
import { PlanPage } from "./plan/page";
import { UpgradePage } from "./plan/upgrade";
import { StartPage } from "./start/page";

/** The pages of a person and of the server are one script. */
export const personal = {
  account: AccountPage,
  administration: AdministrationPage,
  backups: BackupsPage,
  disk: DiskPage,
  plan: PlanPage,
  start: StartPage,
  upgrade: UpgradePage,
};
