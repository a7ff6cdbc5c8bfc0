/** With `type: "file"` an import gives the path of the database, also within the executable. */
declare module "*.mmdb" {
  const path: string;
  export = path;
}
