import type { Statements } from '@gangan/database';

/** A database, or a transaction in it. */
export type Runner = Pick<Statements, 'query' | 'execute'>;
