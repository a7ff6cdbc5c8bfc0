import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { Field } from "../../ui/field";
import { Form } from "../../ui/form";

interface NewProjectProps {
  readonly isOpen: boolean;
  readonly created: (id: string) => Promise<void>;
}

export function NewProject({ isOpen: startsOpen, created }: NewProjectProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  const [name, setName] = useState("");
  const [domain, setDomain] = useState("");
  const make = async () => {
    const body = { name: name.trim(), domain: domain.trim() };
    const { answer } = await call<{ id: string }>({ method: "POST", path: "/projects", body });
    setName("");
    setDomain("");
    setOpen(false);
    await created(answer.id);
  };
  return (
    <details
      id="project-new"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.hasAttribute("open"))}
    >
      <summary>New project</summary>
      <Form id="project-form" send={make} submit="Create project">
        <Field
          id="project-name"
          label="Name"
          hint="letters, digits, dot, dash and underscore"
          maxLength={64}
          pattern="[A-Za-z0-9._\-]+"
          value={name}
          change={setName}
        />
        <Field
          id="project-domain"
          label="Domain"
          hint="example.com, or an origin such as https://shop.example.com"
          value={domain}
          change={setDomain}
        />
      </Form>
    </details>
  );
}
