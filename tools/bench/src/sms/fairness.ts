import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { sendRequest } from '@gangan/testing';
import type { Customer } from '../stage/customers.js';
import { smsBody } from './sms-requests.js';
import type { SmsRun } from './sms-run.js';

const perRequest = 1_000;
const requestsAtOnce = 4;
const messages = 5;
const betweenMs = 300;
const patienceMs = 120_000;

export interface Fairness {
  /** From the request of each of the other's messages until the simulated carrier had it. */
  readonly milliseconds: readonly number[];
  /** What still waited of the one with many when the last of them had left. */
  readonly left: number;
  /** How many recipients a second left meanwhile. */
  readonly perSecond: number;
}

/** One organisation has `backlog` recipients waiting; how long do messages of another take to leave? */
export async function measureFairness(run: SmsRun, backlog: number): Promise<Fairness> {
  const [many, other] = run.customers;
  if (!many || !other) throw new Error('There are not two organisations');
  await fill(run, many, backlog);
  const [started, leftBefore] = [performance.now(), await told(run)];
  const milliseconds: number[] = [];
  for (let count = 0; count < messages; count += 1) {
    milliseconds.push(await timeToLeave(run, other));
    await pause(betweenMs);
  }
  const seconds = (performance.now() - started) / 1_000;
  const perSecond = ((await told(run)) - leftBefore) / seconds;
  return { milliseconds, left: await waiting(run, many), perSecond };
}

async function fill(run: SmsRun, customer: Customer, backlog: number): Promise<void> {
  let open = backlog;
  const send = async (): Promise<void> => {
    while (open > 0) {
      const recipients = Math.min(perRequest, open);
      open -= recipients;
      await post(run, customer, recipients);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, send));
}

async function timeToLeave(run: SmsRun, customer: Customer): Promise<number> {
  const started = performance.now();
  const id = await post(run, customer, 1);
  while (performance.now() - started < patienceMs) {
    const [row] = await run.database.query(sql`
      SELECT FROM delivery JOIN simulated_message ON reference = delivery.id WHERE message_id = ${id} LIMIT 1`);
    if (row) return performance.now() - started;
    await pause(5);
  }
  throw new Error(`A message has not left within ${patienceMs / 1_000} s`);
}

/** Gives the id of the message. */
async function post(run: SmsRun, { key }: Customer, recipients: number): Promise<string> {
  const question = { method: 'POST', path: '/sms/send', key, body: smsBody(recipients) } as const;
  const { status, body } = await sendRequest(`http://127.0.0.1:${run.ports.system}`, question);
  if (status !== 200) throw new Error(`POST /sms/send answered ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}

async function told(run: SmsRun): Promise<number> {
  const [row] = await run.database.query<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM simulated_message`,
  );
  return row?.count ?? 0;
}

async function waiting(run: SmsRun, { organisationId }: Customer): Promise<number> {
  const [row] = await run.database.query<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM delivery
    WHERE organisation_id = ${organisationId} AND lane = 'sms' AND state = 'queued'`);
  return row?.count ?? 0;
}
