import pg from 'pg';
import { breakConnection, endClient, endsInTime } from './end-client.js';

/** A connection on which several lanes listen. */
export class ListenerConnection {
  readonly client: pg.Client;
  readonly connected: Promise<unknown>;
  private last: Promise<unknown> = Promise.resolve();

  constructor(config: pg.ClientConfig) {
    this.client = new pg.Client(config);
    // Every lane adds listeners; that is not a leak.
    this.client.setMaxListeners(0);
    this.connected = this.client.connect();
  }

  /** Runs one query after the other: pg has deprecated several at a time on one client. */
  query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    const result = this.last.then(() => this.client.query(text, values));
    this.last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    // If a client is ended while it connects, its promise is never settled.
    if (await endsInTime(this.connected)) await endClient(this.client);
    else breakConnection(this.client, new Error('The connection was closed before it was established'));
  }
}
