import type { Print } from '../bench.js';
import type { Resources } from '../processes/resources.js';
import type { Requirement } from './requirements.js';

/** The options of a suite run, and its output. */
export interface SuiteContext {
  /** The length of one measurement under load; whole, because wrk knows only whole seconds. */
  readonly seconds: number;
  readonly rounds: number;
  /** How many requests a process handles before it is measured. */
  readonly warmUp: number;
  /** Contacts of the large organisation. */
  readonly rows: number;
  /** Messages in the large database. */
  readonly messages: number;
  /** How long memory is watched. */
  readonly minutes: number;
  readonly print: Print;
  /** Close what an interrupt leaves open. */
  readonly resources: Resources;
}

/** The figures of one measurement, by name; `handled` are the requests, if their number decides how warm a process is. */
export type Figures = Readonly<Record<string, number>>;

/** Something that can be measured again and again in an opened group. Its title identifies it. */
export interface Point<Run> {
  readonly title: string;
  /** The processes that it warms up, which other points may use as well; those of its own if it has no name for them. */
  readonly processes?: { readonly name: string; readonly copies?: number };
  measure(run: Run, context: SuiteContext): Promise<Figures>;
}

/** Scenarios that share their servers. All their points are measured in turn in every round. */
export interface Group<Run> {
  readonly title: string;
  /** What all its scenarios need. */
  readonly needs?: readonly Requirement[];
  /** Whether its scenarios are measured only with `--long`. */
  readonly long?: boolean;
  /** Instead of the rounds of the suite. */
  readonly rounds?: number;
  /** Whether its points are measured before the first round, until their processes are warm; true by default. */
  readonly warmsUp?: boolean;
  /** @param resources are closed after all rounds */
  open(resources: Resources, context: SuiteContext): Promise<Run>;
  /** @throws if what is stored after all rounds is inconsistent */
  verify?(run: Run): Promise<void>;
}

/** What the ratio (or the figure, if there is nothing beside it) must reach. */
export type Bar = { readonly atLeast: number } | { readonly atMost: number };

export const atLeast = (value: number): Bar => ({ atLeast: value });
export const atMost = (value: number): Bar => ({ atMost: value });

/** The part of a scenario that reports show. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** The unit of its figures. */
  readonly unit: string;
  /** What it is compared with; its figure itself is the result if there is none. */
  readonly comparedWith?: string;
  readonly bar: Bar;
  /** What limits it, for the documentation. */
  readonly limit: string;
  readonly needs: readonly Requirement[];
  readonly long: boolean;
}

/** The figures of one round. */
export interface Pair {
  readonly value: number;
  readonly beside?: number;
}

/** The rounds of a scenario, or why there are none. */
export type Outcome =
  | { readonly pairs: readonly Pair[] }
  | { readonly skipped: string }
  | { readonly failed: string };
