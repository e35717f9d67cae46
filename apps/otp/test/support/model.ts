/** What is done to the OTPs of one recipient; `which` counts them from the oldest. */
export type Deed =
  | { readonly is: 'verify'; readonly which: number; readonly right: boolean }
  /** The queue runs an earlier request to verify again. */
  | { readonly is: 'repeat'; readonly earlier: number }
  | { readonly is: 'revoke'; readonly which: number }
  /** Its open deliveries fail. */
  | { readonly is: 'fail'; readonly which: number }
  | { readonly is: 'deliver'; readonly which: number }
  | { readonly is: 'resend'; readonly which: number }
  /** A worker makes its next step. */
  | { readonly is: 'advance'; readonly which: number };

export interface ModelOtp {
  readonly status: number;
  readonly attempts: number;
  readonly most: number;
  readonly sends: readonly ('open' | 'failed' | 'delivered')[];
  /** A channel is left. */
  readonly fallback: boolean;
  /** The last send is older than `fallback_after`. */
  readonly late: boolean;
}

const maxSends = 10;

/** All that a rule may depend on, in plain values. */
export interface Model {
  readonly otps: readonly ModelOtp[];
  /** Wrong tries within the hour. */
  readonly wrong: number;
  readonly cap: number;
  /** How each request to verify was answered. */
  readonly answers: readonly string[];
}

export const emptyModel = (cap: number): Model => ({ otps: [], wrong: 0, cap, answers: [] });

export const withOtp = (model: Model, most: number, fallback = false): Model => ({
  ...model,
  otps: [...model.otps, { status: 1, attempts: 0, most, sends: ['open'], fallback, late: false }],
});

/** A minute passes: every send is late. */
export const aMinuteLater = (model: Model): Model => ({
  ...model,
  otps: model.otps.map((otp) => ({ ...otp, late: true })),
});

/** A worker makes the next step of every OTP. */
export const swept = (model: Model): Model => ({ ...model, otps: model.otps.map(advanced) });

/** An hour passes: everything expires, and wrong tries are forgotten. */
export const anHourLater = (model: Model): Model => ({
  ...model,
  wrong: 0,
  otps: model.otps.map((otp) => (otp.status === 1 ? { ...otp, status: 3 } : otp)),
});

type Outcome = readonly [Model, string];

/** What a deed is answered in this state, and what it leaves behind. `place` is where a verification is noted. */
export function after(model: Model, deed: Deed, place: number): readonly Outcome[] {
  if (deed.is === 'repeat') return [[model, model.answers[deed.earlier] ?? 'none']];
  const otp = model.otps[deed.which];
  if (!otp) throw new Error('There is no such OTP');
  const leaving = (changed: ModelOtp, answer = 'done'): Outcome => [put(model, deed.which, changed), answer];
  switch (deed.is) {
    case 'verify': {
      const [changed, wrong, answer] = verified(otp, deed.right, model);
      const answers = [...model.answers];
      answers[place] = answer;
      return [[{ ...put(model, deed.which, changed), wrong, answers }, answer]];
    }
    case 'revoke': {
      const status = otp.status === 1 ? 5 : otp.status;
      return [leaving({ ...otp, status }, `status ${status}`)];
    }
    case 'fail':
      return [leaving(failed(otp))];
    case 'deliver':
      return [leaving({ ...otp, sends: otp.sends.map((send) => (send === 'open' ? 'delivered' : send)) })];
    case 'resend': {
      const answer = refusalOf(otp) ?? (otp.sends.length >= maxSends ? '429 too_many_attempts' : undefined);
      return [answer === undefined ? leaving(sent(otp, otp.fallback), '200') : leaving(otp, answer)];
    }
    case 'advance':
      // What changes meanwhile is left to the next look.
      return [leaving(advanced(otp)), leaving(otp)];
  }
}

function failed(otp: ModelOtp): ModelOtp {
  const sends = otp.sends.map((send) => (send === 'open' ? 'failed' : send));
  const hasFailed = otp.status === 1 && !otp.fallback && sends.every((send) => send === 'failed');
  return { ...otp, sends, status: hasFailed ? 4 : otp.status };
}

const sent = (otp: ModelOtp, fallback: boolean): ModelOtp => ({
  ...otp,
  sends: [...otp.sends, 'open'],
  fallback,
  late: false,
});

/** Sends it once more if a fallback is left, and due. */
function advanced(otp: ModelOtp): ModelOtp {
  if (otp.status !== 1 || !otp.fallback || otp.sends.includes('delivered')) return otp;
  return otp.late || otp.sends.every((send) => send === 'failed') ? sent(otp, false) : otp;
}

function refusalOf({ status, attempts, most }: ModelOtp): string | undefined {
  if (status === 2) return '409 already_verified';
  if (status === 3) return '400 token_expired';
  if (status === 5) return '400 token_revoked';
  if (status !== 4) return undefined;
  return attempts === most ? '429 too_many_attempts' : '400 token_undeliverable';
}

function verified(otp: ModelOtp, right: boolean, { wrong, cap }: Model): readonly [ModelOtp, number, string] {
  const { attempts, most } = otp;
  const refusal = refusalOf(otp);
  if (refusal !== undefined) return [otp, wrong, refusal];
  if (cap > 0 && wrong >= cap) return [otp, wrong, '429 too_many_attempts'];
  if (right) return [{ ...otp, status: 2 }, wrong, '200'];
  const ends = attempts + 1 === most;
  const tried = { ...otp, attempts: attempts + 1, status: ends ? 4 : 1 };
  return [tried, wrong + 1, ends ? '429 too_many_attempts' : '400 token_mismatch'];
}

const put = (model: Model, which: number, otp: ModelOtp): Model => ({
  ...model,
  otps: model.otps.map((each, place) => (place === which ? otp : each)),
});

export interface Done {
  readonly deed: Deed;
  readonly place: number;
  readonly answer: string;
}

/** Every state that some order of what was done at once leads to, with exactly the answers that were given. */
export function explanations(from: readonly Model[], done: readonly Done[]): Model[] {
  if (done.length === 0) return [...from];
  const found = done.flatMap((first, at) => {
    const rest = done.filter((_, place) => place !== at);
    const next = from.flatMap((model) =>
      after(model, first.deed, first.place).flatMap(([changed, answer]) =>
        answer === first.answer ? [changed] : [],
      ),
    );
    return next.length === 0 ? [] : explanations(next, rest);
  });
  return [...new Map(found.map((model) => [JSON.stringify(model), model])).values()];
}
