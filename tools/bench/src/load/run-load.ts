import { Exchange, postRequest } from './exchange.js';

export interface LoadTask {
  readonly port: number;
  readonly connections: number;
  /** What is answered in this time counts for the audit, not for the measurement. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** As they go over the line, one for each connection in turn; a charge unless it says otherwise. */
  readonly requests?: readonly string[];
}

export interface LoadResult {
  readonly succeeded: number;
  /** Answers by status; 0 where the connection broke. Successes are not among them. */
  readonly others: Readonly<Record<number, number>>;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const usual = postRequest('/charge', { recipient: '2348031234567', content: 'Hello from the bench' });

/** As many callers as connections, each asking again as soon as it has its answer; ends when the last has its own. */
export async function runLoad(task: LoadTask): Promise<LoadResult> {
  const { port, connections, warmUpMs, measureMs, requests = [usual] } = task;
  const measureFrom = performance.now() + warmUpMs;
  const end = measureFrom + measureMs;
  const latencies: number[] = [];
  const others: Record<number, number> = {};
  let succeeded = 0;

  await Promise.all(
    Array.from(
      { length: connections },
      (_, place) =>
        new Promise<void>((resolve) => {
          const request = requests[place % requests.length] ?? usual;
          const exchange = new Exchange(port, request, (status = 0, milliseconds) => {
            const now = performance.now();
            const success = status === 200;
            if (success) succeeded += 1;
            else others[status] = (others[status] ?? 0) + 1;
            if (success && now >= measureFrom && now < end) latencies.push(milliseconds);
            if (status !== 0 && now < end) {
              exchange.ask();
              return;
            }
            exchange.close();
            resolve();
          });
          exchange.ask();
        }),
    ),
  );

  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? NaN;
  return {
    succeeded,
    others,
    perSecond: latencies.length / (measureMs / 1_000),
    p50: quantile(0.5),
    p99: quantile(0.99),
  };
}
