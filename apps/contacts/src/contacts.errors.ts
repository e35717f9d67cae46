import {
  AppError,
  type ErrorType,
  type FieldError,
  invalidRequest,
  notFound,
  unavailable,
} from '@gangan/protocol';

export const noSuchRow = (): AppError => notFound('The row');
export const noSuchColumn = (): AppError => notFound('The column');
export const noSuchSmartlist = (): AppError => notFound('The smartlist');

const invalid = (field: string, problem: string, type: ErrorType = 'value_error'): AppError =>
  invalidRequest([{ field, message: `${field} ${problem}`, type }]);

export const nameTaken = (what: string): AppError => invalid('name', `is already used by another ${what}`);
export const tooMany = (what: string, max: number): AppError =>
  invalid('name', `cannot be added: the table already has ${max} ${what}`, 'too_long');
export const invalidOptions = (problem: string, type?: ErrorType): AppError =>
  invalid('options', problem, type);

export const unknownSmartlist: FieldError = {
  field: 'smartlist_id',
  message: 'smartlist_id does not match a smartlist of this table',
  type: 'value_error',
};

export const invalidQueryId = (): AppError =>
  invalid(
    'query_id',
    'does not match a query of the last 15 minutes with the same filters, smartlist, sort order and page size',
  );

export const pageTooLarge = (maxBytes: number): AppError =>
  invalid('per_page', `must be smaller: the rows of this page exceed ${maxBytes} bytes`);

export const tooManyToSort = (max: number): AppError =>
  invalid('sort', `is possible for at most ${max} matching rows: add filters`, 'too_long');

export const queryTooSlow = (cause?: unknown): AppError =>
  unavailable('The query took too long. Retry, or add a filter that matches fewer rows.', cause);

export const tooManyQueries = (): AppError =>
  new AppError('too_many_queries', 429, 'Too many queries are in progress. Retry when one has finished.', {
    retryAfter: 1,
  });

/** Removing the filter silently would widen the smartlist to more people than intended. */
export const columnInUse = (smartlists: readonly string[]): AppError =>
  new AppError('in_use', 409, 'Smartlists filter by this column. Change or delete them first.', {
    fields: smartlists.map((id) => ({
      field: 'column_id',
      message: `The smartlist ${id} filters by this column`,
      type: 'in_use',
    })),
  });

export const allContactsIsFixed = (): AppError =>
  new AppError('fixed', 409, 'The smartlist of all contacts cannot be changed or deleted');
