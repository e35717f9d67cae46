import type { LoggerService } from '@nestjs/common';
import type { AppLogger } from './app-logger.js';

/** What the framework says about its own wiring; of interest only to whoever debugs it. */
const chatter = new Set<unknown>([
  // It repeats the error of a failed start, which we report ourselves.
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Lets the framework write into our log. It passes its own name last, and a stack before that on errors. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: AppLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: keyof AppLogger, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.find(
      (value): value is string => typeof value === 'string' && value.includes('\n    at '),
    );
    const details = {
      ...(typeof context === 'string' && context !== stack && { context }),
      ...(message instanceof Error ? { err: message } : stack !== undefined && { stack }),
      ...(typeof message === 'object' && !(message instanceof Error) && { details: message }),
    };
    this.logger[chatter.has(context) ? 'debug' : level](details, textOf(message));
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : 'A message of the framework';
}
