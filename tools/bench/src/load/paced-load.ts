import { atRate } from './at-rate.js';
import { Exchange } from './exchange.js';

export interface PacedLoadTask {
  readonly port: number;
  /** A raw HTTP request. */
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
}

const answerTimeoutMs = 20_000;

/**
 * Sends requests at a steady rate, each on a connection that is free. A slow response therefore does not delay the next
 * request, which would hide how many are slow. @returns their times; Infinity for any other response than 200
 */
export async function runPacedLoad({ port, request, perSecond, seconds }: PacedLoadTask): Promise<number[]> {
  const milliseconds: number[] = [];
  const all: Exchange[] = [];
  const free: Exchange[] = [];
  const open = (): Exchange => {
    const exchange = new Exchange(port, (status, took) => {
      milliseconds.push(status === 200 ? took : Infinity);
      if (status !== 0) free.push(exchange);
    });
    all.push(exchange);
    return exchange;
  };
  const end = performance.now() + seconds * 1_000;
  const sent = await atRate(
    perSecond,
    () => performance.now() >= end,
    () => {
      (free.pop() ?? open()).send(request);
    },
  );
  const timeout = performance.now() + answerTimeoutMs;
  const isAnswered = (): boolean => milliseconds.length >= sent || performance.now() >= timeout;
  await atRate(0, isAnswered, () => undefined);
  for (const exchange of all) exchange.close();
  return [...milliseconds, ...new Array<number>(Math.max(0, sent - milliseconds.length)).fill(Infinity)];
}
