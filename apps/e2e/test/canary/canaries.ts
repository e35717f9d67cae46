import { seededRandom } from '@gangan/testing';
import type { Schema } from '../interface/documented-api.js';
import { type Input, nameOf } from '../interface/inputs.js';

/**
 * Fields that must not appear anywhere, not even in a table. A domain may store all other fields, such as the text of a
 * message, in its own tables and return them to their organisation.
 */
const secretFields: ReadonlySet<string> = new Set(['token']);

/** Values that are planted in requests and searched for afterwards. Each contains a unique number. */
export class Canaries {
  /** Searched for everywhere. */
  readonly secrets = new Set<string>();
  /** Searched for everywhere except in the tables of the domains. */
  readonly texts = new Set<string>();
  /** The prefix of all numbers, which no recent timestamp has. */
  private readonly marker = `7${Math.floor(10_000 + seededRandom('canaries')() * 90_000)}`;
  private count = 0;

  /** @param key an API key, which is also searched for */
  constructor(private readonly key: string) {
    this.secrets.add(key);
  }

  /** Every canary contains one of these. */
  get marks(): string[] {
    return [this.marker, this.key];
  }

  secret(): string {
    return shapes.text(this.number(this.secrets));
  }

  text(shape: 'text' | 'phone' = 'text'): string {
    return shapes[shape](this.number(this.texts));
  }

  /** A value that an input accepts; undefined if the input is not free text. */
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

  /** The canaries in a text. */
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

/** Formats that cannot contain a canary. */
const noText: ReadonlySet<string> = new Set(['date-time', 'uuid']);

/** Whether its pattern allows a canary; that of a language does not. */
const isFree = ({ pattern, allOf = [] }: Schema): boolean =>
  [pattern, ...allOf.map((rule) => rule.pattern)].every((each) =>
    new RegExp(each ?? '', 'u').test(shapes.text('0')),
  );
