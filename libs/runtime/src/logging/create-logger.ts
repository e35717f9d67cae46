import { currentContext } from '@gangan/protocol';
import { type DestinationStream, pino } from 'pino';
import type { AppLogger } from './app-logger.js';
import { scrub, scrubText } from './scrub.js';

export interface LogSettings {
  readonly app: string;
  readonly level: string;
}

/** One JSON line an event, with the request and the organisation it happened for. */
export const createLogger = ({ app, level }: LogSettings, destination: DestinationStream): AppLogger =>
  pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => requestDetails(),
      formatters: {
        level: (label) => ({ level: label }),
        log: (details) => scrub(details) as Record<string, unknown>,
      },
      serializers: { err: (error: unknown) => error, msg: scrubText },
    },
    destination,
  );

function requestDetails(): object {
  const context = currentContext();
  return context
    ? {
        requestId: context.requestId,
        ...(context.organisationId !== undefined && { organisationId: context.organisationId }),
      }
    : {};
}
