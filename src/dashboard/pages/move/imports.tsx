import type { Project } from "../../data/answers";
import type { ImportsAnswer } from "../../data/move-answers";
import { useRead } from "../../data/reads";
import { localDate } from "../../lib/words";
import { param, set } from "../../state/route";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { openImport, RemoveImport } from "./current-import";
import { kindNames, stateText } from "./import-words";

/** The imports of a project, newest first. */
export function Imports({ project }: { readonly project: Project }) {
  const reading = useRead<ImportsAnswer>("Imports", {
    method: "GET",
    path: "/imports",
    query: { project: project.name },
  });
  return (
    <Card title="Imports" id="imports-heading">
      <When reading={reading} rows={3}>
        {({ imports }) =>
          imports.length === 0 ? (
            <p class="fine">No file has been imported into this project.</p>
          ) : (
            <ul id="imports" class="entries">
              {imports.map((one) => (
                <li key={one.id}>
                  <div>
                    <strong>
                      <Said text={one.name ?? one.id} />
                    </strong>
                    <p class="fine">
                      {kindNames[one.kind ?? ""] ?? "Kind not known yet"},{" "}
                      {localDate(one.created_at)}. {stateText(one)}
                    </p>
                  </div>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Show ${one.name ?? one.id}`}
                    aria-pressed={param("import") === one.id}
                    onClick={() => openImport(one.id)}
                  >
                    Show
                  </button>
                  <RemoveImport
                    answer={one}
                    done={() => {
                      if (param("import") === one.id) set({ import: null });
                    }}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </When>
    </Card>
  );
}
