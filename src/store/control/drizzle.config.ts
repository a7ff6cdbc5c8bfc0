import { defineConfig } from "drizzle-kit";

/** `npm run db:generate` writes the next migration; read it before it is kept. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/store/control/*tables.ts",
  out: "./drizzle/control",
});
