/** Imported with `type: "file"`: the path of the database, also within the executable. */
declare module "*.mmdb" {
  const path: string;
  export = path;
}
