import { EventEmitter } from 'node:events';
import pg from 'pg';
import { breakConnection } from './end-client.js';
import type { ListenerConnection } from './listener-connection.js';

/** The part of a shared connection that one lane uses; BullMQ uses it like a client of a pool. */
export class LaneClient extends EventEmitter {
  constructor(private readonly connection: ListenerConnection) {
    super();
    connection.client.on('notification', this.notify);
    connection.client.on('error', this.fail);
  }

  async query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.connection.query(text, values);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.giveUp(error as Error);
      throw error;
    }
  }

  release(): void {
    this.connection.client.off('notification', this.notify);
    this.connection.client.off('error', this.fail);
  }

  /**
   * After a query without a reply, pg sends no further queries and emits nothing, so all lanes need a new connection.
   */
  private giveUp(error: Error): void {
    breakConnection(this.connection.client, error);
    // A socket that was already closed emits no further error.
    this.fail(error);
  }

  private readonly notify = (notification: pg.Notification): void => {
    this.emit('notification', notification);
  };

  private readonly fail = (error: Error): void => {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  };
}
