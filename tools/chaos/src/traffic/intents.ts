interface CommonFields {
  /** Unique in the run; `external_ref` where the API has one, and the beginning of the keys. */
  readonly ref: string;
  /** Since the start of the traffic. */
  readonly atMs: number;
  /** The index of the organisation. */
  readonly organisation: number;
  /** Whether the client asks again with the same key after the answer, and expects the same answer. */
  readonly asksAgain: boolean;
}

interface OwnFields {
  readonly sms: { readonly recipients: readonly string[]; readonly callback: boolean };
  readonly smartlist: { readonly callback: boolean };
  readonly otp: {
    readonly recipient: string;
    readonly token: string;
    /** `twice`: the right token in two requests at the same time, with different keys. */
    readonly verify: 'once' | 'wrong-first' | 'twice';
  };
  readonly airtime: {
    readonly recipient: string;
    readonly naira: number;
    /** Two purchases with the same `external_ref` and different keys: one of them is a duplicate. */
    readonly copies: 1 | 2;
    readonly callback: boolean;
  };
  /** A new row, two patches of different cells at the same time, and one more of the first cell. */
  readonly contact: object;
  readonly lookup: { readonly phone: string };
  readonly balance: object;
}

export type IntentKind = keyof OwnFields;

export type IntentOf<Kind extends IntentKind> = CommonFields & { readonly kind: Kind } & OwnFields[Kind];

/** What a client wants. It is carried out with one `Idempotency-Key` per request, however often that is repeated. */
export type Intent = { [Kind in IntentKind]: IntentOf<Kind> }[IntentKind];
