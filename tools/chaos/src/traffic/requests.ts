import type { Intent } from './intents.js';

/** A request of an intent. It is repeated with the same key until it has a final answer. */
export interface ClientRequest {
  readonly intent: Intent;
  /** Unique in the intent. */
  readonly step: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** Absent in a GET. */
  readonly body?: object;
}

/** The final answer to a request, or none. */
export interface ClientAnswer {
  readonly request: ClientRequest;
  readonly key: string;
  /** 0 if no final answer arrived before the end of the run. */
  readonly status: number;
  readonly body: unknown;
  /** The response as it arrived. */
  readonly text: string;
  readonly attempts: number;
  /** The results of the attempts before the last one, such as `503 outcome_unknown`. */
  readonly retriedAfter: readonly string[];
  /** Whether it repeats a request that was answered before. */
  readonly again: boolean;
}

export const keyOf = ({ intent, step }: ClientRequest): string => `${intent.ref}-${step}`;
