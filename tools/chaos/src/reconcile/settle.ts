import { setTimeout as pause } from 'node:timers/promises';
import type { Progress, Unfinished } from './unfinished.js';

const reportMs = 5_000;

export interface SettleOptions {
  readonly read: () => Promise<Progress>;
  /** Milliseconds since the start of the traffic. */
  readonly elapsed: () => number;
  /** Not final before: work that was in flight at the last fault may still appear. */
  readonly notBeforeMs: number;
  readonly deadlineMs: number;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  /** Called while something is unfinished. */
  readonly onPoll: () => Promise<void>;
  readonly onProgress: (unfinished: Unfinished) => void;
}

export interface Settled {
  /** What was not final at the deadline. */
  readonly unfinished: Unfinished;
  /** When everything was final, or the deadline. */
  readonly atMs: number;
}

/** Waits until everything is final, and nothing has changed between two polls. */
export async function settle(options: SettleOptions): Promise<Settled> {
  const { read, elapsed, notBeforeMs, deadlineMs } = options;
  let reportAtMs = elapsed() + reportMs;
  let final: { readonly rows: string; readonly atMs: number } | undefined;
  for (;;) {
    const { unfinished, rows } = await read();
    const nowMs = elapsed();
    const isFinal = Object.keys(unfinished).length === 0;
    if (isFinal && final?.rows === rows && nowMs >= notBeforeMs) return { unfinished, atMs: final.atMs };
    if (nowMs > deadlineMs) return { unfinished: isFinal ? { changes: 1 } : unfinished, atMs: nowMs };
    if (!isFinal) final = undefined;
    else if (final?.rows !== rows) final = { rows, atMs: nowMs };
    if (!isFinal && nowMs > reportAtMs) {
      options.onProgress(unfinished);
      reportAtMs += reportMs;
    }
    if (!isFinal) await options.onPoll();
    await pause(options.pollMs, undefined, { signal: options.signal });
  }
}
