import { MovePage } from "./move/page";
import { ProjectPage } from "./project/page";

/** The settings of a project, and the way in and out of its data, are one script. */
export const settings = {
  move: MovePage,
  project: ProjectPage,
};
