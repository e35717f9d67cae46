/**
 * Renews a lease at intervals while its work runs; call `stop` in a `finally`. `renew` handles its own errors: a renewal
 * that fails is tried again at the next interval.
 */
export class LeaseRenewal {
  private readonly timer: NodeJS.Timeout;
  private renewing = Promise.resolve();

  constructor(intervalMs: number, renew: () => Promise<void>) {
    this.timer = setInterval(() => {
      this.renewing = renew();
    }, intervalMs).unref();
  }

  /** Waits for a renewal in progress: otherwise it could extend the lease after the work has ended it. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing;
  }
}
