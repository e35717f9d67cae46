import { parseArgs } from 'node:util';
import { UsageError } from '../options.js';

export interface SmsOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Of each request. */
  readonly recipients: readonly number[];
  /** How many recipients of one organisation wait while another sends; 0 leaves that out. */
  readonly backlog: number;
  readonly on: 'redis' | 'postgres';
}

export const smsOptionsHelp = `
  of sms:
  --seconds 4             how long each measurement takes
  --rounds 3              how often both ways are measured, in turn; medians are shown
  --connections 64        how many callers ask at a time
  --recipients 1,1000     of one request
  --backlog 100000        recipients of one organisation that wait while another sends; 0 for none
  --on postgres           where the queue lives: redis or postgres
`;

export function readSmsOptions(args: readonly string[]): SmsOptions {
  const values = parse(args);
  const on = values.on === 'redis' ? 'redis' : 'postgres';
  if (on !== values.on) throw new UsageError(`--on knows redis and postgres, not "${values.on}"`);
  const recipients = values.recipients.split(',').map((text) => whole('recipients', text, 1));
  if (recipients.some((count) => count > 1_000)) throw new UsageError('--recipients wants at most 1000');
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new UsageError(`--seconds wants a number above 0, not "${values.seconds}"`);
  return {
    seconds,
    rounds: whole('rounds', values.rounds, 1),
    connections: whole('connections', values.connections, 1),
    recipients,
    backlog: whole('backlog', values.backlog, 0),
    on,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '4' },
        rounds: { type: 'string', default: '3' },
        connections: { type: 'string', default: '64' },
        recipients: { type: 'string', default: '1,1000' },
        backlog: { type: 'string', default: '100000' },
        on: { type: 'string', default: 'postgres' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < least) {
    throw new UsageError(`--${name} wants whole numbers from ${least} on, not "${text}"`);
  }
  return value;
}
