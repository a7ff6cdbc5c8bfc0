import type { Project } from "../../data/answers";
import { useRead } from "../../data/reads";
import { serverAddress } from "../../lib/server-path";
import { may } from "../../state/rights";
import { CopyBlock } from "../../ui/copy-block";
import { When } from "../../ui/states";
import { originsOf } from "./origins";

interface Installed {
  readonly snippet: string;
  readonly snippet_note: string;
}

/** Shows the snippet for the site's pages. */
export const Installation = ({ project }: { readonly project: Project }) =>
  may("create") ? <ToldSnippet project={project} /> : <PlainSnippet project={project} />;

/** The snippet, made here: the server gives it only to members who may create projects. It has no secret. */
const PlainSnippet = ({
  project: { name, project_token: token },
}: {
  readonly project: Project;
}) => (
  <CopyBlock
    id="snippet"
    text={`<script defer src="${serverAddress()}/tracker.js" data-project="${name}" data-token="${token}"></script>`}
    what="the snippet"
  />
);

/** Making a project that exists changes nothing and returns its snippet again. */
function ToldSnippet({ project }: { readonly project: Project }) {
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
