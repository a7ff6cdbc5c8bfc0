import type { Project } from "../../data/answers";
import { projects } from "../../state/account";
import { may } from "../../state/rights";
import { linkTo, place } from "../../state/route";
import { linkToSettings, settingsTabs } from "../../state/settings";
import { RecordingSettings } from "../../ui/recording-settings";
import { Empty } from "../../ui/states";
import { Alerts } from "./alerts";
import { Budget } from "./budget";
import { Context } from "./context";
import { Elsewhere } from "./elsewhere";
import { Exclusions } from "./exclusions";
import { Goals } from "./goals";
import { Linking } from "./linking";
import { People } from "./people";
import { Removal } from "./removal";
import { Reports } from "./reports";
import { Retention } from "./retention";
import { Shares } from "./shares";
import { Site } from "./site";
import { Snippet } from "./snippet";
import { Trust } from "./trust";

/** The settings of one project, in tabs. Each tab has an address, and only the open one sends requests. */
export function ProjectPage() {
  const { project: wanted, id } = place.value;
  const project = projects.value.find((one) => one.name === wanted || one.id === wanted);
  if (project === undefined) {
    return (
      <Empty>
        <strong>This account has no such project</strong>
      </Empty>
    );
  }
  const tabs = settingsTabs();
  const open = id || tabs[0]?.[0] || "";
  return (
    <>
      <nav class="settings-tabs" aria-label="Settings">
        {tabs.map(([key, name]) => (
          <a key={key} href={linkToSettings(key)} aria-current={key === open ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {tabs.some(([key]) => key === open) ? (
        <div class="halves settings" key={`${project.id} ${open}`}>
          <Tab tab={open} project={project} />
        </div>
      ) : (
        <Empty>
          <strong>There is nothing for you here</strong>
          <p>The tabs above list the settings that you may see.</p>
        </Empty>
      )}
    </>
  );
}

interface TabProps {
  readonly tab: string;
  readonly project: Project;
}

function Tab({ tab, project }: TabProps) {
  switch (tab) {
    case "goals":
      return <Goals project={project} />;
    case "sharing":
      return (
        <>
          {may("edit") && <Shares project={project} />}
          <div class="stack">
            <Reports project={project} />
            <Alerts project={project} />
          </div>
        </>
      );
    case "meaning":
      return <Context project={project} />;
    case "privacy":
      return (
        <>
          <Trust project={project} />
          <div class="stack">
            <Linking project={project} />
            {may("people") && (
              <>
                <RecordingSettings project={project.name} />
                <Elsewhere
                  title="Data of one visitor"
                  text="On a visitor's page you can export or delete all data about them."
                  link={linkTo("people")}
                  name="Find the visitor"
                />
              </>
            )}
          </div>
        </>
      );
    case "team":
      return <People project={project} />;
    case "data":
      return <Data project={project} />;
    case "danger":
      return <Removal project={project} />;
    default:
      return <Tracking project={project} />;
  }
}

type OneProject = Pick<TabProps, "project">;

const Tracking = ({ project }: OneProject) => (
  <>
    <Snippet project={project} />
    {may("edit") && (
      <>
        <Site key={project.name} project={project} />
        <Exclusions project={project} />
      </>
    )}
  </>
);

const Data = ({ project }: OneProject) => (
  <>
    {may("administer") && (
      <>
        <Retention project={project} />
        <Budget project={project} />
      </>
    )}
    <Elsewhere
      title="Move in and out"
      text="Imports from other products, and exports of everything that is stored."
      link={linkTo("move")}
      name="Move in and out"
    />
  </>
);
