import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { QueueLogger } from '../../observer.js';
import type { ReplyChannel } from '../backend.js';
import { Assembler, cut } from './chunks.js';

const RETRY_MS = 500;

/** Answers by LISTEN and NOTIFY: nothing is stored. The listener has a connection of its own and renews it. */
export class PostgresReplyChannel implements ReplyChannel {
  private readonly sender = randomBytes(6).toString('base64url');
  private sent = 0;
  private closed = false;
  private listener?: pg.Client;

  constructor(
    private readonly pool: pg.Pool,
    private readonly config: pg.ClientConfig,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {}

  async subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    await this.keepListening(this.channel(address), listener);
  }

  async publish(address: string, payload: string): Promise<void> {
    const chunks = cut(`${this.sender}${(this.sent += 1).toString(36)}`, payload);
    await this.pool.query('SELECT pg_notify($1, chunk) FROM unnest($2::text[]) AS chunk', [
      this.channel(address),
      chunks,
    ]);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.listener?.end().catch(() => undefined);
  }

  private async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    const client = new pg.Client(this.config);
    const assembler = new Assembler();
    client.on('notification', ({ payload = '' }) => {
      const whole = assembler.take(payload);
      if (whole !== undefined) listener(whole);
    });
    client.on('error', (error) => {
      this.logger.warn({ purpose: 'replies', reason: error.message }, 'broker connection error');
    });
    await client.connect();
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    this.listener = client;
    client.once('end', () => void this.keepListening(channel, listener));
  }

  /** Resolves once it listens, however long the broker is away. */
  private async keepListening(channel: string, listener: (payload: string) => void): Promise<void> {
    while (!this.closed) {
      try {
        await this.listen(channel, listener);
        return;
      } catch (error) {
        this.logger.warn({ purpose: 'replies', reason: String(error) }, 'broker connection error');
        await pause(RETRY_MS);
      }
    }
  }

  /** Postgres cuts identifiers at 63 bytes. */
  private channel(address: string): string {
    return `${this.namespace}_reply_${address}`.slice(0, 63);
  }
}
