import { parseArgs } from 'node:util';
import { UsageError } from '../options.js';

export interface OtpOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly on: 'redis' | 'postgres';
}

export const otpOptionsHelp = `
  of otp:
  --seconds 3             how long OTPs are requested; as many are then verified
  --rounds 3              how often both ways are measured, in turn; medians are shown
  --connections 1,64      how many callers ask at a time
  --on postgres           where the queue lives: redis or postgres
`;

export function readOtpOptions(args: readonly string[]): OtpOptions {
  const values = parse(args);
  const on = values.on === 'redis' ? 'redis' : 'postgres';
  if (on !== values.on) throw new UsageError(`--on knows redis and postgres, not "${values.on}"`);
  return {
    seconds: above('seconds', values.seconds),
    rounds: Math.ceil(above('rounds', values.rounds)),
    connections: values.connections.split(',').map((text) => Math.ceil(above('connections', text))),
    on,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '3' },
        rounds: { type: 'string', default: '3' },
        connections: { type: 'string', default: '1,64' },
        on: { type: 'string', default: 'postgres' },
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
