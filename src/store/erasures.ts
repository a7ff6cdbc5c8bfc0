/** The erasure of people from an engine. */
export interface ErasureStore {
  /**
   * Removes everything that a project has of these ids and of those that stand for them. Resolves when no read that
   * starts then sees anything of it; exports that run are cut. It can be called again after a failure or a stop.
   */
  erase(projectId: string, userIds: readonly string[]): Promise<void>;
  /** Overwrites what is left in files of everything that was erased. Resolves with false while that has to wait. */
  clean(): Promise<boolean>;
}
