import type { PacedLoadTask } from '../load/paced-load.js';
import type { LoadResult, LoadTask } from '../load/run-load.js';
import type { WayName } from '../ways/variants.js';
import type { WaySettings } from '../ways/way.js';

/** A task for a child process. */
export type Task =
  | { readonly do: 'gateway' | 'worker'; readonly way: WayName; readonly settings: WaySettings }
  | { readonly do: 'load'; readonly load: LoadTask }
  | { readonly do: 'paced load'; readonly load: PacedLoadTask }
  | { readonly do: 'read cpu' };

export type TaskResult =
  | { readonly done: 'listening'; readonly port: number }
  | { readonly done: 'working' }
  | { readonly done: 'loaded'; readonly result: LoadResult }
  | { readonly done: 'paced'; readonly milliseconds: readonly number[] }
  /** Processor time that the process has used since its start. */
  | { readonly done: 'cpu'; readonly microseconds: number }
  | { readonly done: 'failed'; readonly reason: string };
