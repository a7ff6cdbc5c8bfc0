import { htmlType } from "../../http/pages/html";

/**
 * The page of a viewer's link. Only the player's script runs in it, it loads nothing that a recording names, and no
 * other site may frame it. What it shows it asks for itself: the document is the same for every link.
 */
export const viewerPage = (ownOrigin: string, viewerOrigin: string, basePath = ""): Response =>
  new Response(viewerDocument, {
    headers: {
      "content-type": htmlType,
      "content-security-policy":
        "sandbox allow-scripts allow-same-origin; default-src 'none'; " +
        `script-src ${viewerOrigin}${basePath}/replay-player.js; style-src 'unsafe-inline'; img-src data: blob:; ` +
        `font-src data:; connect-src ${viewerOrigin}; frame-ancestors ${ownOrigin}`,
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-robots-tag": "noindex",
      "x-content-type-options": "nosniff",
    },
  });

const viewerDocument = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Replay · Sightline</title>
<script defer src="../../replay-player.js"></script>
</head>
<body></body>
</html>
`;
