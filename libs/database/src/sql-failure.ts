import { AppError, unavailable } from '@gangan/protocol';

/**
 * What a failed statement means for whoever sent it.
 * - `data`: one of its values is to blame (SQLSTATE classes 22 and 23).
 * - `conflict`: it lost against another transaction; nothing was done, the same again may pass.
 * - `lost`: the connection is gone, and with it the knowledge whether it was done.
 * - `busy`: no connection was free, or it took too long; nothing was done.
 */
export type SqlFailure = 'data' | 'conflict' | 'lost' | 'busy' | 'other';

export function sqlFailure(error: unknown): SqlFailure {
  const state = sqlState(error);
  if (state !== undefined) return byState(state);
  const signs = signsOf(error);
  if (signs.some((sign) => lostSigns.has(sign))) return 'lost';
  return signs.some((sign) => busySigns.has(sign)) ? 'busy' : 'other';
}

function byState(state: string): SqlFailure {
  if (state === '40001' || state === '40P01') return 'conflict';
  if (state === '57014') return 'busy';
  switch (state.slice(0, 2)) {
    case '22':
    case '23':
      return 'data';
    case '53':
      return 'busy';
    case '08':
      return 'lost';
    default:
      return state.startsWith('57P') ? 'lost' : 'other';
  }
}

/** The SQLSTATE of an error of pg, or of one that Prisma wrapped around it. */
export function sqlState(error: unknown): string | undefined {
  const state = fields(driverCause(error))['originalCode'] ?? fields(error)['code'];
  return typeof state === 'string' && /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(state)
    ? state
    : undefined;
}

/** A database that is away or overloaded is `unavailable` to callers; any other error stays what it is. */
export function unavailableWhenAway(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const failure = sqlFailure(error);
  return failure === 'lost' || failure === 'busy' ? unavailable(undefined, error) : error;
}

const lostSigns = new Set([
  // Node's
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
  // Prisma's and its adapter's
  ...['P1001', 'P1002', 'P1017', 'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'],
  // pg's, which have no code
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
]);

const busySigns = new Set([
  'P2024',
  'P2028',
  'TooManyConnections',
  'timeout exceeded when trying to connect',
  'Query read timeout',
]);

const signsOf = (error: unknown): string[] =>
  [fields(error)['code'], fields(error)['message'], fields(driverCause(error))['kind']].filter(
    (sign) => typeof sign === 'string',
  );

/** What Prisma keeps of the driver's error. */
const driverCause = (error: unknown): unknown => {
  const adapterError = fields(fields(error)['meta'])['driverAdapterError'] ?? error;
  return fields(adapterError)['cause'];
};

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
