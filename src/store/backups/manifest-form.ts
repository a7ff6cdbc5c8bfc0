import Type from "typebox";
import { schema } from "../../lib/schema";
import { levels, type Manifest } from "./manifest";

const count = Type.Integer({ minimum: 0 });
const digest = Type.String({ pattern: "^[0-9a-f]{64}$" });
const line = "\\d{14}-[0-9a-f]{8}";
/** A name never leads out of the target. */
const objectName = Type.String({ pattern: "^(?!.*\\.\\.)[0-9a-zA-Z][0-9a-zA-Z/._-]{0,255}$" });
const stored = { name: objectName, bytes: count, sha256: digest };

const Copy = Type.Object({
  // It becomes the name of a file in the restored folder.
  file: Type.String({ pattern: "^[a-z]{1,32}\\.db$" }),
  tables: Type.Optional(Type.String()),
  pageBytes: Type.Integer({ minimum: 512, maximum: 65_536 }),
  pages: count,
  objects: Type.Array(Type.Object({ ...stored, content: Type.String() })),
});

/** The form of a manifest. Fields that a later version adds are allowed. */
const ManifestForm = schema(
  Type.Object({
    format: Type.Literal(1),
    installation: Type.String({ pattern: "^[0-9a-f]{32}$" }),
    line: Type.String({ pattern: `^${line}$` }),
    n: Type.Integer({ minimum: 1 }),
    level: Type.Enum([...levels]),
    atMs: count,
    version: Type.String(),
    base: Type.Union([Type.Object({ name: Type.String(), sha256: digest }), Type.Null()]),
    databases: Type.Array(Copy),
    recordings: Type.Object({
      added: Type.Array(Type.Object({ ...stored, id: Type.String(), number: count })),
      removed: Type.Array(count),
    }),
    projects: Type.Array(Type.Object({ id: Type.String(), events: count })),
    lastTicket: count,
  }),
);

/** Tells whether parsed JSON is a manifest. */
export const isManifest = (value: unknown): value is Manifest =>
  !("issues" in ManifestForm["~standard"].validate(value));
