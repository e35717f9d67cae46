import type { QueueConnection } from '../../src/index.js';

/** A real server for a suite to run against. */
export interface Broker {
  readonly connection: QueueConnection;
  /** Everything that lies in it, as text. */
  dump(): Promise<string>;
  /** Absent where the broker is more than one server. */
  readonly outage?: Outage;
  stop(): Promise<void>;
}

export interface Outage {
  /** As `kill -9` does it. */
  begin(): Promise<void>;
  /** Starts it again, on the same address. */
  end(): Promise<void>;
}
