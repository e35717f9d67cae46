import { parseArgs } from 'node:util';
import { UsageError } from '../options.js';

export interface ContactsOptions {
  /** Of the large organisation and of the small one. */
  readonly rows: number;
  readonly few: number;
  readonly rounds: number;
  readonly assert: boolean;
}

export const contactsOptionsHelp = `
  of contacts:
  --rows 1000000          rows of the large organisation
  --few 1000              rows of the small one
  --rounds 50             how often each query is asked of both; medians are shown
  --assert                fail unless every query takes at most 3 × as long in the large one
`;

export function readContactsOptions(args: readonly string[]): ContactsOptions {
  const values = parse(args);
  return {
    rows: whole('rows', values.rows),
    few: whole('few', values.few),
    rounds: whole('rounds', values.rounds),
    assert: values.assert,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string', default: '1000000' },
        few: { type: 'string', default: '1000' },
        rounds: { type: 'string', default: '50' },
        assert: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0))
    throw new UsageError(`--${name} wants a whole number above 0, not "${text}"`);
  return value;
}
