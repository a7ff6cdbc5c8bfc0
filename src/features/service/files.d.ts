/** Files that are imported by path, with { type: "file" }. */
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  const path: string;
  export = path;
}
declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export = path;
}
