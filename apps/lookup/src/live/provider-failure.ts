/** Why a provider gave no answer; its words may be logged. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';

  constructor(
    message: string,
    /** It has answered, and has nothing against anybody but this number: that says nothing of how it fares. */
    readonly ofThisNumber = false,
  ) {
    super(message);
  }
}
