import type { Project } from "../../data/answers";
import { useRead } from "../../data/reads";
import { CopyBlock } from "../../ui/copy-block";
import { When } from "../../ui/states";
import { originsOf } from "./origins";

interface Installed {
  readonly snippet: string;
  readonly snippet_note: string;
}

/**
 * Shows the snippet for the site's pages. Making a project that exists changes nothing and returns its snippet again.
 */
export function Installation({ project }: { readonly project: Project }) {
  const domain = originsOf(project).find((origin) => origin !== "*") ?? location.origin;
  const body = { name: project.name, domain };
  const reading = useRead<Installed>("The snippet", { method: "POST", path: "/projects", body });
  return (
    <When reading={reading} rows={3}>
      {({ snippet, snippet_note }) => (
        <>
          <p class="fine">{snippet_note}</p>
          <CopyBlock id="snippet" text={snippet} what="the snippet" />
        </>
      )}
    </When>
  );
}
