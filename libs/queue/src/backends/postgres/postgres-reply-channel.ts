import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { QueueLogger } from '../../observer.js';
import type { ReplyChannel } from '../backend.js';
import { QuietReporter, reportErrors } from '../report-errors.js';
import { Assembler, cut } from './chunks.js';

const RETRY_MS = 500;

/** Answers by LISTEN and NOTIFY: nothing is stored. The listener has a connection of its own and renews it. */
export class PostgresReplyChannel implements ReplyChannel {
  private readonly sender = randomBytes(6).toString('base64url');
  private sent = 0;
  private readonly failures: QuietReporter;
  private closed = false;
  private listener?: pg.Client;

  constructor(
    private readonly pool: pg.Pool,
    private readonly config: pg.ClientConfig,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.failures = new QuietReporter(logger, 'replies');
  }

  async subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    await this.keepListening(this.channel(address), listener);
  }

  get listening(): boolean {
    return this.listener !== undefined;
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
    reportErrors(client, this.logger, 'replies');
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (this.closed) throw new Error('closed');
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.listener = client;
    client.once('end', () => void this.keepListening(channel, listener));
  }

  /** Resolves once it listens, however long the broker is away. */
  private async keepListening(channel: string, listener: (payload: string) => void): Promise<void> {
    delete this.listener;
    while (!this.closed) {
      try {
        await this.listen(channel, listener);
        return;
      } catch (error) {
        this.failures.report(error);
        await pause(RETRY_MS);
      }
    }
  }

  /** Postgres cuts identifiers at 63 bytes, so what is unique comes first. */
  private channel(address: string): string {
    return `${address}_${this.namespace}`.slice(0, 63);
  }
}
