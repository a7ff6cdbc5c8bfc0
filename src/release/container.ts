/** The targets whose executable runs in the image of the Dockerfile, which has the C library of Debian. */
const targetsOfImage: readonly string[] = ["linux-x64", "linux-x64-baseline", "linux-arm64"];

const head = `# docker build -t sightline . && docker run -p 3000:3000 -v sightline:/data sightline
`;

/**
 * The files that make a container of an archive, by their names: those of the sources, in which the executable lies in
 * `dist` and not beside them. None for a target that such a container cannot run.
 */
export function containerFiles(
  target: string,
  textOf: (path: string) => string,
): ReadonlyMap<string, string> {
  if (!targetsOfImage.includes(target)) return new Map();
  const ofSources = textOf("Dockerfile").replace(/^(#.*\n)+/, head);
  return new Map([
    ["Dockerfile", changed(ofSources, "COPY --chmod=755 dist/", "COPY --chmod=755 ")],
    [".dockerignore", "*\n!sightline\n"],
    ["compose.yaml", changed(textOf("compose.yaml"), "npm run build && ", "")],
  ]);
}

function changed(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`"${from}" is not in the file once.`);
  return text.replace(from, to);
}
