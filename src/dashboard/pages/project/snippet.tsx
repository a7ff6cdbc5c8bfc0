import type { Project } from "../../data/answers";
import { Card } from "../../ui/card";
import { Arrivals } from "./arrivals";
import { Installation } from "./installation";

/** The snippet for the site's pages, and whether events arrive. */
export const Snippet = ({ project }: { readonly project: Project }) => (
  <Card title="Snippet" wide>
    <Installation project={project} />
    <Arrivals project={project} />
  </Card>
);
