import { projects } from "../../state/account";
import { may } from "../../state/rights";
import { param, place } from "../../state/route";
import { Empty } from "../../ui/states";
import { CurrentImport } from "./current-import";
import { ExportCard } from "./export";
import { ImportFile } from "./import-file";
import { Imports } from "./imports";
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
  const open = param("import");
  return (
    <div class="stack">
      {may("administer") && <Sources key={project.id} project={project} />}
      {may("administer") && open !== "" && <CurrentImport key={open} id={open} />}
      <div class="halves">
        {may("administer") && <ImportFile key={project.id} project={project} />}
        <div class="stack">
          <Imports key={project.id} project={project} />
          {may("people") && <ExportCard key={project.id} project={project} />}
        </div>
      </div>
    </div>
  );
}
