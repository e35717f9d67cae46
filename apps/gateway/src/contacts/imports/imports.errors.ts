import { AppError, invalidRequest } from '@gangan/protocol';
import { refusalOf } from '../../http/refusals.js';

export const notCsv = (): AppError =>
  new AppError('not_csv', 415, 'Send the file as CSV in UTF-8, with Content-Type: text/csv');

export const tooLarge = (mostBytes: number): AppError =>
  new AppError('too_large', 413, `The file is larger than ${mostBytes} bytes`);

export const tooSlow = (): AppError => refusalOf(408);

export const brokenOff = (cause: unknown): AppError =>
  new AppError('broken_off', 400, 'The file broke off before its end', { cause });

export const badText = (problem: string): AppError =>
  invalidRequest([{ field: 'body', message: `The file ${problem}`, type: 'value_error' }]);
