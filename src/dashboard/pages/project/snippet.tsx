import type { Project } from "../../data/answers";
import { Card } from "../../ui/card";
import { Arrivals } from "./arrivals";
import { Installation } from "./installation";

/** What goes into the site's pages, and what came of it. */
export const Snippet = ({ project }: { readonly project: Project }) => (
  <Card title="Snippet" wide>
    <Installation project={project} />
    <Arrivals project={project} />
  </Card>
);
