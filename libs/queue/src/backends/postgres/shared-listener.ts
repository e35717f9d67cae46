import { EventEmitter } from 'node:events';
import pg from 'pg';
import { asUnreachable } from './queue-pool.js';

/**
 * One connection on which all lanes of the process listen. BullMQ takes a client for each lane; from the pool, they would
 * leave few connections for queries.
 */
export class SharedListener {
  private connection: Promise<pg.Client> | undefined;

  constructor(private readonly config: pg.ClientConfig) {}

  /** @returns a client for one lane */
  async connect(): Promise<LaneClient> {
    this.connection ??= this.open();
    return new LaneClient(await this.connection);
  }

  async close(): Promise<void> {
    const client = await this.connection?.catch(() => undefined);
    await client?.end();
  }

  private open(): Promise<pg.Client> {
    const client = new pg.Client(this.config);
    // Every lane adds listeners; that is not a leak.
    client.setMaxListeners(0);
    const opening = client.connect().then(
      () => client,
      (error: unknown) => {
        forget();
        void client.end().catch(() => undefined);
        throw asUnreachable(error);
      },
    );
    const forget = (): void => {
      if (this.connection === opening) this.connection = undefined;
    };
    client.on('error', forget);
    client.once('end', forget);
    return opening;
  }
}

/** For BullMQ like a client of a pool. */
export class LaneClient extends EventEmitter {
  constructor(private readonly client: pg.Client) {
    super();
    client.on('notification', this.notify);
    client.on('error', this.fail);
  }

  query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.client.query(text, values);
  }

  release(): void {
    this.client.off('notification', this.notify);
    this.client.off('error', this.fail);
  }

  private readonly notify = (notification: pg.Notification): void => {
    this.emit('notification', notification);
  };

  private readonly fail = (error: Error): void => {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  };
}
