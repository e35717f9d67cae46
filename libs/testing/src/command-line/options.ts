import { parseArgs } from 'node:util';

/** The arguments are invalid. */
export class UsageError extends Error {}

/** @throws UsageError */
export type Reader<T> = (text: string, name: string) => T;

export interface Option<T> {
  readonly read: Reader<T>;
  /** As it would be written on the command line. */
  readonly defaultValue: string;
  /** The value that the help shows after the name. */
  readonly shown: string;
  readonly description: string;
  readonly isFlag: boolean;
}

export type Schema = Readonly<Record<string, Option<unknown>>>;

export type OptionsOf<S extends Schema> = {
  readonly [Name in keyof S]: S[Name] extends Option<infer T> ? T : never;
};

export const option = <T>(
  read: Reader<T>,
  defaultValue: string,
  description: string,
  shown = defaultValue,
): Option<T> => ({
  read,
  defaultValue,
  shown,
  description,
  isFlag: false,
});

export const flag = (description: string): Option<boolean> => ({
  read: (text) => text === 'true',
  defaultValue: 'false',
  shown: '',
  description,
  isFlag: true,
});

type Given = Readonly<Record<string, string | boolean | undefined>>;

export function readOptions<S extends Schema>(schema: S, args: readonly string[]): OptionsOf<S> {
  const given = parse(schema, args);
  const read = Object.entries(schema).map(([name, { read, defaultValue }]) => [
    name,
    read(String(given[name] ?? defaultValue), `--${name}`),
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

export const formatHelp = (schema: Schema): string =>
  Object.entries(schema)
    .map(([name, { shown, description }]) => `  ${`--${name} ${shown}`.padEnd(22)}  ${description}\n`)
    .join('');
