import { AppError, type ErrorType, type FieldError, type KeyScope } from '@gangan/protocol';

/** Errors that the gateway itself returns, before a controller runs. */

const maxPathLength = 100;

/** Shortens text that the caller chose before it is repeated to them. */
export const truncate = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

export const badRequest = (message: string, fields: readonly FieldError[] = []): AppError =>
  new AppError('bad_request', 400, message, { fields });

export const undecodablePath = (): AppError =>
  badRequest(
    'The path contains a % that does not encode a UTF-8 character. Write a literal percent sign as %25.',
  );

export const outOfScope = (scope: KeyScope): AppError =>
  new AppError('out_of_scope', 403, `This API key lacks the scope ${scope}`);

/** The body as a whole is wrong, so the field is `body`. */
export const badBody = (type: ErrorType, message: string): AppError =>
  badRequest('The request body is invalid', [{ field: 'body', message, type }]);

export const noSuchPath = (method: string, path: string, suggestion?: string): AppError =>
  new AppError(
    'no_such_path',
    404,
    `${method} ${truncate(path, maxPathLength)} does not exist${suggestion === undefined ? '.' : `; did you mean ${suggestion}?`} All paths are listed at /docs`,
  );

export const methodNotAllowed = (
  method: string,
  path: string,
  allowed: readonly string[],
  suggestion?: string,
): AppError =>
  new AppError(
    'method_not_allowed',
    405,
    `${method} is not allowed on ${truncate(path, maxPathLength)}; use ${allowed.join(' or ')}${suggestion === undefined ? '' : `. Did you mean ${suggestion}?`}`,
  );

export const bodyTooLarge = (maxBytes: number): AppError =>
  new AppError('too_large', 413, `The body is too large; the limit of this route is ${maxBytes / 1_024} KiB`);

export const bodyIncompressible = (maxBytes: number): AppError =>
  new AppError(
    'too_large',
    413,
    `The body is too large; text that gzip reduces to ${maxBytes / 1_024} KiB is accepted`,
  );

export const fileTooLarge = (maxBytes: number): AppError =>
  new AppError('too_large', 413, `The file is larger than ${maxBytes} bytes`);

export const uploadBroken = (cause: unknown): AppError =>
  new AppError('broken_off', 400, 'The upload ended before the end of the file. Send the file again.', {
    cause,
  });

export const encodedBody = (): AppError =>
  new AppError('encoded_body', 415, 'Content-Encoding is not supported; send the body uncompressed');

export const notCsv = (): AppError =>
  new AppError('not_csv', 415, 'Send the file as CSV in UTF-8, with Content-Type: text/csv');

const byStatus: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['bad_request', 'The request is malformed'],
  404: ['not_found', 'Not found'],
  405: ['method_not_allowed', 'This method is not allowed here'],
  408: ['too_slow', 'The request took too long to arrive'],
  413: ['too_large', 'The body is too large'],
  414: ['path_too_long', 'The path is too long'],
  415: ['not_json', 'Send the body as JSON in UTF-8, with Content-Type: application/json'],
  417: ['expectation_failed', 'The Expect header cannot be satisfied'],
  431: ['headers_too_large', 'The headers are too large; the limit is 16 KiB in total'],
};

/** The error for a status that the framework or the HTTP parser chose. */
export function errorForStatus(status: number, message?: string): AppError {
  const [code, text] = byStatus[status] ?? ['refused', message ?? 'The request was rejected'];
  return new AppError(code, status, text);
}
