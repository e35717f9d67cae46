import { sql } from '@gangan/database';
import { sendRequest, until } from '@gangan/testing';
import type { Customer } from '../environment/customers.js';
import { smsBody } from './sms-requests.js';
import type { SmsRun } from './sms-run.js';

const perRequest = 1_000;
const requestsAtOnce = 4;

/**
 * The milliseconds from a request of an organisation until it is stored that the carrier has its message, while another
 * organisation has a backlog of recipients.
 */
export async function measureFairness(run: SmsRun, backlog: number): Promise<number> {
  const [many, other] = run.customers;
  if (!many || !other) throw new Error('Two organisations are needed');
  await fill(run, many, backlog);
  const started = performance.now();
  const id = await post(run, other, 1);
  await until('the message is submitted', async () => {
    const rows = await run.database.query(
      sql`SELECT FROM delivery WHERE message_id = ${id} AND state::text IN ('sent', 'delivered') LIMIT 1`,
    );
    return rows.length > 0;
  });
  return performance.now() - started;
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

/** Returns the id of the message. */
async function post(run: SmsRun, { key }: Customer, recipients: number): Promise<string> {
  const question = { method: 'POST', path: '/sms/send', key, body: smsBody(recipients) } as const;
  const [port = 0] = await run.servers.ports('delivering');
  const { status, body } = await sendRequest(`http://127.0.0.1:${port}`, question);
  if (status !== 200) throw new Error(`POST /sms/send responded ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}
