import { BackupsPage } from "./administration/backups";
import { DiskPage } from "./administration/disk";
import { AdministrationPage } from "./administration/page";

/** The pages about the whole server are one script, because the same few people open all of them. */
export const server = {
  backups: BackupsPage,
  disk: DiskPage,
  administration: AdministrationPage,
};
