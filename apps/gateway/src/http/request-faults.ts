import type { FieldError } from '@gangan/protocol';

const noted = new WeakMap<object, readonly FieldError[]>();

/** Keeps what is wrong with a request until everything else that is wrong with it is known too. */
export const noteFaults = (request: object, faults: readonly FieldError[]): void => {
  if (faults.length > 0) noted.set(request, [...faultsOf(request), ...faults]);
};

export const faultsOf = (request: object): readonly FieldError[] => noted.get(request) ?? [];
