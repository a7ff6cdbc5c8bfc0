import { useEffect, useState } from "preact/hooks";
import { call, isGuest } from "../../data/api";
import { chosenProject, hasKey, loadProjects, projects } from "../../state/account";
import { may } from "../../state/rights";
import { go, linkTo, param, place, stayWith } from "../../state/route";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { Waiting } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { NewKey } from "../account/api-key";
import { Installation } from "../project/installation";
import { FirstEvent } from "./first-event";
import { NewProject } from "./new-project";
import { Plan } from "./plan";

/** This page leads from an empty account to the first number: project, snippet, first event; the API key comes last. */
export function StartPage() {
  const [key, setKey] = useState("");
  // The reader did not ask for this page and wants to see numbers as soon as there are any. Readers who cannot set up a
  // project have nothing to do here.
  const hasSteps = may("edit") && projects.value.every(({ total_events }) => total_events === 0);
  const isPassing =
    projects.value.length > 0 && (isGuest.value || (place.value.params.size === 0 && !hasSteps));
  useEffect(() => {
    const shown = chosenProject(null);
    if (isPassing && shown !== undefined) go(linkTo("overview", shown.name), true);
  }, [isPassing]);
  if (isPassing) return <Waiting rows={10} />;
  const chosen = projects.value.find(({ id }) => id === param("project")) ?? projects.value.at(-1);
  const choose = async (id: string) => {
    await loadProjects();
    go(`/app?project=${encodeURIComponent(id)}`, true);
    stayWith(projects.value.find((one) => one.id === id)?.name ?? "");
  };
  return (
    <div class="steps">
      <Card title="1. Project" id="project-heading">
        {chosen !== undefined && (
          <label class="chooser">
            Show
            <select
              id="project-chooser"
              value={chosen.id}
              onChange={(event) => void choose(event.currentTarget.value)}
            >
              {projects.value.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {may("create") ? (
          <NewProject
            key={chosen === undefined}
            isOpen={chosen === undefined || place.value.params.has("new")}
            created={choose}
          />
        ) : (
          chosen === undefined && <p>You see no project of this account yet. Ask for access.</p>
        )}
      </Card>
      {chosen !== undefined && (
        <>
          <Card key={`snippet ${chosen.id}`} title={`2. Snippet for ${chosen.name}`}>
            <Installation project={chosen} />
            <Plan project={chosen} />
          </Card>
          <FirstEvent key={chosen.id} project={chosen} apiKey={key} />
        </>
      )}
      <Key made={key} setMade={setKey} />
    </div>
  );
}

interface KeyProps {
  readonly made: string;
  readonly setMade: (key: string) => void;
}

function Key({ made, setMade }: KeyProps) {
  const { error, isBusy, run } = useAction();
  const make = () =>
    run(async () => {
      const { answer } = await call<{ api_key: string }>({
        method: "POST",
        path: "/account/api-key",
      });
      setMade(answer.api_key);
      await loadProjects();
    });
  return (
    <Card title="API key, when you want one">
      {made !== "" && <NewKey value={made} />}
      {made === "" && hasKey.value && (
        <p id="key-exists">
          This account has an API key, which was shown once. If you lost it, replace it in the{" "}
          <a class="link" href="/app/settings">
            account settings
          </a>
          .
        </p>
      )}
      {!hasKey.value && (
        <>
          <p class="fine">Agents, scripts and the command line use it to read your numbers.</p>
          <button id="make-key" type="button" class="primary" disabled={isBusy} onClick={make}>
            Create the API key
          </button>
        </>
      )}
      <Outcome error={error} done="" />
    </Card>
  );
}
