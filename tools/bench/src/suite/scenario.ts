import type { Print, Resources } from '@gangan/testing';
import type { Requirement } from './requirements.js';

/** The options of a suite run, and its output. */
export interface SuiteContext {
  /** The length of one measurement under load. */
  readonly seconds: number;
  readonly rounds: number;
  /** How many requests a process handles before it is measured. */
  readonly warmUp: number;
  /** How long memory is watched. */
  readonly minutes: number;
  readonly print: Print;
  /** Close what an interrupt leaves open. */
  readonly resources: Resources;
}

/** The figures of one measurement, by name; `handled` are the requests, if their number decides how warm a process is. */
export type Figures = Readonly<Record<string, number>>;

/** Scenarios that share their servers. All their points are measured in turn in every round. */
export interface Part {
  readonly title: string;
  readonly needs?: readonly Requirement[];
  /** Whether its scenarios are measured only with `--long`. */
  readonly long?: boolean;
  /** Instead of the rounds of the suite. If there is only one, nothing is warmed up before it. */
  readonly rounds?: number;
  readonly scenarios: readonly Scenario[];
  /** Starts the servers. @param resources are closed after all rounds */
  open(resources: Resources, context: SuiteContext): Promise<OpenPart>;
}

export interface OpenPart {
  /** Measures a point once. @param point begins with the name of the server, up to the first comma */
  measure(point: string, context: SuiteContext): Promise<Figures>;
  /** @throws if what is stored after all rounds is inconsistent */
  verify?(): Promise<void>;
}

/** A row of the table: one figure of a point, and perhaps the same figure of another. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly figure: string;
  readonly unit: string;
  /** The point that is measured. */
  readonly of: string;
  /** The point that it is compared with; the figure itself is the result if there is none. */
  readonly beside?: string;
  readonly bar: Bar;
  /** What limits it, for the documentation. */
  readonly limit: string;
  readonly needs?: readonly Requirement[];
}

/** What the ratio (or the figure, if there is nothing beside it) must reach. */
export type Bar = { readonly atLeast: number } | { readonly atMost: number };

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
