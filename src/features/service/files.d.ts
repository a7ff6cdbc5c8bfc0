/** Files that are imported by path, with { type: "file" }. */
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  const path: string;
  export = path;
}
declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export = path;
}
/** Style sheets of ours come into the bundle as text. */
declare module "*.css" {
  const text: string;
  export = text;
}
