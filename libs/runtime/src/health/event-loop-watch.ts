const tickMs = 500;

/** Measures how long the event loop was blocked. */
export class EventLoopWatch {
  private readonly timer: NodeJS.Timeout;
  private lastTick = performance.now();
  private stalls: { readonly at: number; readonly forMs: number }[] = [];

  constructor(private readonly keptMs = 30_000) {
    this.timer = setInterval(() => {
      this.tick(performance.now());
    }, tickMs).unref();
  }

  /** The longest stall of the last half minute. */
  maxLagMs(now = performance.now()): number {
    this.tick(now);
    return this.stalls.reduce((worst, stall) => Math.max(worst, stall.forMs), 0);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(now: number): void {
    const forMs = now - this.lastTick - tickMs;
    this.lastTick = now;
    this.stalls = this.stalls.filter(({ at }) => now - at < this.keptMs);
    if (forMs > tickMs) this.stalls.push({ at: now, forMs });
  }
}
