import type pg from 'pg';
import { LaneClient } from './lane-client.js';
import { ListenerConnection } from './listener-connection.js';
import { refusalOf } from './unreachable.js';

/**
 * One connection on which all lanes of the process listen. BullMQ takes a client for each lane; from the pool, they would
 * leave few connections for queries.
 */
export class SharedListener {
  closing = false;
  private connection: ListenerConnection | undefined;

  /** @param report called with the reason when it cannot connect */
  constructor(
    private readonly config: pg.ClientConfig,
    readonly report: (error: unknown) => void,
  ) {}

  /** @returns a client for one lane */
  async connect(): Promise<LaneClient> {
    if (this.closing) throw new Error('The listener is closed');
    const connection = (this.connection ??= this.open());
    try {
      await connection.connected;
    } catch (error) {
      throw await refusalOf(error, this);
    }
    return new LaneClient(connection);
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.connection?.close();
  }

  private open(): ListenerConnection {
    const connection = new ListenerConnection(this.config);
    const forget = (): void => {
      if (this.connection === connection) this.connection = undefined;
    };
    connection.client.on('error', forget);
    connection.client.once('end', forget);
    connection.connected.catch(() => {
      forget();
      void connection.close();
    });
    return connection;
  }
}
