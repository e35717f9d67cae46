import { seededRandom } from '@gangan/testing';
import type { Schema } from '../interface/described.js';
import { type Input, nameOf } from '../interface/inputs.js';

/**
 * Fields that nobody may find anywhere, in no table either. All others a domain may keep in tables of its own, and show
 * to the organisation they are from: the text of a message too.
 */
const secretFields: ReadonlySet<string> = new Set(['token']);

/** Values that are planted in requests and looked for afterwards. Each holds a number that is nowhere else. */
export class Canaries {
  /** Looked for everywhere. */
  readonly secrets = new Set<string>();
  /** Looked for everywhere but in the tables of the domains. */
  readonly texts = new Set<string>();
  /** How all numbers start: as no recent time does. */
  private readonly marker = `7${Math.floor(10_000 + seededRandom('canaries')() * 90_000)}`;
  private count = 0;

  /** @param key what is secret without being a canary: an API key */
  constructor(private readonly key: string) {
    this.secrets.add(key);
  }

  /** One of these stands wherever a canary does. */
  get marks(): string[] {
    return [this.marker, this.key];
  }

  secret(): string {
    return shapes.text(this.number(this.secrets));
  }

  text(shape: 'text' | 'phone' = 'text'): string {
    return shapes[shape](this.number(this.texts));
  }

  /** A value that an input accepts; nothing when it is no free text. */
  for(input: Input): string | undefined {
    const { type, format = 'text', enum: choices, maxLength = Infinity } = input.schema;
    const isId = input.in !== 'path' && /(^|_)id$/.test(nameOf(input));
    if (type !== 'string' || choices || isId || noText.has(format) || !isFree(input.schema)) return undefined;
    const shape = (shapes as Readonly<Record<string, (number: string) => string>>)[format];
    if (!shape) throw new Error(`How does a canary look in the format ${format}? Add it to shapes`);
    const number = this.number(secretFields.has(nameOf(input)) ? this.secrets : this.texts);
    const value = shape(number);
    return format === 'text' ? value.slice(-maxLength) : value;
  }

  /** Those that stand in something that was written. */
  in(written: Buffer): string[] {
    const found = new Set(written.includes(this.key) ? [this.key] : []);
    for (let at = written.indexOf(this.marker); at >= 0; at = written.indexOf(this.marker, at + 1)) {
      const number = written.toString('latin1', at, at + 10);
      if (this.secrets.has(number) || this.texts.has(number)) found.add(number);
    }
    return [...found];
  }

  private number(kind: Set<string>): string {
    this.count += 1;
    const number = this.marker + String(this.count).padStart(4, '0');
    kind.add(number);
    return number;
  }
}

const shapes = {
  text: (number: string) => `canary-${number}`,
  phone: (number: string) => `+234${number}`,
  'nigerian-phone': (number: string) => `+234${number}`,
  phones: (number: string) => `+234${number}`,
  uri: (number: string) => `http://127.0.0.1:9/canary-${number}`,
  email: (number: string) => `canary-${number}@example.com`,
};

/** Formats with no room for one. */
const noText: ReadonlySet<string> = new Set(['date-time', 'uuid']);

/** Whether its pattern lets a canary pass; that of a language does not. */
const isFree = ({ pattern, allOf = [] }: Schema): boolean =>
  [pattern, ...allOf.map((rule) => rule.pattern)].every((each) =>
    new RegExp(each ?? '', 'u').test(shapes.text('0')),
  );
