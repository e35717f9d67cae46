import { parseArgs } from 'node:util';
import { UsageError } from '../options.js';

export interface CallbackOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Callbacks a second to each host. */
  readonly rate: number;
  readonly hosts: number;
  readonly on: 'redis' | 'postgres';
  readonly assert: boolean;
}

/** Of all hosts. */
export const hangingPart = 0.2;

export const callbackOptionsHelp = `
  of callbacks:
  --seconds 20            how long a round takes
  --rounds 5              how often both systems are measured; medians of the ratios are shown
  --hosts 50              consumers, of which a fifth hangs in one system and is absent in the other
  --rate 1                callbacks a second to each
  --on postgres           where the queue lives: redis or postgres
  --assert                fail unless the healthy hosts are within 10 % of a run without the others
`;

export function readCallbackOptions(args: readonly string[]): CallbackOptions {
  const values = parse(args);
  const on = values.on === 'redis' ? 'redis' : 'postgres';
  if (on !== values.on) throw new UsageError(`--on knows redis and postgres, not "${values.on}"`);
  const hosts = above('hosts', values.hosts);
  if (!Number.isInteger(hosts * hangingPart)) throw new UsageError('--hosts wants a multiple of 5');
  return {
    seconds: above('seconds', values.seconds),
    rounds: Math.ceil(above('rounds', values.rounds)),
    rate: above('rate', values.rate),
    hosts,
    on,
    assert: values.assert,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '20' },
        rounds: { type: 'string', default: '5' },
        hosts: { type: 'string', default: '50' },
        rate: { type: 'string', default: '1' },
        on: { type: 'string', default: 'postgres' },
        assert: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function above(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`--${name} wants a number above 0, not "${text}"`);
  return value;
}
