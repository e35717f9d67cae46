import { currentContext } from '@gangan/protocol';
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

/** Writes one JSON line per event, with the request and the organisation it belongs to. */
export const createLogger = (
  { app, level }: { readonly app: string; readonly level: string },
  destination: DestinationStream,
): AppLogger =>
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
        log: (details) => scrub(details) as Record<string, unknown>,
      },
      serializers: { err: (error: unknown) => error, msg: scrubText },
    },
    destination,
  );
