/** What a provider reads from a request, apart from its credentials. */
export interface FakeMessage {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly type?: string;
  readonly reference?: string;
  /** Where the provider reports about it. */
  readonly reportUrl?: string;
}

export interface FakeRefusal {
  /** The status of the whole answer, if it is not the usual one. */
  readonly status?: number;
  readonly code: string;
}

export const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
