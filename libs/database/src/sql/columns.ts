import type { Sql } from './statement.js';

/**
 * The type of a result column: which Postgres types it may have, and which TypeScript type its values get.
 * The Postgres types are names of `pg_type`; an array has its element's names with a leading underscore.
 */
export interface Column<T> {
  readonly postgres: readonly string[];
  /** What `columnsOf` selects instead of the column of its name. */
  readonly from?: string | Sql;
  /** Exists for inference only. */
  readonly value?: T;
}

const column = <T>(...postgres: string[]): Column<T> => ({ postgres });

export const uuid = column<string>('uuid');
export const text = column<string>('text', 'varchar', 'bpchar', 'name');
export const int = column<number>('int4', 'int2');
/** A BigInt, for `count(*)` and other `int8` values. */
export const bigint = column<bigint>('int8');
export const float = column<number>('float8', 'float4');
/** A number that stays text, because it is exact. */
export const numeric = column<string>('numeric');
export const bool = column<boolean>('bool');
export const timestamp = column<Date>('timestamptz');
/** `2026-11-15`, as text: a Date would need a time zone. */
export const date = column<string>('date');
export const bytes = column<Buffer>('bytea');

/** Text of which only some values occur: `textOf<'live' | 'test'>()`. Postgres does not check them. */
export const textOf = <T extends string>(): Column<T> => ({ postgres: text.postgres });

export const json = <T>(): Column<T> => column<T>('jsonb', 'json');

/** An enum type of the database: `enumOf<DeliveryState>('delivery_state')`. */
export const enumOf = <T extends string>(type: string): Column<T> => column<T>(type);

/** The driver does not parse arrays of enums: cast those to `text[]` and declare `array(textOf<T>())`. */
export const array = <T>(of: Column<T>): Column<readonly T[]> => ({
  postgres: of.postgres.map((type) => `_${type}`),
});

export const nullable = <T>(of: Column<T>): Column<T | null> => ({ postgres: of.postgres });

/** A column for `columnsOf` that has another name, or is an expression: `from('charge_kobo', bigint)`. */
export const from = <T>(source: string | Sql, of: Column<T>): Column<T> => ({ ...of, from: source });
