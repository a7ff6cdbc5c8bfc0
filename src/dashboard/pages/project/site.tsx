import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { loadProjects } from "../../state/account";
import { go, linkTo } from "../../state/route";
import { Card } from "../../ui/card";
import { Form } from "../../ui/form";
import { originsOf } from "./origins";

const zones = Intl.supportedValuesOf("timeZone");

/** Name, origins and time zone. */
export function Site({ project }: { readonly project: Project }) {
  const [name, setName] = useState(project.name);
  const [origins, setOrigins] = useState(originsOf(project).join("\n"));
  const [zone, setZone] = useState(project.timezone);
  const save = async () => {
    const allowed = origins.split(/[\s,]+/).filter((one) => one !== "");
    const body = {
      ...(name.trim() !== project.name && { name: name.trim() }),
      ...(zone !== project.timezone && { timezone: zone }),
      allowed_origins: allowed.join(","),
    };
    await call({ method: "PATCH", path: `/projects/${encodeURIComponent(project.id)}`, body });
    await loadProjects();
    forget();
    if (name.trim() !== project.name) go(linkTo("project", name.trim()), true);
    return "Saved.";
  };
  return (
    <Card title="Site">
      <Form send={save} submit="Save">
        <label>
          Name
          <small>The id stays, and so does the snippet on your pages.</small>
          <input
            id="site-name"
            value={name}
            required
            maxLength={64}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p class="fine">
          ID, which programs can use in place of the name: <span class="ids">{project.id}</span>
        </p>
        <label>
          Allowed origins
          <small>
            One per line, for example https://example.com, which also allows www.example.com. Use *.
            for all subdomains.
          </small>
          <textarea
            rows={3}
            value={origins}
            required
            spellcheck={false}
            onInput={(event) => setOrigins(event.currentTarget.value)}
          />
        </label>
        <label>
          Time zone
          <small>Days and hours in this project's numbers use this time zone.</small>
          <input
            value={zone}
            list="zones"
            required
            onInput={(event) => setZone(event.currentTarget.value)}
          />
        </label>
        <datalist id="zones">
          {zones.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </Form>
    </Card>
  );
}
