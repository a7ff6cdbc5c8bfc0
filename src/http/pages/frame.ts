import { pageDocument } from "./html";

interface FramedPage {
  /** By which the pages' script knows what to do. */
  readonly name: string;
  readonly title: string;
  /** What stands above the content, when that is not the title. */
  readonly heading?: string;
  /** Where it is, so that the navigation can say which page this is. */
  readonly path: string;
  /** Markup of what comes below the navigation, as `pageDocument` has it. */
  readonly main: string;
}

/** In the order in which they are shown; the application has all further pages. */
const places: readonly (readonly [path: string, name: string])[] = [
  ["/app/p", "Overview"],
  ["/app/live", "Live"],
  ["/app?new", "New project"],
];

/** What belongs to the person and not to a project. What has an id is shown to whom it is for, by the script. */
const ownPlaces: readonly (readonly [path: string, name: string, id?: string])[] = [
  ["/app/settings", "Settings"],
  ["/account/billing", "Plan", "plan-link"],
  ["/app/admin", "Administration", "admin-link"],
  ["/docs", "API"],
];

/** A page for somebody who is logged in: the navigation, a way out, and one question at a time. */
export const framedPage = ({ name, title, heading = title, path, main }: FramedPage): string =>
  pageDocument({
    name,
    title,
    body: `<a class="skip" href="#main">Skip to the content</a>
<header class="frame">
<a class="brand" href="/app/p"><img src="/app/icon.svg" alt="" width="24" height="24"> <strong>Sightline</strong></a>
<nav aria-label="Pages"><ul>
${places.map(([at, text]) => linkTo(at, text, path)).join("\n")}
</ul></nav>
<details id="account-menu"><summary><bdi id="who">Account</bdi></summary>
<ul aria-label="Account">
${ownPlaces.map(([at, text, id]) => linkTo(at, text, path, id)).join("\n")}
<li><button id="logout" type="button" class="quiet">Log out</button></li>
</ul></details>
</header>
<main id="main" tabindex="-1">
<h1>${heading}</h1>
<noscript><p class="alert">This page needs JavaScript.</p></noscript>
<p id="alert" class="alert" role="alert" hidden></p>
<p id="done" class="done" role="status" hidden></p>
${main}
</main>
<dialog id="question" aria-labelledby="question-text"><form method="dialog">
<p id="question-text"></p>
<button id="question-yes" value="yes"></button> <button value="no" class="quiet" autofocus>Cancel</button>
</form></dialog>`,
  });

function linkTo(path: string, text: string, current: string, id?: string): string {
  const isHidden = id === undefined ? "" : ` id="${id}" hidden`;
  const mark = path === current ? ' aria-current="page"' : "";
  return `<li${isHidden}><a href="${path}"${mark}>${text}</a></li>`;
}
