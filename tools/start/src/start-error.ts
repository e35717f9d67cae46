/** A reason not to start, in a sentence that says what to do: shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
