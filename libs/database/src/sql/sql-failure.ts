import { AppError, currentContext, outcomeUnknown, unavailable } from '@gangan/protocol';

/**
 * What a failed statement means for its sender.
 * - `data`: one of its values is wrong (SQLSTATE classes 22 and 23).
 * - `conflict`: it lost against another transaction; nothing was done, a retry may succeed.
 * - `unreachable`: it was never sent, because the server is down.
 * - `lost`: the connection broke; the statement may or may not have been executed.
 * - `busy`: no connection was free, or it took too long; nothing was done.
 */
export type SqlFailure = 'data' | 'conflict' | 'unreachable' | 'lost' | 'busy' | 'other';

export function sqlFailure(error: unknown): SqlFailure {
  const state = sqlState(error);
  if (state !== undefined)
    return byState[state] ?? byState[state.slice(0, 3)] ?? byState[state.slice(0, 2)] ?? 'other';
  const signs = signsOf(error);
  for (const [failure, known] of Object.entries(signsOfFailure) as [SqlFailure, Set<string>][]) {
    if (signs.some((sign) => known.has(sign))) return failure;
  }
  return 'other';
}

/** The failure of each SQLSTATE, or of each beginning of one. */
const byState: Record<string, SqlFailure> = {
  '40001': 'conflict', // serialization_failure
  '40P01': 'conflict', // deadlock_detected
  '57014': 'busy', // query_canceled, by statement_timeout
  '55P03': 'busy', // lock_not_available
  '25P03': 'busy', // idle_in_transaction_session_timeout
  '25006': 'unreachable', // read_only_sql_transaction: the server is no longer the primary; nothing was done
  '57P03': 'unreachable', // cannot_connect_now
  '08001': 'unreachable', // sqlclient_unable_to_establish_sqlconnection
  '08004': 'unreachable', // sqlserver_rejected_establishment_of_sqlconnection
  '57P': 'lost',
  '22': 'data',
  '23': 'data',
  '53': 'busy',
  '08': 'lost',
};

/** The SQLSTATE of an error of pg, or of a Prisma error that wraps one. */
export function sqlState(error: unknown): string | undefined {
  const state = fields(driverCause(error))['originalCode'] ?? fields(error)['code'];
  return typeof state === 'string' && /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(state)
    ? state
    : undefined;
}

const awayFailures = new Set<SqlFailure>(['conflict', 'unreachable', 'lost', 'busy']);

/** For reads: turns the failure of a database that is unavailable or overloaded into `unavailable`; leaves other errors. */
export function unavailableWhenAway(error: unknown): unknown {
  return !(error instanceof AppError) && awayFailures.has(sqlFailure(error))
    ? unavailable(undefined, error)
    : error;
}

/** For writes: like `unavailableWhenAway`, but after a lost connection the outcome is unknown. */
export function unknownWhenLost(error: unknown): unknown {
  const context = currentContext();
  if (context && !(error instanceof AppError) && sqlFailure(error) === 'lost') {
    return outcomeUnknown(context.operationId, error);
  }
  return unavailableWhenAway(error);
}

/** The codes of Node, Prisma and its adapter, and messages of pg for errors without a code. */
const signsOfFailure = {
  unreachable: new Set([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
    ...['P1001', 'P1002', 'DatabaseNotReachable'],
    'Connection terminated due to connection timeout',
  ]),
  lost: new Set([
    ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
    ...['P1017', 'ConnectionClosed', 'SocketTimeout'],
    ...['Connection terminated', 'Connection terminated unexpectedly', 'Query read timeout'],
    'Client has encountered a connection error and is not queryable',
  ]),
  busy: new Set([...['P2024', 'P2028', 'TooManyConnections'], 'timeout exceeded when trying to connect']),
};

const signsOf = (error: unknown): string[] =>
  [fields(error)['code'], fields(error)['message'], fields(driverCause(error))['kind']].filter(
    (sign) => typeof sign === 'string',
  );

/** The driver's error inside a Prisma error. */
const driverCause = (error: unknown): unknown => {
  const adapterError = fields(fields(error)['meta'])['driverAdapterError'] ?? error;
  return fields(adapterError)['cause'];
};

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
