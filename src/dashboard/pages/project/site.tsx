import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { loadProjects } from "../../state/account";
import { go, linkTo } from "../../state/route";
import { Card } from "../../ui/card";
import { Field } from "../../ui/field";
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
        <Field
          id="site-name"
          label="Name"
          hint="The id stays, and so does the snippet on your pages."
          maxLength={64}
          value={name}
          change={setName}
        />
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
        <Field
          id="site-zone"
          label="Time zone"
          hint="Days and hours in this project's numbers use this time zone."
          offers={zones}
          value={zone}
          change={setZone}
        />
      </Form>
    </Card>
  );
}
