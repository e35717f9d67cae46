import { quantile } from '../statistics.js';
import { Exchange } from './exchange.js';

export interface LoadTask {
  /** Connections use them in turn. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** Raw HTTP requests, sent in turn. */
  readonly requests: readonly string[];
}

export interface LoadResult {
  /** All requests were answered with 200. */
  readonly succeeded: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
}

/**
 * One caller per connection sends the next request as soon as it has a response. Ends with the last response.
 * @throws if a request failed
 */
export async function runLoad({ ports, connections, seconds, requests }: LoadTask): Promise<LoadResult> {
  const end = performance.now() + seconds * 1_000;
  const latencies: number[] = [];
  const failed: Record<string, number> = {};
  let [succeeded, sent] = [0, 0];
  const call = (port: number): Promise<void> =>
    new Promise((resolve) => {
      const next = (): void => {
        exchange.send(requests[sent++ % requests.length] ?? '');
      };
      const exchange = new Exchange(port, (status, milliseconds) => {
        const isOver = performance.now() >= end;
        if (status === 200) succeeded += 1;
        else failed[status] = (failed[status] ?? 0) + 1;
        if (!isOver) latencies.push(milliseconds);
        if (!isOver && status !== 0) {
          next();
          return;
        }
        exchange.close();
        resolve();
      });
      next();
    });
  await Promise.all(
    Array.from({ length: connections }, (_, index) => call(ports[index % ports.length] ?? 0)),
  );
  if (Object.keys(failed).length > 0) throw new Error(`Requests failed: ${JSON.stringify(failed)}`);
  return { succeeded, perSecond: latencies.length / seconds, p50: quantile(latencies, 0.5) };
}
