import { AppError, type FieldError } from '@gangan/protocol';
import { shortened } from './shortened.js';

const longestPath = 100;

/** What the door itself answers, before anybody has looked at what was asked. */

export const badRequest = (message: string, fields: readonly FieldError[] = []): AppError =>
  new AppError('bad_request', 400, message, { fields });

export const undecodablePath = (): AppError =>
  badRequest('The path holds a % that encodes no character in UTF-8; a percent sign itself is written %25');

/** The body as a whole is wrong: it names `body` where others name a field. */
export const badBody = (type: string, message: string): AppError =>
  badRequest('The body is not what it should be', [{ field: 'body', message, type }]);

export const noSuchPath = (method: string, path: string, meant?: string): AppError =>
  new AppError(
    'no_such_path',
    404,
    `There is no ${method} ${shortened(path, longestPath)}${meant === undefined ? '.' : `: did you mean ${meant}?`} All paths are listed at /docs`,
  );

export const methodNotAllowed = (method: string, path: string, allowed: readonly string[]): AppError =>
  new AppError(
    'method_not_allowed',
    405,
    `${method} is not possible on ${shortened(path, longestPath)}; use ${allowed.join(' or ')}`,
  );

export const bodyTooLarge = (mostBytes: number): AppError =>
  new AppError('too_large', 413, `The body is too large: ${mostBytes / 1_024} KiB is the limit here`);

export const encodedBody = (): AppError =>
  new AppError('encoded_body', 415, 'Send the body as it is, without Content-Encoding: it is not unpacked');

const byStatus: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['bad_request', 'The request cannot be understood'],
  404: ['not_found', 'There is nothing here'],
  405: ['method_not_allowed', 'This method is not possible here'],
  408: ['too_slow', 'The request took too long to arrive'],
  413: ['too_large', 'The body is too large'],
  414: ['path_too_long', 'The path is too long'],
  415: ['not_json', 'Send the body as JSON in UTF-8, with Content-Type: application/json'],
  417: ['expectation_failed', 'The expectation in the Expect header cannot be met'],
  431: ['headers_too_large', 'The headers are too large: 16 KiB in all is the limit'],
};

/** What a status means that the framework or the HTTP parser chose. */
export function refusalOf(status: number, message?: string): AppError {
  const [code, text] = byStatus[status] ?? ['refused', message ?? 'The request was refused'];
  return new AppError(code, status, text);
}
