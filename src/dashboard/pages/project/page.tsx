import { account, projects } from "../../state/account";
import { may } from "../../state/rights";
import { place } from "../../state/route";
import { Empty } from "../../ui/states";
import { Alerts } from "./alerts";
import { Budget } from "./budget";
import { Context } from "./context";
import { Exclusions } from "./exclusions";
import { Removal } from "./removal";
import { Reports } from "./reports";
import { Retention } from "./retention";
import { Shares } from "./shares";
import { Site } from "./site";
import { Snippet } from "./snippet";
import { Trust } from "./trust";

/** The settings of one project: its snippet and what arrives, its site, the context of its numbers, its deletion. */
export function ProjectPage() {
  const project = projects.value.find(({ name }) => name === place.value.project);
  if (project === undefined) {
    return (
      <Empty>
        <strong>This account has no such project</strong>
      </Empty>
    );
  }
  return (
    <div class="halves">
      <div class="stack">
        <Snippet key={project.id} project={project} />
        {may("edit") && (
          <>
            <Site key={project.id} project={project} />
            <Exclusions key={project.id} project={project} />
            <Shares key={project.id} project={project} />
          </>
        )}
        {account.value !== null && <Reports key={project.id} project={project} />}
      </div>
      <div class="stack">
        {may("edit") && <Context key={project.id} project={project} />}
        {account.value !== null && <Alerts key={project.id} project={project} />}
        {may("edit") && <Trust key={project.id} project={project} />}
        {may("administer") && (
          <>
            <Retention key={project.id} project={project} />
            <Budget key={project.id} project={project} />
            <Removal key={project.id} project={project} />
          </>
        )}
      </div>
    </div>
  );
}
