/** The own hosts of the projects whose histories are held against the model (store/port.ts, ReadRequest). */
export const ownHosts: readonly string[] = ["own.example", "own.example.org"];
