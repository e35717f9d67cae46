import type { LoadResult, LoadTask } from '../load/run-load.js';
import type { WayName } from '../ways/contestants.js';
import type { Place } from '../ways/way.js';

/** What the bench asks of a process it has started. */
export type Task =
  | { readonly do: 'gateway' | 'worker'; readonly way: WayName; readonly place: Place }
  | { readonly do: 'load'; readonly load: LoadTask }
  | { readonly do: 'tell cpu' };

export type TaskResult =
  | { readonly done: 'listening'; readonly port: number }
  | { readonly done: 'working' }
  | { readonly done: 'loaded'; readonly result: LoadResult }
  /** Processor time that the process has used since it began. */
  | { readonly done: 'cpu'; readonly microseconds: number }
  | { readonly done: 'failed'; readonly reason: string };
