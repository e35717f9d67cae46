/** Resolves when somebody wants the system to stop; a second request means at once. */
export class StopRequest {
  readonly asked: Promise<void>;
  private count = 0;

  constructor(onSecond: () => void) {
    this.asked = new Promise((resolve) => {
      const ask = (): void => {
        this.count += 1;
        if (this.count === 1) resolve();
        else onSecond();
      };
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
      // Started by another program that is gone now.
      process.once('disconnect', ask);
    });
  }

  get made(): boolean {
    return this.count > 0;
  }
}
