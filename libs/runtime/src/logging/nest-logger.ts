import type { LoggerService } from '@nestjs/common';
import type { AppLogger } from './logger.js';
import { toSourcePositions } from './source-positions.js';

/** Contexts in which Nest logs only its own wiring. */
const wiring = new Set<unknown>([
  // It repeats the error of a failed start, which `launch` logs.
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Writes Nest's messages to our log. Nest passes its context last, and a stack before it on errors. */
export class NestLogger implements LoggerService {
  readonly log = this.at('info');
  readonly error = this.at('error');
  readonly warn = this.at('warn');
  readonly debug = this.at('debug');
  readonly verbose = this.at('debug');
  readonly fatal = this.at('fatal');

  constructor(private readonly logger: AppLogger) {}

  private at(level: keyof AppLogger) {
    return (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const stack = rest.find((value) => typeof value === 'string' && value.includes('\n    at ')) as
        | string
        | undefined;
      const details = {
        ...(typeof context === 'string' && context !== stack && { context }),
        ...(message instanceof Error
          ? { err: message }
          : stack !== undefined && { stack: toSourcePositions(stack) }),
        ...(typeof message === 'object' && !(message instanceof Error) && { details: message }),
      };
      this.logger[wiring.has(context) ? 'debug' : level](details, textOf(message));
    };
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : 'Nest logged an object';
}
