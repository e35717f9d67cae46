import type { Contract } from '@gangan/protocol';
import { DerivedKeys, NamedKeys } from '@gangan/sealing';
import { laneOf } from '../lane.js';

/** The keys with which apps seal what they send to each other: one for each sender and lane. */
export interface QueueKeys {
  /** The first key seals and all of them open, so that a key can be replaced without downtime. Empty if there is no key. */
  of(sender: string, lane: string): readonly string[];
}

export interface LaneSender {
  readonly sender: string;
  readonly lane: string;
}

export const printLaneSender = ({ sender, lane }: LaneSender): string => `${sender}/${lane}`;

/** The keys of what `sender` sends with a contract. */
export const keysOf = (keys: QueueKeys, sender: string, contract: Contract): readonly string[] =>
  keys.of(sender, laneOf(contract).name);

/** The keys of one app, as `QUEUE_KEYS` holds them: `gateway/otp:<key>`. */
export class AppKeys implements QueueKeys {
  /** @param keys by sender and lane, as `gateway/otp` */
  private constructor(readonly keys: NamedKeys) {}

  /** @returns `undefined` if the text is not readable */
  static parse(text: string): AppKeys | undefined {
    const keys = NamedKeys.parse(text);
    return keys && new AppKeys(keys);
  }

  of(sender: string, lane: string): readonly string[] {
    return this.keys.of(printLaneSender({ sender, lane }));
  }

  /** The names of the keys, such as `gateway/otp`. */
  get names(): string[] {
    return this.keys.names;
  }

  /** A log line shows only the names of the keys. */
  toJSON(): readonly string[] {
    return this.names;
  }
}

/** Derives every key when it is needed. For commands and tests: no app has a master key. */
export class MasterKeys implements QueueKeys {
  private readonly keys: DerivedKeys;

  /** @param masters base64 of 32 bytes each; the first key seals, all of them open */
  constructor(masters: readonly string[]) {
    this.keys = new DerivedKeys(masters, { variable: 'QUEUE_MASTER_KEY', use: 'gangan-queue-key' });
  }

  of(sender: string, lane: string): readonly string[] {
    return this.keys.of(printLaneSender({ sender, lane }));
  }

  /** These keys as `AppKeys.parse` reads them. */
  print(senders: readonly LaneSender[]): string {
    return this.keys.print(senders.map(printLaneSender));
  }
}
