import type { Contract } from '@gangan/protocol';
import { deriveLaneKey } from '@gangan/sealing';
import { laneOf } from '../lane.js';

/** The keys with which apps seal what they send to each other: one for each sender and lane. */
export interface QueueKeys {
  /** The first seals, all of them open, so that a key can be replaced without downtime. Empty if there is none. */
  of(sender: string, lane: string): readonly string[];
}

/** Who sends jobs to a lane. */
export interface LaneSender {
  readonly sender: string;
  readonly lane: string;
}

export const printLaneSender = ({ sender, lane }: LaneSender): string => `${sender}/${lane}`;

/** The keys of what `sender` sends with a contract. */
export const keysOf = (keys: QueueKeys, sender: string, contract: Contract): readonly string[] =>
  keys.of(sender, laneOf(contract).name);

/** While a key is replaced there are two. */
const maxKeys = 2;
const entryPattern = /^([a-z][a-z-]*\/[a-z][a-z-]*)((?::[A-Za-z0-9+/]{43}=)+)$/;

/** The keys of one app, as `QUEUE_KEYS` holds them: `gateway/otp:<key>`, or `gateway/otp:<key>:<previous key>`, with commas. */
export class AppKeys implements QueueKeys {
  private constructor(private readonly keys: ReadonlyMap<string, readonly string[]>) {}

  /** @returns `undefined` if the text is not readable */
  static parse(text: string): AppKeys | undefined {
    const keys = new Map<string, readonly string[]>();
    for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
      const [, name = '', values = ''] = entryPattern.exec(entry) ?? [];
      const ofLane = values.split(':').slice(1);
      if (ofLane.length === 0 || ofLane.length > maxKeys || keys.has(name)) return undefined;
      keys.set(name, ofLane);
    }
    return keys.size > 0 ? new AppKeys(keys) : undefined;
  }

  of(sender: string, lane: string): readonly string[] {
    return this.keys.get(printLaneSender({ sender, lane })) ?? [];
  }

  /** For which senders and lanes there is a key, as `gateway/otp`. */
  get names(): string[] {
    return [...this.keys.keys()];
  }

  /** A log line with the keys shows their names. */
  toJSON(): readonly string[] {
    return this.names;
  }
}

/** Derives every key when it is needed. For commands and tests: no app has a master key. */
export class MasterKeys implements QueueKeys {
  /** @param masters base64 of 32 bytes each; the first seals, all of them open */
  constructor(private readonly masters: readonly string[]) {
    const usable = masters.every((master) => /^[A-Za-z0-9+/]{43}=$/.test(master));
    if (!usable || masters.length === 0 || masters.length > maxKeys)
      throw new Error(
        'QUEUE_MASTER_KEY must be one key, or two separated by a comma, each the base64 of 32 bytes',
      );
  }

  of(sender: string, lane: string): readonly string[] {
    return this.masters.map((master) => deriveLaneKey(master, sender, lane));
  }

  /** These keys as `AppKeys.parse` reads them. */
  print(senders: readonly LaneSender[]): string {
    return senders
      .map(({ sender, lane }) => [printLaneSender({ sender, lane }), ...this.of(sender, lane)].join(':'))
      .join();
  }
}
