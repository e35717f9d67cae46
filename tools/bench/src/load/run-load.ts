import { quantile } from '../statistics.js';
import { Exchange } from './exchange.js';

export interface LoadTask {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Raw HTTP requests, sent in turn. */
  readonly requests: readonly string[];
  /** Seconds before the measurement, for connections to be opened. wrk has none. */
  readonly warmUp?: number;
}

export interface LoadResult {
  readonly succeeded: number;
  /** Unsuccessful responses by status; 0 if the connection broke. */
  readonly others: Readonly<Record<string, number>>;
  /** At most so many requests were not answered when the load ended, and may have been processed. */
  readonly unanswered: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
}

/** One caller per connection sends the next request as soon as it has a response. Ends with the last response. */
export async function runLoad({
  port,
  connections,
  seconds,
  requests,
  warmUp = 0,
}: LoadTask): Promise<LoadResult> {
  const measureFrom = performance.now() + warmUp * 1_000;
  const end = measureFrom + seconds * 1_000;
  const latencies: number[] = [];
  const others: Record<string, number> = {};
  let [succeeded, sent] = [0, 0];
  const nextRequest = (): string => requests[sent++ % requests.length] ?? '';
  const call = (): Promise<void> =>
    new Promise((resolve) => {
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
    });
  await Promise.all(Array.from({ length: connections }, call));
  const perSecond = latencies.length / seconds;
  return { succeeded, others, unanswered: 0, perSecond, p50: quantile(latencies, 0.5) };
}
