import { setTimeout as pause } from 'node:timers/promises';

/** An app is unhealthy after this many failures in a row. */
export interface ProbeSettings {
  readonly intervalMs: number;
  readonly maxFailures: number;
}

export const defaultProbe: ProbeSettings = { intervalMs: 10_000, maxFailures: 3 };

const timeoutMs = 5_000;
const ok = 'ok';

/** Asks an app for its health at intervals. Counts answers instead of reading a clock, so that a pause does not count. */
export class HealthProbe {
  private readonly stopping = new AbortController();

  constructor(
    private readonly url: string,
    private readonly settings: ProbeSettings,
  ) {}

  /** @returns why the app is unhealthy; `undefined` if the probe was stopped before */
  async untilUnhealthy(): Promise<string | undefined> {
    const { signal } = this.stopping;
    const { intervalMs, maxFailures } = this.settings;
    for (let failures = 0; ;) {
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      const fault = signal.aborted ? undefined : await faultOf(this.url);
      if (signal.aborted) return undefined;
      failures = fault === undefined ? 0 : failures + 1;
      if (failures === maxFailures) return fault;
    }
  }

  stop(): void {
    this.stopping.abort();
  }
}

/** @returns `undefined` if the app is healthy */
async function faultOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return undefined;
    const { checks } = (await response.json()) as { checks: Readonly<Record<string, string>> };
    const failed = Object.entries(checks).filter(([, result]) => result !== ok);
    return failed.map(([check, result]) => `${check}: ${result}`).join(', ');
  } catch {
    return 'its health check gets no answer';
  }
}
