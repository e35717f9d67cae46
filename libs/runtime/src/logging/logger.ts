import { currentContext, isDebugged } from '@gangan/protocol';
import { type DestinationStream, pino } from 'pino';
import { scrub, scrubText } from './scrub.js';

/** The log; inject it by this class. First the details of an event, then the event in words. */
export abstract class AppLogger {
  abstract debug(details: object, message: string): void;
  abstract info(details: object, message: string): void;
  abstract warn(details: object, message: string): void;
  abstract error(details: object, message: string): void;
  abstract fatal(details: object, message: string): void;
}

interface LoggerOptions {
  readonly app: string;
  readonly level: string;
}

/**
 * Writes one JSON line per event, with the request and the organisation it belongs to. Requests with a debug id are logged
 * at debug level, whatever the level of the process, unless it is silent.
 */
export function createLogger(options: LoggerOptions, destination: DestinationStream): AppLogger {
  const logger = openLogger(options, destination);
  if (options.level === 'silent' || logger.isLevelEnabled('debug')) return logger;
  const verbose = logger.child({}, { level: 'debug' });
  const writeIfDebugged =
    (level: 'debug' | 'info') =>
    (details: object, message: string): void => {
      const { requestId } = 'requestId' in details ? details : (currentContext() ?? {});
      if (isDebugged(requestId as string | undefined)) verbose[level](details, message);
    };
  const changed = {
    debug: writeIfDebugged('debug'),
    ...(!logger.isLevelEnabled('info') && { info: writeIfDebugged('info') }),
  };
  return Object.assign(logger, changed);
}

/** Every line has these fields; a second one with the same name would hide one of the two from a reader of the JSON. */
const reserved = ['level', 'time', 'app', 'pid', 'msg'];

/** A detail with a reserved name gets an underscore behind it. */
function renameReserved(details: Record<string, unknown>): Record<string, unknown> {
  if (!reserved.some((name) => name in details)) return details;
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [reserved.includes(name) ? `${name}_` : name, value]),
  );
}

const openLogger = ({ app, level }: LoggerOptions, destination: DestinationStream) =>
  pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => {
        const { requestId, organisationId } = currentContext() ?? {};
        return { requestId, organisationId };
      },
      formatters: {
        level: (label) => ({ level: label }),
        log: (details) => renameReserved(scrub(details) as Record<string, unknown>),
      },
      serializers: { err: (error: unknown) => error, msg: scrubText },
    },
    destination,
  );
