import { AppError, invalidRequest } from '@gangan/protocol';
import { errorForStatus } from '../http/errors/http.errors.js';

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('too_large', 413, `The file is larger than ${maxBytes} bytes`);

export const tooSlow = (): AppError => errorForStatus(408);

export const brokenOff = (cause: unknown): AppError =>
  new AppError('broken_off', 400, 'The upload ended before the end of the file. Send the file again.', {
    cause,
  });

export const badText = (problem: string): AppError =>
  invalidRequest([{ field: 'body', message: `The file ${problem}`, type: 'value_error' }]);
