import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Database, sql } from '@gangan/database';
import { Agent, request } from 'undici';
import {
  type CarrierAnswer,
  carrierName,
  type CarrierReports,
  type CarrierRequest,
  maxMessages,
} from '../../carrier/protocol.js';
import { portOf } from '../../processes/script.js';
import type { DirectMessage } from './store-one.js';

/** What delivers messages at least: the carrier gets them, they are sent, and its reports arrive. No attempts, no retries. */
export class PlainDelivery {
  private readonly dispatcher = new Agent({ connections: 50 });

  private constructor(
    private readonly database: Database,
    private readonly carrierUrl: string,
    private readonly reportUrl: string,
  ) {}

  /** Opens a server for the reports. */
  static async open(database: Database, carrierUrl: string): Promise<PlainDelivery> {
    const server = createServer((incoming, response) => {
      void json(incoming)
        .then((body) => storeReports(database, body as CarrierReports))
        .finally(() => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PlainDelivery(database, carrierUrl, `http://127.0.0.1:${portOf(server)}/`);
  }

  async deliver({ recipients, content: text }: DirectMessage): Promise<void> {
    const messages = recipients.map(({ id, e164: to }) => ({ to, from: 'Bench', text, reference: id }));
    const requests: Promise<void>[] = [];
    while (messages.length > 0) requests.push(this.send({ messages: messages.splice(0, maxMessages) }));
    await Promise.all(requests);
  }

  private async send(messages: CarrierRequest): Promise<void> {
    const { body } = await request(this.carrierUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'report-to': this.reportUrl },
      body: JSON.stringify(messages),
      dispatcher: this.dispatcher,
    });
    const accepted = ((await body.json()) as CarrierAnswer).messages;
    const ids = accepted.map(({ reference }) => reference);
    // A report that came first is final.
    await this.database.execute(sql`
      UPDATE delivery SET state = 'sent', attempt = 1, provider = ${carrierName}, provider_reference = accepted.id,
        next_attempt_at = now() + interval '1 day', updated_at = now()
      FROM unnest(${ids}::uuid[], ${accepted.map(({ id }) => id)}::text[]) AS accepted (reference, id)
      WHERE delivery.id = ANY (${ids}::uuid[]) AND delivery.id = accepted.reference AND state::text = 'queued'`);
  }
}

async function storeReports(database: Database, { reports }: CarrierReports): Promise<void> {
  await database.execute(sql`
    UPDATE delivery SET state = 'delivered', next_attempt_at = NULL, updated_at = now()
    WHERE id = ANY (${reports.map(({ reference }) => reference)}::uuid[])`);
}
