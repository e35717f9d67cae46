import { Reflector } from '@nestjs/core';
import type { Round } from './periodic-task.js';

export interface Repetition {
  /** For the log: pruning, looking for overdue callbacks. */
  readonly what: string;
  /** Between two rounds, about. */
  readonly restMs: number;
}

export const repetition = Reflector.createDecorator<Repetition>();

/** Marks a provider's method that is called again and again while the app runs. It tells whether there is more to do at once. */
export function Periodic(what: string, restMs: number) {
  return (target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<Round>): void =>
    void (repetition({ what, restMs }) as MethodDecorator)(target, key, descriptor);
}
