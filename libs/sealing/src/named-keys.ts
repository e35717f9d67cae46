import { hkdfSync } from 'node:crypto';
import { lengths } from './sealing-keys.js';

/** Keys by their names, such as `gateway/otp`. */
export interface KeySource {
  /** The first seals, all of them open, so that a key can be replaced without downtime. Empty if there is none. */
  of(name: string): readonly string[];
}

/** While a key is replaced there are two. */
const maxKeys = 2;
const entryPattern = /^([a-z][a-z-]*\/[a-z][a-z-]*)((?::[A-Za-z0-9+/]{43}=)+)$/;

/** The keys that an app gets: `gateway/otp:<key>`, or `gateway/otp:<key>:<previous key>`, with commas. */
export class NamedKeys implements KeySource {
  private constructor(private readonly keys: ReadonlyMap<string, readonly string[]>) {}

  /** @returns `undefined` if the text is not readable */
  static parse(text: string): NamedKeys | undefined {
    const keys = new Map<string, readonly string[]>();
    for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
      const [, name = '', values = ''] = entryPattern.exec(entry) ?? [];
      const ofName = values.split(':').slice(1);
      if (ofName.length === 0 || ofName.length > maxKeys || keys.has(name)) return undefined;
      keys.set(name, ofName);
    }
    return keys.size > 0 ? new NamedKeys(keys) : undefined;
  }

  of(name: string): readonly string[] {
    return this.keys.get(name) ?? [];
  }

  get names(): string[] {
    return [...this.keys.keys()];
  }

  compareWith(needed: readonly string[]) {
    return {
      missing: needed.filter((name) => !this.keys.has(name)),
      unneeded: this.names.filter((name) => !needed.includes(name)),
    };
  }

  /** A log line with the keys shows their names. */
  toJSON(): readonly string[] {
    return this.names;
  }
}

/** What keys are derived for. Keys of different uses differ. */
export interface Derivation {
  /** The variable that holds the master keys; errors name it. */
  readonly variable: 'QUEUE_MASTER_KEY' | 'DATA_MASTER_KEY';
  readonly use: 'gangan-queue-key' | 'gangan-data-key';
}

/** Derives every key from a master key when it is needed. A derived key reveals neither the master key nor another one. */
export class DerivedKeys implements KeySource {
  /** @param masters base64 of 32 bytes each; the first seals, all of them open */
  constructor(
    private readonly masters: readonly string[],
    private readonly derivation: Derivation,
  ) {
    const usable = masters.every((master) => /^[A-Za-z0-9+/]{43}=$/.test(master));
    if (!usable || masters.length === 0 || masters.length > maxKeys)
      throw new Error(
        `${derivation.variable} must be one key, or two separated by a comma, each the base64 of 32 bytes`,
      );
  }

  of(name: string): readonly string[] {
    const info = `${this.derivation.use} ${name}`;
    return this.masters.map((master) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(master, 'base64'), '', info, lengths.key)).toString(
        'base64',
      ),
    );
  }

  /** These keys as `NamedKeys.parse` reads them. */
  print(names: readonly string[]): string {
    return names.map((name) => [name, ...this.of(name)].join(':')).join();
  }
}
