import type { Filter } from '../filters/filter.js';

/** A smartlist as it was when a message was sent to it: all that is needed to read on, whenever that is. */
export interface Audience {
  readonly filters: readonly Filter[];
  /** Rows that were added later are none of it. */
  readonly snapshot: string;
  readonly rare: boolean;
  /** The column of the numbers. */
  readonly phoneId: string;
  readonly columns: readonly NamedColumn[];
}

/** A column, by the name that it was asked for. */
export interface NamedColumn {
  readonly name: string;
  readonly id: string;
}

/** It travels as text, and is kept by whoever reads the smartlist. */
export const writtenDown = (audience: Audience): string => JSON.stringify(audience);

export const readAgain = (list: string): Audience => JSON.parse(list) as Audience;
