import { defaultTuning, type QueueTuning } from '@gangan/queue';
import { parseArgs } from 'node:util';
import { type WayName, wayNames } from './ways/contestants.js';
import type { BrokerKind } from './ways/way.js';

export interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly only: readonly WayName[];
  readonly on: readonly BrokerKind[];
  readonly tuning: Partial<QueueTuning>;
  readonly assert: boolean;
}

/** Something the user wrote that the bench does not understand. */
export class UsageError extends Error {}

export const optionsHelp = `
  --seconds 2             how long each measurement takes
  --rounds 3              how often everything is measured; medians are shown
  --connections 1,64,256  how many callers ask at a time
  --only a,b              of ${wayNames.join(', ')}
  --on redis,postgres     which brokers
  --tuning name=value,…   of the transport, such as inFlightJobs=2,batchConcurrency=4
  --assert                fail unless the transport is fast enough
`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  return {
    seconds: positive('seconds', values.seconds),
    rounds: whole('rounds', values.rounds),
    connections: list(values.connections).map((text) => whole('connections', text)),
    only: values.only === undefined ? wayNames : choose('only', wayNames, values.only),
    on: choose('on', ['redis', 'postgres'], values.on),
    tuning: readTuning(values.tuning),
    assert: values.assert,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '2' },
        rounds: { type: 'string', default: '3' },
        connections: { type: 'string', default: '1,64,256' },
        only: { type: 'string' },
        on: { type: 'string', default: 'redis,postgres' },
        tuning: { type: 'string', default: '' },
        assert: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const list = (text: string): string[] => text.split(',').filter((part) => part !== '');

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`--${name} wants a number above 0, not "${text}"`);
  return value;
}

function whole(name: string, text: string): number {
  const value = positive(name, text);
  if (!Number.isInteger(value)) throw new UsageError(`--${name} wants whole numbers, not "${text}"`);
  return value;
}

function choose<T extends string>(name: string, known: readonly T[], text: string): T[] {
  const wanted = list(text);
  const strange = wanted.find((part) => !known.some((one) => one === part));
  if (strange !== undefined) throw new UsageError(`--${name} knows ${known.join(', ')}, not "${strange}"`);
  return known.filter((one) => wanted.includes(one));
}

function readTuning(text: string): Partial<QueueTuning> {
  const pairs = list(text).map((part) => {
    const [name = '', value = ''] = part.split('=', 2);
    if (!(name in defaultTuning)) {
      throw new UsageError(`--tuning knows ${Object.keys(defaultTuning).join(', ')}, not "${name}"`);
    }
    return [name, whole(`tuning ${name}`, value)] as const;
  });
  return Object.fromEntries(pairs);
}
