/** The server keeps this much of a project's context; a test holds these numbers against the server's own. */
export const contextMax = { goals: 5, activationEvents: 8, glossary: 10, annotations: 100 };
/** The same of a project's goals. */
export const goalMax = { goals: 30, filters: 5, nameChars: 64 };
