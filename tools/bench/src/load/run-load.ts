import { Exchange } from './exchange.js';

export interface LoadTask {
  readonly port: number;
  readonly connections: number;
  /** Responses in this time count for the audit, but not for the measurement. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Raw HTTP requests, sent in turn. */
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly succeeded: number;
  /** Unsuccessful responses by status; 0 if the connection broke. */
  readonly others: Readonly<Record<number, number>>;
  /** At most so many requests were not answered when the load ended, and may have been processed. */
  readonly unanswered: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** One caller per connection sends the next request as soon as it has a response. Ends with the last response. */
export async function runLoad(task: LoadTask): Promise<LoadResult> {
  const { port, connections, warmUpMs, measureMs, requests } = task;
  const measureFrom = performance.now() + warmUpMs;
  const end = measureFrom + measureMs;
  const latencies: number[] = [];
  const others: Record<number, number> = {};
  let [succeeded, sent] = [0, 0];
  const nextRequest = (): string => requests[sent++ % requests.length] ?? '';

  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve) => {
          const exchange = new Exchange(port, (status = 0, milliseconds) => {
            const now = performance.now();
            const success = status === 200;
            if (success) succeeded += 1;
            else others[status] = (others[status] ?? 0) + 1;
            if (success && now >= measureFrom && now < end) latencies.push(milliseconds);
            if (status !== 0 && now < end) {
              exchange.send(nextRequest());
              return;
            }
            exchange.close();
            resolve();
          });
          exchange.send(nextRequest());
        }),
    ),
  );

  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? NaN;
  return {
    succeeded,
    others,
    unanswered: 0,
    perSecond: latencies.length / (measureMs / 1_000),
    p50: quantile(0.5),
    p99: quantile(0.99),
  };
}
