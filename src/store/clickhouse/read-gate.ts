/** Lets work run while no read does. Reads that begin meanwhile wait for its end. */
export class ReadGate {
  private running = 0;
  private closed: Promise<void> | null = null;
  private emptied: (() => void) | null = null;

  get count(): number {
    return this.running;
  }
  async enter(): Promise<void> {
    while (this.closed !== null) await this.closed;
    this.running++;
  }
  leave(): void {
    this.running--;
    if (this.running === 0) this.emptied?.();
  }

  async alone(work: () => Promise<void>): Promise<void> {
    while (this.closed !== null) await this.closed;
    const { promise, resolve: open } = Promise.withResolvers<void>();
    this.closed = promise;
    try {
      if (this.running > 0) {
        await new Promise<void>((resolve) => {
          this.emptied = resolve;
        });
      }
      await work();
    } finally {
      this.emptied = null;
      this.closed = null;
      open();
    }
  }
}
