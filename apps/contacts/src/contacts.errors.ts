import { AppError, type FieldError, invalidRequest, notFound, unavailable } from '@gangan/protocol';

export const noSuchRow = (): AppError => notFound('The row');
export const noSuchColumn = (): AppError => notFound('The column');
export const noSuchSmartlist = (): AppError => notFound('The smartlist');

const invalid = (field: string, problem: string, type = 'value_error'): AppError =>
  invalidRequest([{ field, message: `${field} ${problem}`, type }]);

export const nameTaken = (what: string): AppError => invalid('name', `is the name of another ${what}`);
export const tooMany = (what: string, most: number): AppError =>
  invalid('name', `cannot be added: there are ${most} ${what} already`, 'too_long');
export const badOptions = (problem: string, type?: string): AppError => invalid('options', problem, type);

export const unknownSmartlist: FieldError = {
  field: 'smartlist_id',
  message: 'smartlist_id is no smartlist of the table',
  type: 'value_error',
};

export const badScroll = (): AppError =>
  invalid(
    'query_id',
    'is not that of a query with the same filters and pages of the same size within the last 15 minutes',
  );

export const pageTooLarge = (most: number): AppError =>
  invalid('per_page', `must be smaller: the rows of this page have more than ${most} bytes together`);

export const queryTooSlow = (cause?: unknown): AppError =>
  unavailable('The query took too long: try again, or add a filter that fewer rows match', cause);

export const tooManyQueries = (): AppError =>
  new AppError('too_many_queries', 429, 'Too many queries are under way: wait for their answers', {
    retryAfter: 1,
  });

/** Without its filter a smartlist would hold more people than were meant, so nothing is taken out of it behind its back. */
export const columnInUse = (smartlists: readonly string[]): AppError =>
  new AppError('in_use', 409, 'Smartlists filter by this column: change or delete them first', {
    fields: smartlists.map((id) => ({
      field: 'column_id',
      message: `The smartlist ${id} filters by this column`,
      type: 'in_use',
    })),
  });

export const everyoneIsFixed = (): AppError =>
  new AppError('fixed', 409, 'The smartlist of all contacts cannot be changed or deleted');
