import { type AppError, invalidRequest } from '@gangan/protocol';

export const badText = (problem: string): AppError =>
  invalidRequest([{ field: 'body', message: `The file ${problem}`, type: 'value_error' }]);
