import { pageDocument } from "../../http/pages/html";
import { escapeHtml } from "../../lib/escape-html";
import type { ShareHolder } from "../../store/control/shares";

/** The date on which a share was made. */
export const sinceOf = ({ createdAtMs }: ShareHolder["share"]): string =>
  new Date(createdAtMs).toISOString().slice(0, 10);

/** `alert` says what became of the try before. */
export const passwordPage = (holder: ShareHolder, alert: string | null): string =>
  documentOf(
    holder,
    `${alert === null ? "" : `<p class="alert" role="alert">${escapeHtml(alert)}</p>`}
<form method="post">
<label>Password <input type="password" name="password" autocomplete="off" required autofocus></label>
<button>View</button>
</form>`,
  );

function documentOf({ share, owner, project }: ShareHolder, content: string): string {
  const since = sinceOf(share);
  return pageDocument({
    name: "share",
    title: escapeHtml(project),
    body: `<main class="narrow">
<h1><bdi>${escapeHtml(project)}</bdi></h1>
<p><bdi>${escapeHtml(share.name)}</bdi>, shared by <bdi>${escapeHtml(owner)}</bdi> since ${since}.</p>
${content}
</main>`,
  });
}
