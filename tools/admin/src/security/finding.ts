import type { Database } from '@gangan/database';
import type { Settings } from '../session/stores.js';

/** Something that a new installation would refuse, or not have. */
export interface Finding {
  /** An organisation, or `installation`. */
  readonly who: string;
  readonly what: string;
  readonly why: string;
  /** A command, or what else to do. */
  readonly mend: string;
}

export interface ReviewContext {
  readonly database: Database;
  readonly settings: Settings;
}

/** One question of the review. A new one is a function here or in a file beside it, and a row in `checks.ts`. */
export type Check = (context: ReviewContext) => Promise<readonly Finding[]> | readonly Finding[];

export const installation = 'installation';

/** An organisation as an argument of a command: by its id if its name means something to a shell. */
export const argumentOf = ({ id, label }: { readonly id: string; readonly label: string }): string =>
  /^[\w.-]+\/\w+$/.test(label) ? label : id;
