import { interfaceVersion } from "../../http/operation/openapi-document";
import { version } from "../../version";
import style from "./reference.css" with { type: "text" };

/**
 * The page of /docs/api: the operations as Swagger UI shows them, in the frame of the dashboard. Its links are
 * relative, so that a proxy may serve all of it below a path.
 */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Sightline</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="frame.css">
<script src="theme.js"></script>
</head>
<body>
<header class="frame">
<span><strong>Sightline</strong> version ${version}, interface version ${interfaceVersion}</span>
<nav aria-label="Sightline">
<a href="../docs">Documentation</a>
<a href="../app">Back to the dashboard</a>
<a href="../openapi.json">openapi.json</a>
</nav>
</header>
<div id="operations"></div>
<script src="swagger-ui.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

/** The frame around the operations, and the colours of the dashboard for what lies below them. */
export const referenceStyle: string = style;

/** Dark or light as the dashboard was told to be, else as the system is. It runs before anything is painted. */
export const themeScript = `const isDark = matchMedia("(prefers-color-scheme: dark)");
const apply = () => {
  const theme = localStorage.getItem("sightline:theme") ?? (isDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle("dark-mode", theme === "dark");
};
apply();
isDark.addEventListener("change", apply);
addEventListener("storage", apply);
`;

/** Most people come for the reads. Without validatorUrl: null a server elsewhere would be asked about the document. */
export const startScript = `const first = ["Reads", "Live", "Context", "Projects"];
const place = (tag) => (first.includes(tag) ? first.indexOf(tag) : first.length);
SwaggerUIBundle({
  url: "../openapi.json", dom_id: "#operations", validatorUrl: null, deepLinking: true,
  docExpansion: "none", defaultModelsExpandDepth: 0,
  tagsSorter: (one, other) => place(one) - place(other) || one.localeCompare(other),
});
`;
