import { projects } from "../../state/account";
import { place } from "../../state/route";
import { Empty } from "../../ui/states";
import { ExportCard } from "./export";
import { Sources } from "./sources";

/** Moving a project in from another product, and out to anywhere. */
export function MovePage() {
  const project = projects.value.find(({ name }) => name === place.value.project);
  if (project === undefined) {
    return (
      <Empty>
        <strong>This account has no such project</strong>
      </Empty>
    );
  }
  return (
    <div class="stack">
      <Sources key={project.id} project={project} />
      <ExportCard key={project.id} project={project} />
    </div>
  );
}
