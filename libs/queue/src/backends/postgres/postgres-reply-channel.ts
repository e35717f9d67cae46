import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { QueueLogger } from '../../observer.js';
import type { ReplyChannel } from '../backend.js';
import { ThrottledErrorLog, reportErrors } from '../report-errors.js';
import { endClient } from './end-client.js';

const retryMs = 500;

/** Postgres limits a notification to 8,000 bytes; payloads are ASCII, so a character is a byte. */
const chunkLength = 7_900;

/** Replies by LISTEN and NOTIFY: nothing is stored. The listener has its own connection and renews it. */
export class PostgresReplyChannel implements ReplyChannel {
  private readonly sender = randomBytes(6).toString('base64url');
  private sent = 0;
  private readonly failures: ThrottledErrorLog;
  private closed = false;
  private listener?: pg.Client;

  constructor(
    private readonly pool: pg.Pool,
    private readonly config: pg.ClientConfig,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.failures = new ThrottledErrorLog(logger, 'replies');
  }

  async subscribe(address: string, listener: (payload: string) => void, onLost: () => void): Promise<void> {
    while (!this.closed) {
      try {
        await this.listen(address, listener, onLost);
        return;
      } catch (error) {
        this.failures.report(error);
        await pause(retryMs);
      }
    }
  }

  get listening(): boolean {
    return this.listener !== undefined;
  }

  async publish(address: string, payload: string): Promise<void> {
    const chunks = splitPayload(`${this.sender}${(this.sent += 1).toString(36)}`, payload);
    await this.pool.query('SELECT pg_notify($1, chunk) FROM unnest($2::text[]) AS chunk', [
      this.channel(address),
      chunks,
    ]);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.listener) await endClient(this.listener);
  }

  private async listen(
    address: string,
    listener: (payload: string) => void,
    onLost: () => void,
  ): Promise<void> {
    const client = new pg.Client(this.config);
    const assembler = new PayloadAssembler();
    client.on('notification', ({ payload = '' }) => {
      const whole = assembler.add(payload);
      if (whole !== undefined) listener(whole);
    });
    reportErrors(client, this.logger, 'replies');
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(this.channel(address))}`);
      if (this.closed) throw new Error('closed');
    } catch (error) {
      await endClient(client);
      throw error;
    }
    this.listener = client;
    client.once('end', () => {
      delete this.listener;
      onLost();
      void this.subscribe(address, listener, onLost);
    });
  }

  /** Postgres cuts identifiers at 63 bytes, so the unique part comes first. */
  private channel(address: string): string {
    return `${address}_${this.namespace}`.slice(0, 63);
  }
}

/** Splits a payload into notifications: `<message>/<index>/<count>/<text>`. */
export function splitPayload(message: string, payload: string): string[] {
  const count = Math.max(1, Math.ceil(payload.length / chunkLength));
  const chunk = (index: number): string => payload.slice(index * chunkLength, (index + 1) * chunkLength);
  return Array.from({ length: count }, (_, index) => `${message}/${index}/${count}/${chunk(index)}`);
}

/** Joins the payloads of one connection. The chunks of a message arrive in order, but between those of other messages. */
export class PayloadAssembler {
  private readonly partial = new Map<string, string[]>();

  /** @returns the whole payload once its last chunk has arrived */
  add(notification: string): string | undefined {
    const [message = '', index = '', count = ''] = notification.split('/', 3);
    const text = notification.slice(message.length + index.length + count.length + 3);
    if (count === '1') return text;
    const chunks = this.partial.get(message) ?? [];
    chunks.push(text);
    if (chunks.length < Number(count)) {
      this.partial.set(message, chunks);
      return undefined;
    }
    this.partial.delete(message);
    return chunks.join('');
  }
}
