/** Does something again and again until it is told to stop. */
export class LeaseRenewal {
  private readonly timer: NodeJS.Timeout;
  private renewing = Promise.resolve();

  constructor(everyMs: number, renew: () => Promise<void>) {
    this.timer = setInterval(() => {
      this.renewing = renew();
    }, everyMs).unref();
  }

  /** Waits for the one in progress: were it later than what ends the lease, repetitions would be kept out. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing;
  }
}
