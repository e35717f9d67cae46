import { EventEmitter } from 'node:events';
import pg from 'pg';
import { breakConnection } from './end-client.js';
import type { ListenerConnection } from './listener-connection.js';

/** The part of a shared connection that one lane uses. For BullMQ like a client of a pool. */
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

  /** After a query without an answer, pg sends no further ones and emits nothing. So all lanes need a new connection. */
  private giveUp(error: Error): void {
    breakConnection(this.connection.client, error);
    // If the socket was already closed, it emits no further error.
    this.fail(error);
  }

  private readonly notify = (notification: pg.Notification): void => {
    this.emit('notification', notification);
  };

  private readonly fail = (error: Error): void => {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  };
}
