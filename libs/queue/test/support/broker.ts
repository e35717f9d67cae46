import type { QueueConnection } from '../../src/index.js';

/** A real server for a suite to run against. */
export interface Broker {
  readonly connection: QueueConnection;
  /** Everything that lies in it, as text. */
  dump(): Promise<string>;
  /** Ends it without warning and starts it again; absent where that is not one server's affair. */
  restart?(): Promise<void>;
  stop(): Promise<void>;
}
