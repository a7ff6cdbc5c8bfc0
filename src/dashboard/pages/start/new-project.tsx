import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { Field } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";

interface NewProjectProps {
  readonly isOpen: boolean;
  readonly created: (id: string) => Promise<void>;
}

export function NewProject({ isOpen: startsOpen, created }: NewProjectProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  const [name, setName] = useState("");
  const [domain, setDomain] = useState("");
  const { error, isBusy, run } = useAction();
  const make = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const body = { name: name.trim(), domain: domain.trim() };
      const { answer } = await call<{ id: string }>({ method: "POST", path: "/projects", body });
      setName("");
      setDomain("");
      setOpen(false);
      await created(answer.id);
    });
  };
  return (
    <details
      id="project-new"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.hasAttribute("open"))}
    >
      <summary>New project</summary>
      <form class="form" id="project-form" onSubmit={make} aria-busy={isBusy}>
        <Field
          id="project-name"
          label="Name"
          hint="letters, digits, dot, dash and underscore"
          autocomplete="off"
          maxLength={64}
          pattern="[A-Za-z0-9._\-]+"
          value={name}
          change={setName}
        />
        <Field
          id="project-domain"
          label="Domain"
          hint="example.com, or an origin such as https://shop.example.com"
          autocomplete="off"
          value={domain}
          change={setDomain}
        />
        <Outcome error={error} done="" />
        <button type="submit" class="primary">
          Create project
        </button>
      </form>
    </details>
  );
}
