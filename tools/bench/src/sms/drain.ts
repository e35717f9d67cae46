import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { expireDeliveries } from './deliveries.js';
import { fillMessages, settleTables } from './fill-messages.js';
import type { SmsRun } from './sms-run.js';

export interface Drain {
  /** Deliveries that left the queue, per second. */
  readonly perSecond: number;
  /** Microseconds of the worker and Postgres per delivery. */
  readonly cpu: number;
}

/** Queues deliveries that are due, and measures what it costs to deliver them, for at most so many seconds. */
export async function measureDrain(run: SmsRun, backlog: number, seconds: number): Promise<Drain> {
  await run.untilFinal();
  // The worker must not begin before all are queued.
  run.servers.signalWorkers('SIGSTOP');
  try {
    await fillMessages(run.database, run.customers, { count: backlog, state: 'queued' });
    await settleTables(run.database);
  } finally {
    run.servers.signalWorkers('SIGCONT');
  }
  const [cpu, started] = [await run.cpu(), performance.now()];
  while (performance.now() - started < seconds * 1_000 && (await hasQueued(run))) await pause(20);
  const [used, elapsed] = [await run.cpu(), (performance.now() - started) / 1_000];
  const done = backlog - (await countQueued(run));
  await expireDeliveries(run.database);
  await run.untilFinal();
  return {
    perSecond: done / elapsed,
    cpu: (used.worker - cpu.worker + used.postgres - cpu.postgres) / done,
  };
}

async function hasQueued({ database }: SmsRun): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>(
    sql`SELECT EXISTS (SELECT FROM delivery WHERE lane = 'sms' AND state = 'queued') AS found`,
  );
  return row?.found ?? false;
}

async function countQueued({ database }: SmsRun): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM delivery WHERE lane = 'sms' AND state = 'queued'`,
  );
  return row?.count ?? 0;
}
