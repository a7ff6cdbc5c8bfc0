/** The configuration is refused. The message names the variable and says what it takes. */
export class ConfigError extends Error {}
