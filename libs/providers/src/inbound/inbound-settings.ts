export const signatureAlgorithms = ['sha1', 'sha256', 'sha512'] as const;

/** The methods that Vonage offers: a hash with the secret at its end, or an HMAC. */
export const vonageAlgorithms = ['md5hash', 'md5', 'sha1', 'sha256', 'sha512'] as const;

/** How requests to `/in/{provider}/{token}` are verified, in addition to the token. All given checks must pass. */
export interface InboundSettings {
  /** A signature over the raw body. */
  readonly hmac?: {
    readonly header: string;
    readonly algorithm: (typeof signatureAlgorithms)[number];
    /** The encoding of the signature; `hex` by default. */
    readonly encoding?: 'hex' | 'base64';
    /** The prefix of the signature, such as `sha256=`. */
    readonly prefix?: string;
    readonly secret: string;
  };
  /** The signature in `X-Twilio-Signature`, over the URL and the sorted fields of the form or the hash of the body. */
  readonly twilio?: { readonly secret: string };
  /** The signature in the parameter `sig`, over the other parameters. */
  readonly vonage?: { readonly algorithm: (typeof vonageAlgorithms)[number]; readonly secret: string };
  /** A signature with a nonce, over the URL and the sorted fields of the form. Version 2 does not cover the fields. */
  readonly plivo?: { readonly secret: string; readonly version?: 'v2' | 'v3' };
  readonly basic?: { readonly username: string; readonly password: string };
  /** The addresses and ranges that requests come from. */
  readonly addresses?: readonly string[];
  /** A GET request with this token (`hub.verify_token`) is answered with its challenge. It is not stored. */
  readonly handshake?: { readonly secret: string };
  /** The size of the body at most; 256 KiB by default. */
  readonly maxBytes?: number;
}

/** The names of the secrets with which requests are verified. */
export const inboundSecretNames = ({
  hmac,
  twilio,
  vonage,
  plivo,
  basic,
  handshake,
}: InboundSettings): string[] =>
  [hmac, twilio, vonage, plivo, handshake, basic && { secret: basic.password }].flatMap(
    (check) => secretName(check?.secret ?? '') ?? [],
  );

/** The headers with which requests are verified, in lower case. */
export const inboundHeaders = ({ hmac, twilio, plivo, basic }: InboundSettings): string[] => [
  ...(hmac ? [hmac.header.toLowerCase()] : []),
  ...(twilio ? ['x-twilio-signature'] : []),
  ...(plivo ? plivoHeaders : []),
  ...(basic ? ['authorization'] : []),
];

const plivoHeaders = ['v2', 'v3'].flatMap((version) =>
  [version, `ma-${version}`, `${version}-nonce`].map((name) => `x-plivo-signature-${name}`),
);

/** Returns the NAME of a value that is `{secret.NAME}` and nothing else. */
export const secretName = (value: string): string | undefined =>
  /^\{secret\.([a-z][a-z0-9_]*)\}$/.exec(value)?.[1];
