import { parseArgs } from 'node:util';

/** Something the user wrote that the bench does not understand. */
export class UsageError extends Error {}

/** @throws UsageError */
export type Reader<T> = (text: string, name: string) => T;

export interface Option<T> {
  readonly read: Reader<T>;
  /** What it is unless it is given, as it would be written. */
  readonly usually: string;
  /** What the help shows behind its name. */
  readonly shown: string;
  readonly tells: string;
  readonly isFlag: boolean;
}

export type Schema = Readonly<Record<string, Option<unknown>>>;

export type OptionsOf<S extends Schema> = {
  readonly [Name in keyof S]: S[Name] extends Option<infer T> ? T : never;
};

export const option = <T>(read: Reader<T>, usually: string, tells: string, shown = usually): Option<T> => ({
  read,
  usually,
  shown,
  tells,
  isFlag: false,
});

export const flag = (tells: string): Option<boolean> => ({
  read: (text) => text === 'true',
  usually: 'false',
  shown: '',
  tells,
  isFlag: true,
});

type Given = Readonly<Record<string, string | boolean | undefined>>;

export function readOptions<S extends Schema>(schema: S, args: readonly string[]): OptionsOf<S> {
  const given = parse(schema, args);
  const read = Object.entries(schema).map(([name, { read, usually }]) => [
    name,
    read(String(given[name] ?? usually), `--${name}`),
  ]);
  return Object.fromEntries(read) as OptionsOf<S>;
}

function parse(schema: Schema, args: readonly string[]): Given {
  const options = Object.entries(schema).map(
    ([name, { isFlag }]) => [name, { type: isFlag ? 'boolean' : 'string' }] as const,
  );
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options) }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export const helpOf = (schema: Schema): string =>
  Object.entries(schema)
    .map(([name, { shown, tells }]) => `  ${`--${name} ${shown}`.padEnd(22)}  ${tells}\n`)
    .join('');
